// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/mutation_guard.h"

#include "engine/domain/store_name.h"
#include "engine/supervisor/tree_scan.h"

#include <algorithm>

#include <fcntl.h>

namespace revet::supervisor {

using policy::GitEntry;

Judgement maskedBy(const std::vector<std::string>& masks, std::string_view path)
{
    const bool isBusy = std::any_of(masks.begin(), masks.end(), [path](std::string_view hidden) {
        return hidden.starts_with(path) && (hidden.size() == path.size() || hidden[path.size()] == '/');
    });
    return isBusy ? Judgement(Refusal{"hidden table", EBUSY}) : Judgement();
}

Judgement MutationGuard::keptByUndo(std::string_view path) const
{
    const Root* const root = m_resolver.rootOf(path);
    return root != nullptr && isInStore(relativeTo(*root, path))
        ? Judgement(Refusal{"undo: its own directory"})
        : Judgement();
}

Judgement MutationGuard::pinned(std::string_view path) const
{
    if (auto refusal = keptByUndo(path)) {
        return refusal;
    }
    // In a gitdir git's own rules decide, entry by entry, and what the host's configuration names. What only
    // resembles the name (git~1, .GIT) is an ordinary directory on most file systems.
    if (const Root* root = m_resolver.rootOf(path); root != nullptr) {
        policy::GitSplit split;
        const bool isInGitdir
            = path.find("/.git/") != std::string_view::npos && policy::isBelowGitdir(path, &split);
        const auto match = isInGitdir ? (policy::classifyGitEntry(split.inside) == GitEntry::Ordinary
                                             ? m_runLater.matchInGitdir(split.inside)
                                             : std::nullopt)
                                      : m_runLater.match(relativeTo(*root, path));
        if (match && match->cls == policy::RunLaterClass::Pinned) {
            return Refusal{"run-later: " + match->entry};
        }
    }
    return {};
}

Judgement MutationGuard::pinned(std::string_view path, EntryKind kind) const
{
    if (auto refusal = pinned(path); refusal || kind != EntryKind::Symlink) {
        return refusal;
    }
    if (m_git.leadsToWorkTree(path)) {
        return Refusal{gitRule("a link in place of a work tree", nameOf(path))};
    }
    // A link of that name is as good as the files behind it.
    if (const Root* root = m_resolver.rootOf(path); root != nullptr
        && path.find("/.git/") == std::string_view::npos
        && m_runLater.couldHoldPinned(relativeTo(*root, path))) {
        return Refusal{"run-later: a link named " + std::string(nameOf(path))};
    }
    return {};
}

Judgement MutationGuard::changing(std::string_view path, const GitFinding& finding) const
{
    if (auto refusal = pinned(path)) {
        return refusal;
    }
    if (finding.entry != GitEntry::Ordinary && finding.entry != GitEntry::DirectoryOnly) {
        return Refusal{gitRule("protected", finding.inside)};
    }
    return {};
}

Judgement MutationGuard::changingMode(std::string_view path) const
{
    if (auto refusal = pinned(path)) {
        return refusal;
    }
    const GitFinding finding = m_git.find(path);
    return finding.entry == GitEntry::Protected ? Refusal{gitRule("protected", finding.inside)} : Judgement();
}

Judgement MutationGuard::creating(const Place& place, EntryKind kind, std::string_view text,
                                  ContentJudge contentJudge) const
{
    const std::string path = place.path();
    if (auto refusal = maskedBy(m_masked, path)) {
        return refusal;
    }
    if (auto refusal = pinned(path, kind)) {
        return refusal;
    }
    const bool isJudged = contentJudge == ContentJudge::Caller && kind == EntryKind::File
        && m_git.find(path).isJudgedByContent();
    if (!isJudged) {
        if (auto refusal = m_git.creating(path, kind, text)) {
            return refusal;
        }
    }
    return completing(place);
}

Judgement MutationGuard::completing(const Place& place) const
{
    if (!GitGuard::wouldComplete(place.directory.get(), place.name)) {
        return {};
    }
    TreeScan scan(m_git, [this](std::string_view path, EntryKind kind) { return pinned(path, kind); });
    return scan.becomingGitdir(place.directory.get(), place.directoryPath);
}

Judgement MutationGuard::removing(const Place& place, EntryKind kind) const
{
    const std::string path = place.path();
    if (auto refusal = maskedBy(m_masked, path)) {
        return refusal;
    }
    if (auto refusal = pinned(path)) {
        return refusal;
    }
    const GitFinding finding = m_git.find(path);
    const bool isKept = finding.entry == GitEntry::Protected || finding.entry == GitEntry::Config;
    if (!isKept || kind == EntryKind::Directory || isBorn(finding.gitdir)) {
        return {};
    }
    // A linked worktree is the box's to remove; git writes its config.worktree and nothing else there.
    if (nameOf(parentOf(finding.gitdir)) == "worktrees" && GitGuard::isInGitdirByName(finding.gitdir)) {
        return {};
    }
    return Refusal{gitRule("protected", finding.inside)};
}

Judgement MutationGuard::linking(std::string_view path) const
{
    if (auto refusal = maskedBy(m_masked, path)) {
        return refusal;
    }
    const GitFinding finding = m_git.find(path);
    if (auto refusal = changing(path, finding)) {
        return refusal;
    }
    return finding.isDotGit ? Refusal{gitRule("protected", ".git")} : Judgement();
}

Judgement MutationGuard::movingDirectory(const Place& from, const Place& to) const
{
    const std::string oldPath = from.path();
    const std::string newPath = to.path();
    for (const std::string* path : {&oldPath, &newPath}) {
        if (auto refusal = maskedBy(m_masked, *path)) {
            return refusal;
        }
        if (auto refusal = pinned(*path)) {
            return refusal;
        }
    }
    struct stat status = {};
    if (::fstatat(from.directory.get(), (from.name + '/' + ownStoreName()).c_str(), &status,
                  AT_SYMLINK_NOFOLLOW)
        == 0) {
        return Refusal{"undo: holds its own directory", EBUSY};
    }
    if (auto refusal = completing(to)) {
        return refusal;
    }
    const auto isSensitive = [this](const Place& place, const std::string& path) {
        return policy::isGitStructureName(place.name)
            || m_runLater.couldHoldPinned(relativeTo(*place.root, path)) || m_git.leadsToWorkTree(path)
            || m_git.isInGitdir(path);
    };
    const auto isForDependencies = [this](const Place& place, const std::string& path) {
        return m_runLater.isForDependencies(relativeTo(*place.root, path));
    };
    if (!isSensitive(from, oldPath) && !isSensitive(to, newPath)
        && isForDependencies(from, oldPath) == isForDependencies(to, newPath)) {
        return {};
    }
    const UniqueFd directory(
        ::openat(from.directory.get(), from.name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    TreeScan scan(m_git, [this](std::string_view path, EntryKind kind) { return pinned(path, kind); });
    return scan.moving(directory.get(), oldPath, newPath);
}

void MutationGuard::madeDirectory(const Place& place)
{
    struct stat status = {};
    if (m_born.size() < kMaximumBorn
        && ::fstatat(place.directory.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        m_born.insert(keyOf(status));
    }
}

bool MutationGuard::isBorn(const std::string& gitdir) const
{
    const auto found = m_resolver.object(m_resolver.claimOf(gitdir), LastLink::Keep);
    return found && m_born.contains(keyOf(found->status));
}

} // namespace revet::supervisor
