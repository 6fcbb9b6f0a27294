// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/tree_scan.h"

#include "engine/supervisor/fresh_file.h"

#include <array>
#include <climits>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

using policy::GitEntry;

constexpr int kMaximumDepth = 128;

struct DirectoryCloser
{
    void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Objects and refs are most of a gitdir and name no program.
bool isBulk(std::string_view inside)
{
    return inside == "refs" || inside == "logs" || inside == "lfs" || inside == "objects/pack"
        || (inside.starts_with("objects/") && inside.size() == 10);
}

std::string linkText(int directory, const std::string& name)
{
    std::array<char, PATH_MAX> text{};
    const ssize_t length = ::readlinkat(directory, name.c_str(), text.data(), text.size());
    return length < 0 ? std::string("/") : std::string(text.data(), static_cast<std::size_t>(length));
}

} // namespace

GitFinding TreeScan::Side::find() const
{
    GitFinding finding;
    policy::GitSplit split;
    if (policy::isBelowGitdir(path, &split)) {
        finding.gitdir = '/' + split.gitdir;
        finding.inside = split.inside;
        finding.isGitdir = split.inside.empty();
        finding.entry = policy::classifyGitEntry(split.inside);
        finding.isDotGit = finding.isGitdir && !policy::isBelowGitdir(parentOf(path), &split);
    }
    for (const std::size_t length : gitdirs) {
        if (finding.entry != GitEntry::Ordinary) {
            break;
        }
        if (path.size() > length) {
            finding.gitdir = path.substr(0, length);
            finding.inside = path.substr(length + 1);
            finding.entry = policy::classifyGitEntry(finding.inside);
        }
    }
    return finding;
}

bool TreeScan::Side::isInGitdir() const
{
    return !gitdirs.empty() || GitGuard::isInGitdirByName(path);
}

Judgement TreeScan::moving(int directory, const std::string& oldPath, const std::string& newPath)
{
    const Side before{oldPath, m_git.gitdirsAbove(parentOf(oldPath))};
    const Side after{newPath, m_git.gitdirsAbove(parentOf(newPath))};
    const GitFinding was = before.find();
    const GitFinding becomes = after.find();
    // A directory like hooks has its meaning from its name; its content follows below, entry by entry.
    if (becomes.entry != GitEntry::Ordinary && becomes.entry != GitEntry::DirectoryOnly) {
        return Refusal{gitRule("protected", becomes.inside)};
    }
    if (was.entry != GitEntry::Ordinary && was.entry != GitEntry::DirectoryOnly) {
        return Refusal{gitRule("protected", was.inside)};
    }
    return walk(directory, before, after, 0);
}

Judgement TreeScan::becomingGitdir(int directory, const std::string& path)
{
    const std::vector<std::size_t> above = m_git.gitdirsAbove(parentOf(path));
    Side after{path, above};
    after.gitdirs.push_back(path.size());
    return walk(directory, {path, above}, after, 0);
}

Judgement TreeScan::walk(int directory, const Side& before, const Side& after, int depth)
{
    UniqueFd readable(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    if (!readable || depth > kMaximumDepth) {
        return Refusal{gitRule("cannot be looked through", after.path)};
    }
    Side old = before;
    Side next = after;
    if (GitGuard::hasShape(readable.get())) {
        old.gitdirs.push_back(old.path.size());
        next.gitdirs.push_back(next.path.size());
    }
    const std::unique_ptr<DIR, DirectoryCloser> stream(::fdopendir(readable.get()));
    if (!stream) {
        return Refusal{gitRule("cannot be looked through", after.path)};
    }
    static_cast<void>(readable.release());
    const int fd = ::dirfd(stream.get());
    std::vector<std::string> names;
    // One stream per thread: readdir(3).
    while (const struct dirent* entry = ::readdir(stream.get())) { // NOLINT(concurrency-mt-unsafe)
        const std::string name(static_cast<const char*>(entry->d_name));
        if (name != "." && name != "..") {
            names.push_back(name);
        }
        if (--m_left < 0) {
            return Refusal{gitRule("too large to look through", after.path)};
        }
    }
    for (const std::string& name : names) {
        Entry entry{fd, name, {}};
        if (::fstatat(fd, name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        const Side oldEntry = old.below(name);
        const Side newEntry = next.below(name);
        if (auto refusal = judge(entry, oldEntry, newEntry)) {
            return refusal;
        }
        if (S_ISDIR(entry.status.st_mode)
            && !(oldEntry.isInGitdir() && newEntry.isInGitdir() && isBulk(newEntry.find().inside))) {
            const UniqueFd child(::openat(fd, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            if (auto refusal = walk(child.get(), oldEntry, newEntry, depth + 1)) {
                return refusal;
            }
        }
    }
    return {};
}

Judgement TreeScan::judge(const Entry& entry, const Side& before, const Side& after) const
{
    const bool wasInside = before.isInGitdir();
    const bool isInside = after.isInGitdir();
    // Each side for itself: a way into a gitdir or out of it is no way around a pin.
    if (before.path != after.path) {
        for (const std::string* path : {&before.path, &after.path}) {
            if (auto refusal = m_pinned(*path, kindOf(entry.status.st_mode))) {
                return refusal;
            }
        }
    }
    const GitFinding was = before.find();
    const GitFinding becomes = after.find();
    const EntryKind kind = kindOf(entry.status.st_mode);
    // What keeps its place in its gitdir while that moves as a whole keeps its protection too.
    if (was.entry == becomes.entry && was.inside == becomes.inside && was.isDotGit == becomes.isDotGit
        && wasInside == isInside) {
        return {};
    }
    if (was.entry == GitEntry::Protected || was.entry == GitEntry::Config) {
        if (was.entry != becomes.entry || was.inside != becomes.inside) {
            return Refusal{gitRule("protected", was.inside)};
        }
        return {};
    }
    if (kind == EntryKind::Symlink && isInside
        && (becomes.entry != GitEntry::Ordinary
            || !GitGuard::staysBelow(linkText(entry.directory, entry.name)))) {
        return Refusal{gitRule("a link in a repository", becomes.inside)};
    }
    if (becomes.isJudgedByContent() && !(becomes.isDotGit && kind == EntryKind::Directory)) {
        return kind == EntryKind::File ? judgeContent(entry, becomes, after)
                                       : Refusal{gitRule("protected", becomes.inside)};
    }
    if (becomes.entry == GitEntry::Protected
        || (becomes.entry == GitEntry::DirectoryOnly && kind != EntryKind::Directory)) {
        return Refusal{gitRule("protected", becomes.inside)};
    }
    return {};
}

Judgement TreeScan::judgeContent(const Entry& entry, const GitFinding& finding, const Side& after) const
{
    const auto content = readEntry(entry.directory, entry.name, kMaximumJudgedFile);
    if (!content) {
        return Refusal{gitRule("unreadable", finding.inside)};
    }
    if (auto refusal = m_git.judgeContent(finding, after.path, {}, *content)) {
        return refusal;
    }
    if (!installFresh(m_git.passingRecord(), entry.directory, entry.name, *content, entry.status.st_mode)) {
        return Refusal{gitRule("cannot be replaced", finding.inside)};
    }
    return {};
}

} // namespace revet::supervisor
