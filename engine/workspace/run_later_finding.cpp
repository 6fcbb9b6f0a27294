// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/run_later_finding.h"

#include "engine/policy/changed_keys.h"
#include "engine/policy/path_pattern.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/oddities.h"
#include "engine/workspace/renames.h"
#include "engine/workspace/tree_path.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace revet::workspace {

namespace {

using policy::GitEntry;
using policy::RunLaterClass;

/// Manifests are smaller; what is larger counts as a whole.
constexpr std::size_t kLargestChecked = std::size_t{8} << 20U;

RunLaterFinding pinned(std::string entry, std::vector<std::string> keys = {})
{
    return {RunLaterClass::Pinned, std::move(entry), std::move(keys)};
}

/// The stricter of two; the first where they are alike.
RunLaterFinding stricter(const RunLaterFinding& one, const RunLaterFinding& other)
{
    const auto rank = [](const RunLaterFinding& finding) {
        return finding.isHeld() ? 0 : finding.cls ? 1 + static_cast<int>(*finding.cls) : 9;
    };
    return rank(other) < rank(one) ? other : one;
}

/// Empty where that side is no file.
Result<std::string> contentOf(Result<UniqueFd> (ChangeSource::*open)(const Change&), ChangeSource& source,
                              const Change& change, const Entry& side)
{
    if (side.type != EntryType::File) {
        return std::string();
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd file, (source.*open)(change));
    return readContent(file, kLargestChecked);
}

/// Whether a relative path in the repository's files stays in the project.
auto staysInside(std::string below)
{
    return [below = std::move(below)](std::string_view path) { return !couldLeave(below, path); };
}

/// "gitdir: ../.git/modules/x", as git writes it for a submodule: what lies at a repository's name has always
/// been judged as a part of one, and nothing else has.
bool isHarmlessGitFile(std::string_view path, std::string_view content)
{
    constexpr std::string_view kKey = "gitdir: ";
    if (!content.starts_with(kKey) || !content.ends_with('\n') || content.find('\n') != content.size() - 1
        || content.find('\0') != std::string_view::npos || content.find('\r') != std::string_view::npos) {
        return false;
    }
    const std::string_view named = content.substr(kKey.size(), content.size() - kKey.size() - 1);
    const std::string target = (std::filesystem::path(path).parent_path() / named).lexically_normal();
    policy::GitSplit split;
    return !couldLeave(path, named) && policy::isBelowGitdir(target + "/config", &split)
        && split.gitdir == target;
}

/// What of a repository tells git something. Where a directory that is none holds such, nobody has judged it.
constexpr std::array<std::string_view, 9> kOrders
    = {"config",   "config.worktree", "commondir", "hooks",       "info",
       "branches", "remotes",         "modules",   "objects/info"};

} // namespace

RunLaterFinding RunLaterJudge::judge(const Change& change) const
{
    if (change.kind != Change::Kind::Renamed) {
        return judgePath(change, change.path);
    }
    if (change.isContentChanged) { // that it is the same file is a guess, and no reason to look less closely
        const RenameHalves halves = halvesOf(change);
        return stricter(judgePath(halves.added, change.path), judgePath(halves.deleted, change.from));
    }
    return stricter(judgePath(change, change.path), judgePath(change, change.from));
}

RunLaterFinding RunLaterJudge::judgePath(const Change& change, const std::string& path) const
{
    if (const auto place = repositoryOf(path)) {
        const RunLaterFinding finding = judgeGit(change, *place);
        const auto named = policy::classifyGitEntry(place->inside) == GitEntry::Ordinary
            ? m_table.matchInGitdir(place->inside)
            : std::nullopt;
        return named ? stricter(finding, pinned(named->entry)) : finding;
    }
    if (change.after.type == EntryType::Link && m_table.couldHoldPinned(path)) {
        return pinned("a link in the place of a directory that holds pinned files");
    }
    const auto match = m_table.match(path);
    if (!match) {
        return {};
    }
    RunLaterFinding finding{match->cls, match->entry, {}};
    const auto check = m_table.check(path);
    // A mode or another place runs nothing new, where the name is of this kind on both sides.
    const bool isMovedHere = change.kind == Change::Kind::Renamed && !m_table.check(change.from);
    if (!check || (!change.isContentChanged && !isMovedHere)) {
        return finding;
    }
    const auto before = isMovedHere ? Result<std::string>(std::string())
                                    : contentOf(&ChangeSource::openBefore, m_source, change, change.before);
    const auto after = contentOf(&ChangeSource::openAfter, m_source, change, change.after);
    const bool isFile = (change.before.type == EntryType::File || !change.before.exists())
        && (change.after.type == EntryType::File || !change.after.exists());
    finding.keys = before && after && isFile ? policy::changedKeys(*check, *before, *after)
                                             : std::vector<std::string>{"the whole file"};
    return finding;
}

RunLaterFinding RunLaterJudge::judgeGit(const Change& change, const policy::GitSplit& place) const
{
    const bool isGone = !change.after.exists();
    const std::string prefix = place.gitdir.empty() ? "" : place.gitdir + '/';
    const std::string entry = "git: " + (place.inside.empty() ? ".git" : place.inside);
    const auto harmlessIf
        = [&entry](bool isHarmless) { return isHarmless ? RunLaterFinding{} : pinned(entry); };
    const auto after = [&] { return contentOf(&ChangeSource::openAfter, m_source, change, change.after); };
    const bool takesOver = std::ranges::any_of(m_gitdirs, [&place](const ShapedGitdir& gitdir) {
        return gitdir.takesOver && gitdir.path == place.gitdir;
    });
    if (takesOver && policy::completesGitdirShape(place.inside.substr(0, place.inside.find('/')))) {
        return pinned("git: makes a repository of what lies there");
    }
    if (isGone && policy::classifyGitEntry(place.inside) != GitEntry::Protected) {
        return {};
    }
    if (place.inside.empty()) {
        const auto content = after();
        return harmlessIf(change.after.type == EntryType::Directory
                          || (change.after.type == EntryType::File && content
                              && isHarmlessGitFile(place.gitdir, *content)));
    }
    if (change.after.type == EntryType::Link) {
        return pinned(entry); // git makes none in there
    }
    switch (policy::classifyGitEntry(place.inside)) {
    case GitEntry::Ordinary:
        return {};
    case GitEntry::DirectoryOnly:
        return harmlessIf(change.after.type == EntryType::Directory);
    case GitEntry::Protected:
        return pinned(entry);
    case GitEntry::CommonDir: {
        const auto content = after();
        return harmlessIf(content && policy::isHarmlessCommonDir(place.gitdir, *content));
    }
    case GitEntry::Alternates: {
        const auto content = after();
        return harmlessIf(content
                          && policy::areHarmlessAlternates(*content, staysInside(prefix + "objects/x")));
    }
    case GitEntry::Config:
        break;
    }
    const auto before = contentOf(&ChangeSource::openBefore, m_source, change, change.before);
    const auto content = after();
    if (!before || !content || change.after.type != EntryType::File) {
        return pinned(entry);
    }
    const auto verdict = policy::judgeGitConfig(*before, *content, staysInside(prefix + "x"));
    return verdict.isHarmless ? RunLaterFinding{} : pinned(entry, {verdict.offending});
}

std::optional<policy::GitSplit> RunLaterJudge::repositoryOf(std::string_view path) const
{
    policy::GitSplit split;
    if (policy::isBelowGitdir(path, &split)) {
        return split;
    }
    for (const auto& [gitdir, takesOver] : m_gitdirs) {
        if (gitdir.empty() || path == gitdir || (path.starts_with(gitdir) && path[gitdir.size()] == '/')) {
            return policy::GitSplit{
                gitdir,
                std::string(path.substr(std::min(path.size(), gitdir.empty() ? 0 : gitdir.size() + 1)))};
        }
    }
    return std::nullopt;
}

std::vector<ShapedGitdir> gitdirsByShape(const std::vector<Change>& changes, const ChangeSource& source,
                                         int base)
{
    std::map<std::string, bool> changed; // of what may complete the shape: whether it is there
    // Whether something is there in them. The root: a linked work tree's repository is one as well.
    std::map<std::string, bool> directories{{"", false}};
    for (const Change& change : changes) {
        policy::GitSplit split;
        if (policy::isBelowGitdir(change.path, &split)) {
            continue;
        }
        if (policy::completesGitdirShape(nameOf(change.path))) {
            bool& isThere = changed[change.path]; // what was replaced is told twice
            isThere = isThere || change.after.exists();
        }
        for (std::string above = change.path; !above.empty();) {
            above = parentOf(above);
            const auto [directory, isFirst] = directories.try_emplace(above, false);
            if (!isFirst && (directory->second || !change.after.exists())) {
                break;
            }
            directory->second = change.after.exists();
        }
    }
    std::vector<ShapedGitdir> gitdirs;
    for (const auto& entry : directories) {
        const std::string& directory = entry.first; // no structured binding: Clang 14 captures none
        const std::string prefix = directory.empty() ? "" : directory + '/';
        const auto hadBefore = [&](std::string_view name) {
            const std::string path = std::string(prefix).append(name);
            const auto there = lookAt(base, path);
            return (there && there->exists()) || source.hadBefore(path);
        };
        const auto has = [&](std::string_view name) {
            const std::string path = std::string(prefix).append(name);
            const auto found = changed.find(path);
            const auto filled = directories.find(path); // a commit names no directories
            return found != changed.end()
                ? found->second
                : (filled != directories.end() && filled->second) || hadBefore(name);
        };
        if (policy::hasGitdirShape(has)) {
            const bool isNew = !policy::hasGitdirShape(hadBefore);
            gitdirs.push_back({directory, isNew && std::ranges::any_of(kOrders, hadBefore)});
        }
    }
    std::ranges::reverse(gitdirs); // the innermost first
    return gitdirs;
}

} // namespace revet::workspace
