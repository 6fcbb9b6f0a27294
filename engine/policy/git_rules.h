// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/git_config.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace revet::policy {

/// What an entry of a gitdir is to rules G1 to G3 (names are relative to the gitdir: "config", "hooks/x").
/// Names are folded as vfat and ntfs fold them, since git itself refuses the folded spellings everywhere.
enum class GitEntry : std::uint8_t {
    Ordinary, ///< objects, refs, logs, index, HEAD, worktrees/…: free
    DirectoryOnly, ///< hooks, info, …: free to make or remove as a real directory, never anything else
    Config, ///< config, config.worktree: only installed through judgeGitConfig() and a fresh inode
    Protected, ///< hooks/* but samples, info/attributes, …: never by the box
    CommonDir, ///< commondir: free only where isHarmlessCommonDir()
    Alternates, ///< objects/info/alternates: free only where areHarmlessAlternates()
};
[[nodiscard]] GitEntry classifyGitEntry(std::string_view relativeToGitdir);

/// Splits a path below the project's root at its innermost gitdir as rule G0 names them: a directory named
/// .git, anything below .git/modules/, .git/worktrees/*. Directories that are gitdirs by shape (HEAD,
/// objects, refs) are the caller's to find, by hasGitdirShape() on their entries.
struct GitSplit
{
    std::string gitdir; ///< "sub/.git", "sub/.git/modules/x"
    std::string inside; ///< "config", "hooks/pre-commit", empty for the gitdir itself
};
[[nodiscard]] bool isBelowGitdir(std::string_view relative, GitSplit* split);
/// Whether a directory with these entries is what git would take for a repository.
[[nodiscard]] bool hasGitdirShape(const std::function<bool(std::string_view entry)>& has);
/// Whether an entry of this name, made in any directory, could complete the shape of a gitdir there.
[[nodiscard]] bool completesGitdirShape(std::string_view name);
/// Whether a directory of this name could turn what is in it into protected entries by being renamed (G4).
[[nodiscard]] bool isGitStructureName(std::string_view name);

/// A commondir is free only in a linked worktree's gitdir (".git/worktrees/x") and with the content "../..".
[[nodiscard]] bool isHarmlessCommonDir(std::string_view gitdir, std::string_view content);
/// Every line of objects/info/alternates must resolve inside the project.
[[nodiscard]] bool areHarmlessAlternates(std::string_view content,
                                         const std::function<bool(std::string_view)>& resolvesInsideProject);

} // namespace revet::policy
