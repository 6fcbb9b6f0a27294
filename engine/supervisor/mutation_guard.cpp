// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/mutation_guard.h"

#include "engine/domain/display_escape.h"
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

namespace {

constexpr std::string_view kUnknownContent
    = "what it writes is not known yet; while it has the file open it can go on writing";

Refusal askable(std::string rule, std::string_view path)
{
    return {std::move(rule), EACCES, Crossing{AskKind::RunLater, std::string(path), {}}};
}

/// For what is a part of something larger, which nobody would want to be asked about piece by piece.
Judgement withoutQuestion(Judgement refusal)
{
    if (refusal) {
        refusal->crossing.reset();
    }
    return refusal;
}

} // namespace

Judgement MutationGuard::unlessPermitted(Judgement refusal, std::string_view how) const
{
    if (!refusal || !refusal->crossing) {
        return refusal;
    }
    // Names in it are the box's, and must not look like lines of what is shown.
    refusal->crossing->why = displayEscape(refusal->rule) + "; " + std::string(how);
    return m_question.isPermitted(*refusal->crossing) ? Judgement() : refusal;
}

Judgement MutationGuard::protectedByGit(std::string_view path, const GitFinding& finding) const
{
    // Its configuration is judged by content, and comes by git's own way; other links are nobody's to give.
    return finding.entry == GitEntry::Protected ? askable(gitRule("protected", finding.inside), path)
                                                : Refusal{gitRule("protected", finding.inside)};
}

bool MutationGuard::isRunLater(std::string_view path) const
{
    const Judgement refusal = pinned(path);
    return (refusal && refusal->crossing) || m_git.find(path).entry == GitEntry::Protected;
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
            return askable("run-later: " + match->entry, path);
        }
    }
    return {};
}

Judgement MutationGuard::pinned(std::string_view path, EntryKind kind) const
{
    if (auto refusal = pinned(path); refusal || kind != EntryKind::Symlink) {
        // What is neither has no content that anybody could be shown.
        const bool isPlain = kind == EntryKind::File || kind == EntryKind::Directory;
        return isPlain ? refusal : withoutQuestion(std::move(refusal));
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
    if (auto refusal = unlessPermitted(pinned(path), kUnknownContent)) {
        return refusal;
    }
    if (finding.entry != GitEntry::Ordinary && finding.entry != GitEntry::DirectoryOnly) {
        return unlessPermitted(protectedByGit(path, finding), kUnknownContent);
    }
    return {};
}

Judgement MutationGuard::changingMode(std::string_view path) const
{
    constexpr std::string_view kHow = "its mode is to change, as to be executable";
    if (auto refusal = unlessPermitted(pinned(path), kHow)) {
        return refusal;
    }
    const GitFinding finding = m_git.find(path);
    return finding.entry == GitEntry::Protected ? unlessPermitted(protectedByGit(path, finding), kHow)
                                                : Judgement();
}

Judgement MutationGuard::creating(const Place& place, EntryKind kind, std::string_view text,
                                  ContentJudge contentJudge, std::string_view shown) const
{
    const std::string path = place.path();
    const std::string_view how = !shown.empty() ? shown
        : kind == EntryKind::Directory          ? "a directory is to be made"
                                                : kUnknownContent;
    if (auto refusal = maskedBy(m_masked, path)) {
        return refusal;
    }
    if (auto refusal = unlessPermitted(pinned(path, kind), how)) {
        return refusal;
    }
    const bool isJudged = contentJudge == ContentJudge::Caller && kind == EntryKind::File
        && m_git.find(path).isJudgedByContent();
    if (!isJudged) {
        auto refusal = m_git.creating(path, kind, text);
        if (refusal && kind == EntryKind::File) {
            const GitFinding finding = m_git.find(path);
            if (finding.entry == GitEntry::Protected
                && refusal->rule == gitRule("protected", finding.inside)) {
                refusal = unlessPermitted(protectedByGit(path, finding), how);
            }
        }
        if (refusal) {
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
    TreeScan scan(
        m_git, [this](std::string_view path, EntryKind kind) { return withoutQuestion(pinned(path, kind)); });
    return scan.becomingGitdir(place.directory.get(), place.directoryPath);
}

Judgement MutationGuard::removing(const Place& place, EntryKind kind) const
{
    const std::string path = place.path();
    if (auto refusal = maskedBy(m_masked, path)) {
        return refusal;
    }
    constexpr std::string_view kHow = "it is to be removed, or moved elsewhere";
    if (auto refusal = unlessPermitted(pinned(path), kHow)) {
        return kind == EntryKind::Directory ? withoutQuestion(std::move(refusal)) : refusal;
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
    return unlessPermitted(protectedByGit(path, finding), kHow);
}

Judgement MutationGuard::linking(std::string_view path) const
{
    if (auto refusal = maskedBy(m_masked, path)) {
        return refusal;
    }
    const GitFinding finding = m_git.find(path);
    if (auto refusal = pinned(path)) {
        return withoutQuestion(std::move(refusal));
    }
    if (finding.entry != GitEntry::Ordinary && finding.entry != GitEntry::DirectoryOnly) {
        return Refusal{gitRule("protected", finding.inside)};
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
            return withoutQuestion(std::move(refusal));
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
    TreeScan scan(
        m_git, [this](std::string_view path, EntryKind kind) { return withoutQuestion(pinned(path, kind)); });
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
