// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/session_commit.h"

#include "engine/base/scope_exit.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/tree_path.h"

#include <git2.h>
#include <sys/stat.h>

namespace revet::workspace {

namespace {

/// One that is larger is not read into memory.
constexpr std::size_t kLargestFile = std::size_t{512} << 20U;
constexpr const char* kIgnoreFile = ".gitignore";

struct FreeIndex
{
    void operator()(git_index* index) const noexcept { ::git_index_free(index); }
    void operator()(git_commit* commit) const noexcept { ::git_commit_free(commit); }
    void operator()(git_tree* tree) const noexcept { ::git_tree_free(tree); }
    void operator()(git_signature* signature) const noexcept { ::git_signature_free(signature); }
    void operator()(git_config* config) const noexcept { ::git_config_free(config); }
};
template<typename Object>
using Git = std::unique_ptr<Object, FreeIndex>;

Git<git_commit> commitOf(git_repository* repository, const std::string& hex)
{
    git_oid oid = {};
    git_commit* commit = nullptr;
    const bool isFound = !hex.empty() && ::git_oid_fromstr(&oid, hex.c_str()) == 0
        && ::git_commit_lookup(&commit, repository, &oid) == 0;
    return Git<git_commit>(isFound ? commit : nullptr);
}

Git<git_tree> treeOf(const Git<git_commit>& commit)
{
    git_tree* tree = nullptr;
    const bool isFound = commit && ::git_commit_tree(&tree, commit.get()) == 0;
    return Git<git_tree>(isFound ? tree : nullptr);
}

Result<git_oid> writeBlob(git_repository* repository, ChangeSource& source, const Change& change)
{
    std::string text = change.after.target;
    if (change.after.type == EntryType::File) {
        REVET_ASSIGN_OR_RETURN(const UniqueFd file, source.openAfter(change));
        REVET_ASSIGN_OR_RETURN(text, readContent(file, kLargestFile));
    }
    git_oid id = {};
    if (::git_blob_create_from_buffer(&id, repository, text.data(), text.size()) != 0) {
        return failGit("write a file's content");
    }
    return id;
}

class Tree
{
public:
    Tree(git_repository* repository, const SessionCommit& commit, ChangeSource& source)
        : m_repository(repository)
        , m_source(source)
        , m_rules(openWorkTree(commit.workTree))
    {
    }
    Result<void> start(const git_tree* base);
    Result<void> add(const Change& change);
    [[nodiscard]] bool isOfSubmodule(const Change& change) const;
    void learnRules(const Change& change);
    Result<git_oid> write();

private:
    [[nodiscard]] bool isKnown(const std::string& path) const;
    [[nodiscard]] bool isIgnored(const std::string& path) const;

    git_repository* m_repository;
    ChangeSource& m_source;
    GitRepository m_rules;
    Git<git_index> m_index;
};

Result<void> Tree::start(const git_tree* base)
{
    git_index* index = nullptr;
    if (::git_index_new(&index) != 0) {
        return failGit("make a commit");
    }
    m_index.reset(index);
    return base == nullptr || ::git_index_read_tree(index, base) == 0 ? Result<void>()
                                                                      : failGit("make a commit");
}

/// Of a file that the session wrote, which the host's directory does not have.
void Tree::learnRules(const Change& change)
{
    if (change.path != kIgnoreFile || change.after.type != EntryType::File || !m_rules) {
        return;
    }
    const Result<UniqueFd> file = m_source.openAfter(change);
    const Result<std::string> text = file ? readContent(*file, kLargestFile) : Result<std::string>("");
    // Without them more is committed than need be, which shows.
    static_cast<void>(::git_ignore_add_rule(m_rules.get(), text.value_or("").c_str()));
}

bool Tree::isKnown(const std::string& path) const
{
    return ::git_index_get_bypath(m_index.get(), path.c_str(), 0) != nullptr;
}

bool Tree::isOfSubmodule(const Change& change) const
{
    // The directory itself may go, and something else come in its place.
    std::string path = change.after.type == EntryType::Directory ? change.path : parentOf(change.path);
    for (; !path.empty(); path = parentOf(path)) {
        const git_index_entry* const entry = ::git_index_get_bypath(m_index.get(), path.c_str(), 0);
        if (entry != nullptr && entry->mode == GIT_FILEMODE_COMMIT) {
            return true;
        }
    }
    return false;
}

bool Tree::isIgnored(const std::string& path) const
{
    int isIgnored = 0;
    return m_rules && ::git_ignore_path_is_ignored(&isIgnored, m_rules.get(), path.c_str()) == 0
        && isIgnored != 0;
}

Result<void> Tree::add(const Change& change)
{
    if (change.kind == Change::Kind::Renamed && isKnown(change.from)) {
        ::git_index_remove(m_index.get(), change.from.c_str(), 0);
    }
    const EntryType type = change.after.type;
    if (type != EntryType::File && type != EntryType::Link) {
        if (isKnown(change.path)) {
            ::git_index_remove(m_index.get(), change.path.c_str(), 0);
        }
        return {};
    }
    if (!isKnown(change.path) && isIgnored(change.path)) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(const git_oid blob, writeBlob(m_repository, m_source, change));
    git_index_entry entry = {};
    entry.path = change.path.c_str();
    entry.id = blob;
    entry.mode = type == EntryType::Link     ? GIT_FILEMODE_LINK
        : (change.after.mode & S_IXUSR) != 0 ? GIT_FILEMODE_BLOB_EXECUTABLE
                                             : GIT_FILEMODE_BLOB;
    return ::git_index_add(m_index.get(), &entry) == 0 ? Result<void>() : failGit("commit " + change.path);
}

Result<git_oid> Tree::write()
{
    git_oid id = {};
    if (::git_index_write_tree_to(&id, m_index.get(), m_repository) != 0) {
        return failGit("make a commit");
    }
    return id;
}

std::string valueOf(git_config* config, const char* key)
{
    git_config_entry* entry = nullptr;
    if (config == nullptr || ::git_config_get_entry(&entry, config, key) != 0) {
        return {};
    }
    std::string value(entry->value);
    ::git_config_entry_free(entry);
    return value;
}

} // namespace

GitPerson gitPersonOf(int workTree, const std::vector<std::filesystem::path>& configurations)
{
    std::vector<Git<git_config>> configs;
    const GitRepository repository = startGit() ? openWorkTree(workTree) : nullptr;
    git_config* config = nullptr;
    if (repository && ::git_repository_config(&config, repository.get()) == 0) {
        configs.emplace_back(config);
    }
    for (const std::filesystem::path& path : configurations) {
        if (::git_config_open_ondisk(&config, path.c_str()) == 0) {
            configs.emplace_back(config);
        }
    }
    GitPerson person;
    for (const Git<git_config>& one : configs) {
        person.name = person.name.empty() ? valueOf(one.get(), "user.name") : person.name;
        person.mail = person.mail.empty() ? valueOf(one.get(), "user.email") : person.mail;
    }
    person.name = person.name.empty() ? "Revet" : person.name;
    person.mail = person.mail.empty() ? "revet@localhost" : person.mail;
    return person;
}

Result<std::string> writeCommit(git_repository* repository, const SessionCommit& commit, ChangeSource& source,
                                const std::vector<Change>& changes, std::vector<HeldChange>& leftOut)
{
    const Git<git_commit> head = commitOf(repository, commit.head);
    const Git<git_commit> parent = commitOf(repository, commit.parent);
    Tree tree(repository, commit, source);
    REVET_RETURN_IF_ERROR(tree.start(treeOf(head).get()));
    for (const Change& change : changes) {
        tree.learnRules(change);
    }
    // What goes away first: a directory may come where a file was.
    for (const bool isGone : {true, false}) {
        for (const Change& change : changes) {
            if (change.after.exists() == isGone) {
                continue;
            }
            if (tree.isOfSubmodule(change)) {
                leftOut.push_back({change.path, Hold::Unfit, "it is a submodule's"});
            } else {
                REVET_RETURN_IF_ERROR(tree.add(change));
            }
        }
    }
    REVET_ASSIGN_OR_RETURN(const git_oid written, tree.write());
    if (parent && ::git_oid_equal(&written, ::git_commit_tree_id(parent.get())) != 0) {
        return std::string();
    }
    git_signature* made = nullptr;
    if (::git_signature_now(&made, commit.person.name.c_str(), commit.person.mail.c_str()) != 0) {
        return failGit("make a commit");
    }
    const Git<git_signature> signature(made);
    git_tree* lookedUp = nullptr;
    if (::git_tree_lookup(&lookedUp, repository, &written) != 0) {
        return failGit("make a commit");
    }
    const Git<git_tree> content(lookedUp);
    const git_commit* parents[] = {parent.get()};
    git_oid id = {};
    if (::git_commit_create(&id, repository, nullptr, made, made, nullptr, commit.message.c_str(), lookedUp,
                            parent ? 1 : 0, parents)
        != 0) {
        return failGit("make a commit");
    }
    return hexOf(id);
}

} // namespace revet::workspace
