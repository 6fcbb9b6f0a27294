// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_rules.h"

#include "engine/policy/letter_case.h"
#include "engine/policy/path_pattern.h"

#include <algorithm>
#include <array>
#include <span>

namespace revet::policy {

namespace {

using Components = std::span<const std::string_view>;

/// The name as folding file systems see it: ASCII case gone, and the dots and spaces that vfat and ntfs drop
/// at the end.
std::string folded(std::string_view name)
{
    while (name.size() > 1 && (name.back() == '.' || name.back() == ' ')) {
        name.remove_suffix(1);
    }
    return lowered(name);
}

/// ".git" in each spelling that git itself refuses in a tree, "git~1" being vfat's short name for it.
bool isDotGit(std::string_view name)
{
    if (name.size() < 4 || name.size() > 64) {
        return false;
    }
    const std::string text = folded(name.substr(0, name.find(':')));
    return text == ".git" || text == "git~1";
}

template<std::size_t Count>
bool isOneOf(std::string_view name, const std::array<std::string_view, Count>& names)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Names that a gitdir holds at its top. Below .git/modules/ the first of them ends the submodule's name,
/// which may itself have slashes.
constexpr std::array<std::string_view, 17> kTopEntries
    = {"config",      "config.worktree", "hooks",       "info",    "objects",   "refs",      "logs",
       "head",        "index",           "packed-refs", "modules", "worktrees", "commondir", "gitdir",
       "description", "branches",        "remotes"};

/// Where the gitdir ends that begins with the components before `begin` + one component of its name.
std::size_t endOfModuleName(Components components, std::size_t begin)
{
    for (std::size_t i = begin + 1; i < components.size(); ++i) {
        if (isOneOf(folded(components[i]), kTopEntries)) {
            return i;
        }
    }
    // No known entry: a file directly in the gitdir (FETCH_HEAD, config.lock) or the gitdir itself.
    return std::max(begin + 1, components.size() - 1);
}

std::string join(Components components)
{
    std::string text;
    for (const std::string_view component : components) {
        text.append(text.empty() ? "" : "/").append(component);
    }
    return text;
}

} // namespace

bool isBelowGitdir(std::string_view relative, GitSplit* split)
{
    const std::vector<std::string_view> all = pathComponents(relative);
    const Components components(all);
    // From the outside in: the innermost .git wins, then each modules/NAME and worktrees/NAME inside it.
    const auto isGit = [](std::string_view name) { return isDotGit(name); };
    const auto last = std::find_if(all.rbegin(), all.rend(), isGit);
    if (last == all.rend()) {
        return false;
    }
    auto end = static_cast<std::size_t>(last.base() - all.begin());
    while (end + 1 < components.size()) {
        const std::string name = folded(components[end]);
        if (name == "modules") {
            end = endOfModuleName(components, end + 1);
        } else if (name == "worktrees") {
            end += 2;
        } else {
            break;
        }
    }
    split->gitdir = join(components.first(end));
    split->inside = join(components.subspan(end));
    return true;
}

GitEntry classifyGitEntry(std::string_view relativeToGitdir)
{
    const std::vector<std::string_view> components = pathComponents(relativeToGitdir);
    if (components.empty()) {
        return GitEntry::Ordinary;
    }
    const std::string first = folded(components[0]);
    if (components.size() == 1) {
        if (first == "config" || first == "config.worktree") {
            return GitEntry::Config;
        }
        if (first == "commondir") {
            return GitEntry::CommonDir;
        }
        // One that is a symbolic link brings in a directory that nobody watched.
        constexpr std::array<std::string_view, 6> kDirectories
            = {"hooks", "info", "modules", "worktrees", "branches", "remotes"};
        return isOneOf(first, kDirectories) ? GitEntry::DirectoryOnly : GitEntry::Ordinary;
    }
    const std::string second = folded(components[1]);
    if (first == "hooks") {
        return components.size() == 2 && second.ends_with(".sample") ? GitEntry::Ordinary
                                                                     : GitEntry::Protected;
    }
    if (first == "info" && second == "attributes") {
        return GitEntry::Protected;
    }
    // Remotes as git kept them before it had a configuration: still read, no longer written by git.
    if (first == "branches" || first == "remotes") {
        return GitEntry::Protected;
    }
    if (first == "objects" && second == "info") {
        if (components.size() == 2) {
            return GitEntry::DirectoryOnly;
        }
        return folded(components[2]) == "alternates" ? GitEntry::Alternates : GitEntry::Ordinary;
    }
    return GitEntry::Ordinary;
}

bool hasGitdirShape(const std::function<bool(std::string_view entry)>& has)
{
    // A gitdir with a commondir takes configuration and hooks from there, and that place needs no HEAD.
    return (has("HEAD") && has("commondir")) || (has("objects") && has("refs"));
}

bool completesGitdirShape(std::string_view name)
{
    constexpr std::array<std::string_view, 7> kNames
        = {"head", "objects", "commondir", "refs", "gitdir", "config", "config.worktree"};
    return isOneOf(folded(name), kNames);
}

bool isGitStructureName(std::string_view name)
{
    constexpr std::array<std::string_view, 7> kNames
        = {"hooks", "info", "modules", "worktrees", "objects", "branches", "remotes"};
    return isDotGit(name) || isOneOf(folded(name), kNames);
}

bool isHarmlessCommonDir(std::string_view gitdir, std::string_view content)
{
    if (content.ends_with('\n')) {
        content.remove_suffix(1);
    }
    const std::vector<std::string_view> components = pathComponents(gitdir);
    return content == "../.." && components.size() >= 2
        && folded(components[components.size() - 2]) == "worktrees";
}

bool areHarmlessAlternates(std::string_view content,
                           const std::function<bool(std::string_view)>& resolvesInsideProject)
{
    while (!content.empty()) {
        const std::size_t end = std::min(content.find('\n'), content.size());
        const std::string_view line = content.substr(0, end);
        // git unquotes a line that begins with a quote; we do not guess what comes out.
        const bool isReadable = !line.starts_with('"') && line.find('\0') == std::string_view::npos;
        if (!line.empty() && !line.starts_with('#') && (!isReadable || !resolvesInsideProject(line))) {
            return false;
        }
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return true;
}

} // namespace revet::policy
