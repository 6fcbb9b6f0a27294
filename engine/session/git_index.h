// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace revet::session {

/// Which of `paths` (relative to the work tree) git tracks, and whether as empty files, read from .git/index
/// itself: git is never run with a repository's configuration, and linking libgit2 would double the time to
/// start. Total; fails on an index that it does not understand. No index: nothing is tracked.
[[nodiscard]] Result<std::map<std::string, bool>> trackedAmong(const std::filesystem::path& index,
                                                               const std::set<std::string>& paths);

/// All that git tracks, in the order of bytes.
[[nodiscard]] Result<std::vector<std::string>> allTracked(const std::filesystem::path& index);

} // namespace revet::session
