// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::workspace {

/// Opens (O_PATH) whatever lies at `path` below `root`, no link followed; "" is the root itself.
[[nodiscard]] Result<UniqueFd> openObject(int root, const std::string& path);

// Of an open file, directory or link; O_PATH will do, so they may be unreadable. Nothing follows a link.

[[nodiscard]] Result<void> setMode(int object, mode_t mode);
/// mtime, in nanoseconds since 1970.
[[nodiscard]] Result<void> setTime(int object, std::int64_t changed);
[[nodiscard]] Result<std::vector<std::string>> attributeNames(int object);
/// None: it is not there.
[[nodiscard]] Result<std::optional<std::string>> attributeOf(int object, const std::string& name);
/// None removes it.
[[nodiscard]] Result<void> changeAttribute(int object, const std::string& name,
                                           const std::optional<std::string>& value);

} // namespace revet::workspace
