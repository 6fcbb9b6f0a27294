// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace revet::session {

/// A directory that a session works on, and which one it was when the session started: another repository may
/// be at its path by the time of the review.
struct WorkspaceRoot
{
    std::string path;
    std::uint64_t inode = 0;
    std::int64_t born = 0; ///< nanoseconds since 1970; 0 where the file system does not say
};

/// Notes them in the session's own directory: the project, then its side roots.
[[nodiscard]] Result<void> recordWorkspace(const std::filesystem::path& sessionDirectory,
                                           const std::vector<std::string>& paths);
[[nodiscard]] Result<std::vector<WorkspaceRoot>>
readWorkspaceRecord(const std::filesystem::path& sessionDirectory);

/// Notes of which files of the project its layer had another version when the session ended: the layer does
/// not tell, once the host has removed such a file. The first MiB of them.
[[nodiscard]] Result<void> noteReplaced(const std::filesystem::path& sessionDirectory,
                                        const std::vector<std::string>& paths);
/// Adds them; nothing where the session did not come to its end.
[[nodiscard]] Result<void> addReplaced(const std::filesystem::path& sessionDirectory,
                                       std::set<std::string>& paths);

/// Opens (O_PATH) the directory that the session worked on; Conflict where another one is in its place.
[[nodiscard]] Result<UniqueFd> openRoot(const WorkspaceRoot& root);

/// Whether each is still there: what waits for another directory can be decided about nowhere.
[[nodiscard]] bool areRootsThere(const std::filesystem::path& sessionDirectory);

} // namespace revet::session
