// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// What an entry of a gitdir is to rules G1 to G3 (names are relative to the gitdir: "config", "hooks/x").
enum class GitEntry : std::uint8_t {
    Ordinary, ///< objects, refs, logs, index, HEAD, worktrees/…: free
    Config, ///< config, config.worktree: only installed through judgeGitConfig() and a fresh inode
    Protected, ///< hooks/* but samples, hooks itself as a non-directory, info/attributes, …: never by the box
    CommonDir, ///< commondir: free only below worktrees/ with the content "../.."
    Alternates, ///< objects/info/alternates: free only when every line resolves inside the project
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

struct GitConfigEntry
{
    std::string
        key; ///< canonical: "remote.origin.url", section and name in lower case, subsection as written
    std::string value;
    bool hasValue = true; ///< "[core] bare" alone means true
};
/// A total parser of its own for a gitconfig file: fails on anything it is not sure of (NUL, continuation
/// lines, more than 64 KiB, unknown escapes).
[[nodiscard]] Result<std::vector<GitConfigEntry>> parseGitConfig(std::string_view text);

struct GitConfigVerdict
{
    bool isHarmless = false;
    std::string offending; ///< "core.fsmonitor = evil", or why it could not be read
};
/// Whether replacing `before` (the host's present content, empty when there is none) by `after` adds or
/// changes harmless keys only (rule G2). `resolvesInsideProject` answers for core.worktree's relative path.
[[nodiscard]] GitConfigVerdict
judgeGitConfig(std::string_view before, std::string_view after,
               const std::function<bool(std::string_view)>& resolvesInsideProject);

} // namespace revet::policy
