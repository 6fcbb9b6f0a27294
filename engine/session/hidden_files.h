// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/policy/hidden.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace revet::session {

/// Untracked files of a project that the hidden table names; the box sees them empty.
struct HiddenFiles
{
    std::vector<std::string> paths; ///< absolute
    std::set<std::string> names; ///< the same, relative to the project
    std::set<std::string>
        nowTracked; ///< of `names`: git tracks them now, and did not when they were first hidden
    std::vector<std::string> stores; ///< absolute: directories of what undo keeps, which always are hidden
    bool isComplete = true; ///< false: there are more entries than were looked at, or unreadable ones
    bool isIndexRead = true; ///< false: git's index cannot be read, and counts as tracking nothing
};
/// Looks breadth first, so shallow directories come first, at no more entries than a start has time for.
/// `unhide` are absolute paths and globs that stay visible, with what is below; so does what git tracks,
/// unless it was hidden before, or git has it empty and it is not: a box can make git track a file that it
/// sees empty.
[[nodiscard]] Result<HiddenFiles> findHiddenFiles(const std::string& project,
                                                  const policy::HiddenNames& table,
                                                  const std::vector<std::string>& unhide,
                                                  const std::set<std::string>& hiddenBefore = {});

/// What was hidden in earlier sessions of a project: relative names, in a file that no box can reach.
[[nodiscard]] Result<std::set<std::string>> readHiddenBefore(const std::filesystem::path& file);
/// Adds to it; several sessions may do so at once.
[[nodiscard]] Result<void> addHiddenBefore(const std::filesystem::path& file,
                                           const std::set<std::string>& names);

} // namespace revet::session
