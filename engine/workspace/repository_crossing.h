// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/apply.h"
#include "engine/workspace/object_crossing.h"
#include "engine/workspace/review.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace revet::workspace {

/// A ref of the box's repository, and where its commits arrive.
struct RefCrossing
{
    std::string name; ///< "refs/heads/main"; "HEAD" for commits that no branch holds
    std::string arrivesAs; ///< the same, or "refs/heads/revet/k3f9q2/main"
    std::string before; ///< what the host has there, in hexadecimal; empty: nothing
    std::string after;
    bool isCheckedOut = false; ///< the host's HEAD leads to it, so the index is behind now
};

/// What is to be done so that one repository's commits arrive.
struct RepositoryPlan
{
    std::string gitdir; ///< relative to the tree; "" is the tree itself
    std::vector<RefCrossing> refs;
    std::vector<Operation> operations; ///< the refs as files, and their logs
    std::vector<HeldChange> held; ///< paths as of operations
    std::unique_ptr<ObjectCrossing> objects; ///< to be placed before the operations are done

    [[nodiscard]] Result<void> placeObjects() const;
};

/// Where a repository crosses to.
struct CrossingPlace
{
    int tree = -1; ///< borrowed
    int workTree = -1; ///< borrowed; where the commits' files would lie
    std::string head = "HEAD"; ///< the work tree's, below the gitdir
    const Bases& bases;
    const policy::RunLaterTable& table;
    std::string session;
    std::filesystem::path scratch; ///< an empty directory of ours
};

/// For each repository that the host has as well. Nothing is changed outside of the scratch directory. A ref
/// takes its own place where the host left it as it was, or where nothing is lost by it; else one of its own.
[[nodiscard]] Result<std::vector<RepositoryPlan>> planRepositories(ChangeSource& source,
                                                                   const std::vector<ReviewItem>& items,
                                                                   const CrossingPlace& place,
                                                                   const ApplyChoice& choice);

/// A commit that is made here, for the branch "revet/SESSION", or "revet/SESSION/commit" where that has no
/// room. `make` gets the host's present commit and that of the branch, either may be empty, and writes to the
/// repository; empty: there is nothing to commit.
using MakeCommit = std::function<Result<std::string>(git_repository* repository, const std::string& head,
                                                     const std::string& tip)>;
[[nodiscard]] Result<RepositoryPlan> planCommit(ChangeSource& source, const CrossingPlace& place,
                                                const std::string& gitdir, const MakeCommit& make);

/// Whether the host has a repository there.
[[nodiscard]] bool isHostsRepository(int tree, const std::string& gitdir);
/// Whether git takes a lock beside the file while it changes it: refs and configuration. `isGitdir`: the
/// tree is a repository's own directory.
[[nodiscard]] bool hasGitLock(const std::string& path, bool isGitdir);

} // namespace revet::workspace
