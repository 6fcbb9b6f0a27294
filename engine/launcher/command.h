// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/launcher/plan.h"

#include <array>
#include <cstdint>

namespace revet::launcher {

/// Everything that the command's process needs between fork and exec.
struct CommandStart
{
    const SpawnRequest* request = nullptr;
    std::uint32_t number = 0; ///< which command, for reports
    std::array<int, 3> streams{-1, -1, -1}; ///< what becomes 0 to 2
    int terminal = -1; ///< the box's terminal, -1 without one
    int failurePipe = -1; ///< close-on-exec; gets the errno of a failed exec
};

/// Becomes the command. Does not return: on failure it writes errno to the pipe and exits.
[[noreturn]] void becomeCommand(const CommandStart& start);

} // namespace revet::launcher
