// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

enum class GitObjectType : std::uint8_t { Commit, Tree, Blob, Tag };

/// One object that another one names.
struct GitLink
{
    std::string id; ///< 20 bytes
    GitObjectType type = GitObjectType::Blob;
    bool isModules = false; ///< a .gitmodules file
};

/// What an object names, commits of submodules aside. Fails as Malformed on whatever `git fsck --strict`
/// calls an error, and in trees on what it warns of: a box made the object, and git on the host will read it.
[[nodiscard]] Result<std::vector<GitLink>> readGitObject(GitObjectType type, std::string_view bytes);
/// Whether a .gitmodules file names nothing that git took for an option, a command or a way out.
[[nodiscard]] bool areHarmlessModules(std::string_view text);

} // namespace revet::policy
