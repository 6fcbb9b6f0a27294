// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace revet::test {

/// A tree as lines that two trees can be compared by: for each path type, mode, time, content or target,
/// extended attributes, and which paths are names of one file. Aborts on what it cannot read.
using TreeSnapshot = std::map<std::string, std::string>;
enum class DirectoryTimes { Compared, Ignored };
[[nodiscard]] TreeSnapshot snapshotOf(const std::filesystem::path& top,
                                      DirectoryTimes times = DirectoryTimes::Compared);

/// What is different, one path a line; empty where nothing is.
[[nodiscard]] std::string treeDifferences(const TreeSnapshot& expected, const TreeSnapshot& found);

} // namespace revet::test
