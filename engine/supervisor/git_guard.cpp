// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/git_guard.h"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

using policy::GitEntry;

bool hasEntry(int directory, std::string_view name)
{
    struct stat status = {};
    return ::fstatat(directory, std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool isSameName(std::string_view one, std::string_view other)
{
    return one.size() == other.size() && ::strncasecmp(one.data(), other.data(), one.size()) == 0;
}

/// The first letters of every name that classifyGitEntry() does not call ordinary: spares most of the calls.
bool mayBeSpecial(std::string_view suffix)
{
    constexpr std::string_view kFirstLetters = "cChHiImMwWbBrRoO";
    return kFirstLetters.find(suffix.front()) != std::string_view::npos;
}

/// "gitdir: PATH" and one line end, as git writes and reads it.
std::optional<std::string> gitfileTarget(std::string_view content)
{
    constexpr std::string_view kPrefix = "gitdir: ";
    if (!content.starts_with(kPrefix)) {
        return std::nullopt;
    }
    content.remove_prefix(kPrefix.size());
    while (content.ends_with('\n') || content.ends_with('\r')) {
        content.remove_suffix(1);
    }
    if (content.empty() || content.find('\0') != std::string_view::npos
        || content.find('\n') != std::string_view::npos) {
        return std::nullopt;
    }
    return std::string(content);
}

} // namespace

std::string gitRule(std::string_view what, std::string_view detail)
{
    return std::string("git: ").append(what).append(detail.empty() ? "" : ": ").append(detail);
}

EntryKind kindOf(mode_t mode)
{
    if (S_ISREG(mode)) {
        return EntryKind::File;
    }
    if (S_ISDIR(mode)) {
        return EntryKind::Directory;
    }
    return S_ISLNK(mode) ? EntryKind::Symlink : EntryKind::Other;
}

bool GitGuard::hasShape(int directory)
{
    return policy::hasGitdirShape([directory](std::string_view entry) { return hasEntry(directory, entry); });
}

bool GitGuard::wouldComplete(int directory, std::string_view name)
{
    if (!policy::completesGitdirShape(name) || hasShape(directory)) {
        return false;
    }
    return policy::hasGitdirShape([directory, name](std::string_view entry) {
        return isSameName(entry, name) || hasEntry(directory, entry);
    });
}

bool GitGuard::hasShapeAt(std::string_view directory) const
{
    const auto found = m_resolver.object(m_resolver.claimOf(std::string(directory)), LastLink::Keep);
    return found && S_ISDIR(found->status.st_mode) && hasShape(found->object.get());
}

std::vector<std::size_t> GitGuard::gitdirsAbove(std::string_view path) const
{
    std::vector<std::size_t> lengths;
    for (; m_resolver.rootOf(path) != nullptr && path.size() > 1; path = parentOf(path)) {
        if (hasShapeAt(path)) {
            lengths.push_back(path.size());
        }
    }
    return lengths;
}

bool GitGuard::isInGitdirByName(std::string_view path)
{
    policy::GitSplit split;
    return policy::isBelowGitdir(path, &split) && !split.inside.empty();
}

bool GitGuard::isInGitdir(std::string_view path) const
{
    return isInGitdirByName(path) || !gitdirsAbove(parentOf(path)).empty();
}

GitFinding GitGuard::find(std::string_view path) const
{
    GitFinding finding;
    policy::GitSplit split;
    if (policy::isBelowGitdir(path, &split)) {
        finding.gitdir = '/' + split.gitdir;
        finding.inside = split.inside;
        finding.isGitdir = split.inside.empty();
        finding.entry = policy::classifyGitEntry(split.inside);
        policy::GitSplit parent;
        finding.isDotGit = finding.isGitdir && !policy::isBelowGitdir(parentOf(path), &parent);
        if (finding.entry != GitEntry::Ordinary) {
            return finding;
        }
    }
    // By shape: only where the rest of the path would mean something in a gitdir.
    for (std::size_t slash = path.rfind('/'); slash != 0 && slash != std::string_view::npos;
         slash = path.rfind('/', slash - 1)) {
        const std::string_view directory = path.substr(0, slash);
        const std::string_view suffix = path.substr(slash + 1);
        if (m_resolver.rootOf(directory) == nullptr) {
            break;
        }
        if (suffix.empty() || !mayBeSpecial(suffix)) {
            continue;
        }
        const GitEntry entry = policy::classifyGitEntry(suffix);
        if (entry != GitEntry::Ordinary && hasShapeAt(directory)) {
            finding.entry = entry;
            finding.gitdir = directory;
            finding.inside = suffix;
            break;
        }
    }
    return finding;
}

bool GitGuard::staysBelow(std::string_view linkText)
{
    if (linkText.empty() || linkText.front() == '/') {
        return false;
    }
    while (!linkText.empty()) {
        const std::size_t end = std::min(linkText.find('/'), linkText.size());
        if (linkText.substr(0, end) == "..") {
            return false;
        }
        linkText.remove_prefix(std::min(end + 1, linkText.size()));
    }
    return true;
}

Judgement GitGuard::creating(std::string_view path, EntryKind kind, std::string_view text) const
{
    const GitFinding finding = find(path);
    if (finding.isGitdir && kind != EntryKind::Directory) {
        return Refusal{gitRule("a repository that is no directory", nameOf(path))};
    }
    if (kind != EntryKind::Directory && isSameName(nameOf(path), "commondir") && !isInGitdirByName(path)) {
        // Git would take configuration and hooks from wherever it leads, now or later.
        return Refusal{gitRule("protected", "commondir")};
    }
    switch (finding.entry) {
    case GitEntry::Ordinary:
        break;
    case GitEntry::DirectoryOnly:
        if (kind != EntryKind::Directory) {
            return Refusal{gitRule("not a directory", finding.inside)};
        }
        break;
    case GitEntry::Config:
    case GitEntry::Protected:
    case GitEntry::CommonDir:
    case GitEntry::Alternates:
        return Refusal{gitRule("protected", finding.inside)};
    }
    if (kind == EntryKind::Symlink && !staysBelow(text) && isInGitdir(path)) {
        return Refusal{gitRule("a link out of the repository", nameOf(path))};
    }
    return {};
}

bool GitGuard::isOfARepository(std::string_view directory, std::string_view target) const
{
    const std::string absolute = (std::filesystem::path(directory) / target).lexically_normal().native();
    const Root* const root = m_resolver.rootOf(absolute);
    // What is named so is judged as a part of a repository, whatever it is.
    return root != nullptr
        && (absolute.find("/.git/modules/") != std::string::npos
            || absolute.find("/.git/worktrees/") != std::string::npos);
}

bool GitGuard::isSubmodulesWorkTree(const std::string& gitdir, std::string_view value) const
{
    const std::size_t dotGit = gitdir.find("/.git/");
    if (dotGit == std::string::npos || gitdir.find("/modules/", dotGit) == std::string::npos) {
        return false; // only submodules have it from git
    }
    std::string place = (std::filesystem::path(gitdir) / value).lexically_normal();
    if (place.ends_with('/')) {
        place.pop_back();
    }
    const auto found = m_resolver.object(m_resolver.claimOf(place), LastLink::Keep);
    if (!found || found->root == nullptr || !S_ISDIR(found->status.st_mode) || found->path != place) {
        return false;
    }
    m_workTrees.insert(std::move(place));
    return true;
}

bool GitGuard::leadsToWorkTree(std::string_view path) const
{
    return std::any_of(m_workTrees.begin(), m_workTrees.end(),
                       [path](const std::string& place) { return isAtOrBelow(place, path); });
}

Judgement GitGuard::judgeContent(const GitFinding& finding, std::string_view path, std::string_view before,
                                 std::string_view after) const
{
    const auto resolvesFrom = [this](std::string directory) {
        return [this, directory = std::move(directory)](std::string_view text) {
            return m_resolver.resolvesInside(directory, text);
        };
    };
    if (finding.isDotGit) {
        const auto target = gitfileTarget(after);
        if (!target || !m_resolver.resolvesInside(parentOf(path), *target)) {
            return Refusal{gitRule("a repository outside the project", target.value_or("unreadable"))};
        }
        if (!isOfARepository(parentOf(path), *target)) {
            return Refusal{gitRule("a repository elsewhere", *target)};
        }
        return {};
    }
    if (finding.entry == GitEntry::Config) {
        auto verdict = policy::judgeGitConfig(before, after, [&](std::string_view value) {
            return isSubmodulesWorkTree(finding.gitdir, value);
        });
        return verdict.isHarmless ? Judgement() : Refusal{gitRule("config", verdict.offending)};
    }
    if (finding.entry == GitEntry::CommonDir) {
        return policy::isHarmlessCommonDir(finding.gitdir, after)
            ? Judgement()
            : Refusal{gitRule("protected", "commondir")};
    }
    if (finding.entry == GitEntry::Alternates) {
        return policy::areHarmlessAlternates(after, resolvesFrom(finding.gitdir + "/objects"))
            ? Judgement()
            : Refusal{gitRule("objects outside the project", "objects/info/alternates")};
    }
    return Refusal{gitRule("protected", finding.inside)};
}

} // namespace revet::supervisor
