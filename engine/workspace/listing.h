// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <string>
#include <vector>

namespace revet::workspace {

/// Names in an open directory (O_PATH will do), in no order, without "." and "..".
[[nodiscard]] Result<std::vector<std::string>> listDirectory(int directory);
/// The same of a directory below `root`, which no link leads to.
[[nodiscard]] Result<std::vector<std::string>> listDirectory(int root, const std::string& path);

} // namespace revet::workspace
