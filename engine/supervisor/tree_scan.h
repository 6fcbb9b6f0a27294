// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/git_guard.h"

#include <functional>
#include <string>
#include <vector>

namespace revet::supervisor {

/// Looks through a directory that is about to change its meaning: renamed to or from a name that protects
/// what is below it (rule G4), or about to have the shape of a gitdir (rule G0). Entries that come under a
/// rule must obey it; judged files are replaced by fresh inodes, since a process of the box may still be able
/// to write to the old ones. Bounded; what is too large is refused.
class TreeScan
{
public:
    using PinnedTest = std::function<Judgement(std::string_view path, EntryKind kind)>;

    TreeScan(const GitGuard& git, PinnedTest pinned)
        : m_git(git)
        , m_pinned(std::move(pinned))
    {
    }

    [[nodiscard]] Judgement moving(int directory, const std::string& oldPath, const std::string& newPath);
    [[nodiscard]] Judgement becomingGitdir(int directory, const std::string& path);

private:
    /// One side of a move: where things are, or will be, and which prefixes of that path are gitdirs.
    struct Side
    {
        std::string path;
        std::vector<std::size_t> gitdirs;

        [[nodiscard]] Side below(const std::string& name) const { return {path + '/' + name, gitdirs}; }
        [[nodiscard]] GitFinding find() const;
        [[nodiscard]] bool isInGitdir() const;
    };
    struct Entry
    {
        int directory = -1;
        std::string name;
        struct stat status
        {
        };
    };

    [[nodiscard]] Judgement walk(int directory, const Side& before, const Side& after, int depth);
    [[nodiscard]] Judgement judge(const Entry& entry, const Side& before, const Side& after) const;
    [[nodiscard]] Judgement judgeContent(const Entry& entry, const GitFinding& finding,
                                         const Side& after) const;

    const GitGuard& m_git;
    PinnedTest m_pinned;
    int m_left = 10'000;
};

} // namespace revet::supervisor
