// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/places.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::session {

/// The directory that a session is about, and what belongs to it elsewhere.
struct FoundProject
{
    std::string path; ///< absolute, canonical
    /// The repository's common directory when the project is a linked worktree whose gitdir lies elsewhere.
    std::vector<std::string> sideRoots;
};

/// The project of a request: the one that was named, else the git work tree around `currentDirectory`, else
/// that directory. Refused: "/", HOME, directories above HOME, and whatever holds or lies in Revet's own
/// data.
[[nodiscard]] Result<FoundProject> findProject(const std::optional<std::string>& named,
                                               const std::string& currentDirectory, const std::string& home,
                                               const Places& places);

/// Whether `path` is `directory` or lies below it; both absolute and canonical. Compares whole components.
[[nodiscard]] bool isWithin(std::string_view path, std::string_view directory);

} // namespace revet::session
