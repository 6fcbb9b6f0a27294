// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::launcher {

/// Tells revet-session what failed, and errno, and ends.
[[noreturn]] void reportErrno(const char* what);

/// Waits for the box's end, or for revet-session's, which ends the box; meanwhile does revet-session's
/// errands. Then removes the host's files `leftovers` and passes pid 1's status on.
[[noreturn]] void keep(pid_t init, const std::vector<std::string>& leftovers);

} // namespace revet::launcher
