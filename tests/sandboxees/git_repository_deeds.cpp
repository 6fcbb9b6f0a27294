// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Whole repositories: the real one moved away and back, copied, replaced, or another one embedded.

#include "tests/sandboxees/deed.h"
#include "tests/sandboxees/git_deeds.h"

#include <array>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::victim {

namespace {

std::string evilConfig(const GitPayload& payload)
{
    return "[core]\n\trepositoryformatversion = 0\n\tbare = false\n" + payload.config();
}

/// A repository with everything planted, under a name that means nothing to git.
int evilRepository(const std::string& directory, const GitPayload& payload)
{
    if (const int failed = makeBareShape(directory); failed != 0) {
        return failed;
    }
    if (const int failed = makeDirectories(directory + "/hooks"); failed != 0) {
        return failed;
    }
    if (const int failed = writeNew(directory + "/hooks/pre-commit", payload.script()); failed != 0) {
        return failed;
    }
    return writeNew(directory + "/config", evilConfig(payload));
}

/// For a directory in which git would be started: it is repository and work tree at once.
int evilEmbeddedConfig(const std::string& directory, const GitPayload& payload)
{
    return writeNew(directory + "/config", evilConfig(payload) + "[core]\n\tworktree = .\n");
}

int parentMoved(const GitPayload& payload)
{
    const int moved = move(".git", "git-aside");
    static_cast<void>(makeDirectories(".git/hooks"));
    const int planted = appendText(".git/hooks/pre-commit", payload.script());
    // Put back what makes it a repository, else the hook would never run.
    static_cast<void>(makeBareShape(".git"));
    return planted != 0 ? planted : moved;
}

int movedAndBack(const GitPayload& payload)
{
    const int moved = move(".git", "git-aside");
    if (moved != 0) {
        return moved;
    }
    static_cast<void>(appendText("git-aside/hooks/pre-commit", payload.script()));
    const int edited = appendText("git-aside/config", payload.config());
    const int back = move("git-aside", ".git");
    return edited != 0 ? edited : back;
}

int exchanged(const GitPayload& payload)
{
    const int made = evilRepository("evil", payload);
    const int swapped = outcome(::renameat2(AT_FDCWD, "evil", AT_FDCWD, ".git", RENAME_EXCHANGE));
    return made != 0 ? made : swapped;
}

int replacedBySymlink(const GitPayload& payload)
{
    const int made = evilRepository("evil", payload);
    static_cast<void>(move(".git", "git-aside"));
    const int linked = outcome(::symlink("evil", ".git"));
    return made != 0 ? made : linked;
}

int replacedByGitFile(const GitPayload& payload)
{
    const int made = evilRepository("evil", payload);
    static_cast<void>(move(".git", "git-aside"));
    const int written = appendText(".git", "gitdir: evil\n", O_EXCL);
    return made != 0 ? made : written;
}

int nestedNew(const GitPayload& payload)
{
    const int made = makeDirectories("nested");
    return made != 0 ? made : evilRepository("nested/.git", payload);
}

int nestedByRename(const GitPayload& payload)
{
    static_cast<void>(makeDirectories("renamed"));
    const int made = evilRepository("renamed/innocent", payload);
    const int moved = move("renamed/innocent", "renamed/.git");
    return made != 0 ? made : moved;
}

int nestedByParentRename(const GitPayload& payload)
{
    // The gitdir's own name never changes; a directory above it does.
    static_cast<void>(makeDirectories("outer"));
    const int made = evilRepository("outer/.git", payload);
    const int moved = move("outer", "outer-renamed");
    return made != 0 ? made : moved;
}

int embeddedBare(const GitPayload& payload)
{
    const int made = evilRepository("embedded", payload);
    return made != 0 ? made : evilEmbeddedConfig("embedded", payload);
}

/// The same, but what makes it a repository comes last.
int embeddedBareCompletedLast(const GitPayload& payload)
{
    static_cast<void>(makeDirectories("late/objects"));
    static_cast<void>(makeDirectories("late/refs/heads"));
    const int config = evilEmbeddedConfig("late", payload);
    const int head = writeNew("late/HEAD", "ref: refs/heads/main\n");
    return config != 0 ? config : head;
}

int embeddedBareByRename(const GitPayload& payload)
{
    static_cast<void>(makeDirectories("slow/objects"));
    static_cast<void>(makeDirectories("slow/references/heads"));
    static_cast<void>(writeNew("slow/HEAD", "ref: refs/heads/main\n"));
    const int config = evilEmbeddedConfig("slow", payload);
    const int completed = move("slow/references", "slow/refs");
    return config != 0 ? config : completed;
}

int ofSubmodule(const GitPayload& payload)
{
    static_cast<void>(makeDirectories("submodule"));
    static_cast<void>(writeNew("submodule/.git", "gitdir: ../.git/modules/canary\n"));
    return evilRepository(".git/modules/canary", payload);
}

int commonDirectory(const GitPayload& payload)
{
    const int made = evilRepository("evil", payload);
    const int written = appendText(".git/commondir", "../evil\n");
    return made != 0 ? made : written;
}

int ofLinkedWorktree(const GitPayload& payload)
{
    const int made = evilRepository("evil", payload);
    static_cast<void>(makeDirectories(".git/worktrees/canary"));
    static_cast<void>(makeDirectories("worktree"));
    static_cast<void>(writeNew(".git/worktrees/canary/HEAD", "ref: refs/heads/main\n"));
    static_cast<void>(writeNew("worktree/.git", "gitdir: ../.git/worktrees/canary\n"));
    const int written = writeNew(".git/worktrees/canary/commondir", "../../../evil\n");
    return made != 0 ? made : written;
}

constexpr std::array<GitDeed, 14> kDeeds{{{"parent-moved", parentMoved},
                                          {"moved-and-back", movedAndBack},
                                          {"repository-exchanged", exchanged},
                                          {"repository-symlink", replacedBySymlink},
                                          {"repository-gitfile", replacedByGitFile},
                                          {"nested-new", nestedNew},
                                          {"nested-rename", nestedByRename},
                                          {"nested-parent-rename", nestedByParentRename},
                                          {"embedded-bare", embeddedBare},
                                          {"embedded-bare-late", embeddedBareCompletedLast},
                                          {"embedded-bare-rename", embeddedBareByRename},
                                          {"submodule", ofSubmodule},
                                          {"commondir", commonDirectory},
                                          {"linked-worktree", ofLinkedWorktree}}};

} // namespace

std::span<const GitDeed> repositoryDeeds()
{
    return kDeeds;
}

} // namespace revet::victim
