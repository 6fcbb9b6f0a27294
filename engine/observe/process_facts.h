// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/event.h"

#include <cstdint>
#include <optional>

namespace revet::observe {

/// What /proc tells of a process at first sight; number and parent are the tree's to give.
struct ProcessFacts
{
    ProcessRecord record;
    int parentPid = 0; ///< 0 for the root of a pid namespace's processes: its parent is not the box's
};

/// Fails where the process has gone.
[[nodiscard]] Result<ProcessFacts> readProcessFacts(int pid);
/// Reads again what an exec replaces. What cannot be read stays as it was.
void readProgram(ProcessRecord& record);
/// Whether the process is one of a box rather than of the host: it lives in a pid namespace of its own, and
/// is not that namespace's first process.
[[nodiscard]] bool isBoxProcess(int pid);
/// How a process that has ended did, or what exit_group said; none where nobody knows.
[[nodiscard]] std::optional<std::int32_t> waitStatusAfterEnd(const ProcessRecord& record, int pidFd);

} // namespace revet::observe
