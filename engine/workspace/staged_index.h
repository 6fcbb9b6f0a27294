// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace revet::workspace {

/// A digest of what git's index stages: names, modes, objects, stages and flags, without the times, sizes and
/// caches that `git status` writes anew at will. Empty where `bytes` are no index that stands alone
/// (gitformat-index(5), versions 2 to 4): whoever compares must then go by the file. Total.
[[nodiscard]] std::string stagedBy(std::string_view bytes);

/// The same of the file `path` below `root`; empty also for files of any other name, and where it cannot be
/// read or is larger than any index.
[[nodiscard]] std::string stagedAt(int root, const std::string& path);

} // namespace revet::workspace
