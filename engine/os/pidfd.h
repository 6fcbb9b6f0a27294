// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstdint>
#include <optional>

namespace revet::os {

/// A descriptor for a process (a thread group's leader; EINVAL or ENOENT for other threads).
[[nodiscard]] Result<UniqueFd> openPidFd(int pid);
/// Whether the process has not been reaped yet, so that its pid still means it.
[[nodiscard]] bool isPidFdAlive(int pidFd);
/// A duplicate of another process's descriptor, close-on-exec. EBADF when it has none of that number.
[[nodiscard]] Result<UniqueFd> duplicateFrom(int pidFd, int descriptor);

/// How a process ended, as wait(2) tells it, also after its parent has reaped it (Linux 6.15); none before,
/// and where the kernel cannot say.
[[nodiscard]] std::optional<std::int32_t> waitStatusOf(int pidFd);

} // namespace revet::os
