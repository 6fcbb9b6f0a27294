// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/committed_text.h"

#include "engine/base/scope_exit.h"

#include <git2.h>

namespace revet::workspace {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kMostCommits = 10'000;

} // namespace

Result<CommittedText> CommittedText::open(int workTree, std::int64_t before)
{
    REVET_RETURN_IF_ERROR(startGit());
    GitRepository repository = openWorkTree(workTree);
    git_oid oid = {};
    git_commit* commit = nullptr;
    bool isFound = repository && ::git_reference_name_to_id(&oid, repository.get(), "HEAD") == 0
        && ::git_commit_lookup(&commit, repository.get(), &oid) == 0;
    for (int i = 0; isFound && ::git_commit_time(commit) > before / kSecond; ++i) {
        git_commit* parent = nullptr;
        isFound = i < kMostCommits && ::git_commit_parent(&parent, commit, 0) == 0;
        ::git_commit_free(commit);
        commit = parent;
    }
    if (!isFound) {
        return fail(ErrorCode::NotFound, "find what the session began with",
                    "git has no commit of that time");
    }
    std::string hex = hexOf(*::git_commit_id(commit));
    ::git_commit_free(commit);
    return CommittedText(std::move(repository), std::move(hex));
}

Result<std::string> CommittedText::at(const std::string& path) const
{
    git_oid oid = {};
    git_commit* commit = nullptr;
    git_object* blob = nullptr;
    git_tree* tree = nullptr;
    git_tree_entry* entry = nullptr;
    const ScopeExit freed([&] {
        ::git_object_free(blob);
        ::git_tree_entry_free(entry);
        ::git_tree_free(tree);
        ::git_commit_free(commit);
    });
    const bool isFound = ::git_oid_fromstr(&oid, m_commit.c_str()) == 0
        && ::git_commit_lookup(&commit, m_repository.get(), &oid) == 0
        && ::git_commit_tree(&tree, commit) == 0 && ::git_tree_entry_bypath(&entry, tree, path.c_str()) == 0
        && (::git_tree_entry_filemode(entry) & GIT_FILEMODE_BLOB) == GIT_FILEMODE_BLOB
        && ::git_tree_entry_to_object(&blob, m_repository.get(), entry) == 0;
    if (!isFound) {
        return fail(ErrorCode::NotFound, "find what the session began with",
                    path + " was not committed then");
    }
    const auto* const file = reinterpret_cast<const git_blob*>(blob); // NOLINT: a file's object is a blob
    return std::string(static_cast<const char*>(::git_blob_rawcontent(file)),
                       static_cast<std::size_t>(::git_blob_rawsize(file)));
}

} // namespace revet::workspace
