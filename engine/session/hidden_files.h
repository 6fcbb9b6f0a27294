// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/policy/hidden.h"

#include <string>
#include <vector>

namespace revet::session {

/// Untracked files of a project that the hidden table names; the box sees them empty.
struct HiddenFiles
{
    std::vector<std::string> paths; ///< absolute
    bool isComplete = true; ///< false: there are more entries than were looked at, or unreadable ones
};
/// Looks breadth first at no more than a few thousand entries, since a start must not walk a large tree.
/// `unhide` are absolute paths and globs that stay visible, with what is below; so does what git tracks.
[[nodiscard]] Result<HiddenFiles> findHiddenFiles(const std::string& project,
                                                  const policy::HiddenTable& table,
                                                  const std::vector<std::string>& unhide);

} // namespace revet::session
