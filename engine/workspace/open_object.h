// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace revet::workspace {

/// Opens (O_PATH) whatever lies at `path` below `root`, no link followed; "" is the root itself.
[[nodiscard]] Result<UniqueFd> openObject(int root, const std::string& path);

// Of an open file, directory or link; O_PATH will do, so they may be unreadable. Nothing follows a link.

[[nodiscard]] Result<void> setMode(int object, mode_t mode);
/// mtime, in nanoseconds since 1970.
[[nodiscard]] Result<void> setTime(int object, std::int64_t changed);

} // namespace revet::workspace
