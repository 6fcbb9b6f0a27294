// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/commit_changes.h"

#include "engine/base/scope_exit.h"
#include "engine/workspace/memory_file.h"

#include <git2.h>
#include <sys/stat.h>

namespace revet::workspace {

namespace {

constexpr std::size_t kMostChanges = 500'000;

struct FreeTree
{
    void operator()(git_tree* tree) const noexcept { ::git_tree_free(tree); }
};
using Tree = std::unique_ptr<git_tree, FreeTree>;

/// None for "", and for what is no commit nor a tag of one.
Tree treeOf(git_repository* repository, const std::string& hex)
{
    git_oid oid = {};
    git_object* object = nullptr;
    git_object* tree = nullptr;
    if (hex.empty() || ::git_oid_fromstr(&oid, hex.c_str()) != 0
        || ::git_object_lookup(&object, repository, &oid, GIT_OBJECT_ANY) != 0) {
        return nullptr;
    }
    const int status = ::git_object_peel(&tree, object, GIT_OBJECT_TREE);
    ::git_object_free(object);
    // git_object_peel gave one of the wanted type.
    return Tree(status == 0 ? reinterpret_cast<git_tree*>(tree) : nullptr); // NOLINT
}

Result<std::string> contentOf(git_repository* repository, const std::string& hex)
{
    git_oid oid = {};
    git_blob* blob = nullptr;
    if (::git_oid_fromstr(&oid, hex.c_str()) != 0 || ::git_blob_lookup(&blob, repository, &oid) != 0) {
        return failGit("read a file of a commit");
    }
    std::string text(static_cast<const char*>(::git_blob_rawcontent(blob)),
                     static_cast<std::size_t>(::git_blob_rawsize(blob)));
    ::git_blob_free(blob);
    return text;
}

} // namespace

Result<Entry> CommitChanges::entryOf(const std::string& id, unsigned mode)
{
    Entry entry;
    switch (mode) {
    case GIT_FILEMODE_BLOB:
    case GIT_FILEMODE_BLOB_EXECUTABLE:
        entry.type = EntryType::File;
        entry.mode = mode & (S_IRWXU | S_IRWXG | S_IRWXO);
        entry.links = 1;
        break;
    case GIT_FILEMODE_LINK: {
        entry.type = EntryType::Link;
        REVET_ASSIGN_OR_RETURN(entry.target, contentOf(m_repository, id));
        break;
    }
    case GIT_FILEMODE_COMMIT:
        entry.type = EntryType::Directory; // what a submodule is before it is filled
        break;
    default:
        break;
    }
    return entry;
}

Result<std::vector<Change>> CommitChanges::changes()
{
    const Tree before = treeOf(m_repository, m_before);
    const Tree after = treeOf(m_repository, m_after);
    git_diff_options options = GIT_DIFF_OPTIONS_INIT;
    options.flags = GIT_DIFF_INCLUDE_TYPECHANGE;
    git_diff* made = nullptr;
    if (::git_diff_tree_to_tree(&made, m_repository, before.get(), after.get(), &options) != 0) {
        return failGit("compare two commits");
    }
    const ScopeExit freed([made] { ::git_diff_free(made); });
    const std::size_t count = ::git_diff_num_deltas(made);
    if (count > kMostChanges) {
        return fail(ErrorCode::LimitExceeded, "compare two commits", "more files differ than can be judged");
    }
    std::vector<Change> changes;
    changes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const git_diff_delta* const delta = ::git_diff_get_delta(made, i);
        Change change;
        change.path = delta->new_file.path;
        const std::string old = hexOf(delta->old_file.id);
        const std::string now = hexOf(delta->new_file.id);
        if (delta->status != GIT_DELTA_ADDED) {
            REVET_ASSIGN_OR_RETURN(change.before, entryOf(old, delta->old_file.mode));
        }
        if (delta->status != GIT_DELTA_DELETED) {
            REVET_ASSIGN_OR_RETURN(change.after, entryOf(now, delta->new_file.mode));
        }
        change.kind = !change.before.exists() ? Change::Kind::Added
            : !change.after.exists()          ? Change::Kind::Deleted
                                              : Change::Kind::Modified;
        change.isContentChanged = old != now;
        m_blobs[change.path] = {old, now};
        changes.push_back(std::move(change));
    }
    return changes;
}

Result<UniqueFd> CommitChanges::open(const std::string& path, bool isAfter)
{
    const auto found = m_blobs.find(path);
    if (found == m_blobs.end()) {
        return fail(ErrorCode::NotFound, "read a file of a commit");
    }
    REVET_ASSIGN_OR_RETURN(const std::string text,
                           contentOf(m_repository, isAfter ? found->second.second : found->second.first));
    return openMemoryFile(text);
}

Result<UniqueFd> CommitChanges::openBefore(const Change& change)
{
    return open(change.path, false);
}

bool CommitChanges::hadBefore(const std::string& path) const
{
    const Tree tree = treeOf(m_repository, m_before);
    git_tree_entry* entry = nullptr;
    const bool isThere = tree && ::git_tree_entry_bypath(&entry, tree.get(), path.c_str()) == 0;
    ::git_tree_entry_free(entry);
    return isThere;
}

Result<UniqueFd> CommitChanges::openAfter(const Change& change)
{
    return open(change.path, true);
}

} // namespace revet::workspace
