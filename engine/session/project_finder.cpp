// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/project_finder.h"

#include "engine/domain/display_escape.h"
#include "engine/policy/git_rules.h"
#include "engine/session/own_places.h"
#include "engine/session/text_file.h"

#include <filesystem>

#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

Result<std::string> canonical(const std::string& path)
{
    std::error_code error;
    const fs::path resolved = fs::canonical(path, error);
    if (error) {
        return fail(Error{ErrorCode::InvalidArgument, "use " + displayQuoted(path) + " as the project",
                          error.value(), "name a directory that exists"});
    }
    return resolved.string();
}

/// A repository of dotfiles in the home directory is nobody's project: whoever works below means that place.
std::string workTreeAround(const std::string& directory, const std::string& home)
{
    for (fs::path candidate = directory;; candidate = candidate.parent_path()) {
        std::error_code error;
        if (isWithin(home, candidate.string())) {
            return directory;
        }
        if (fs::exists(candidate / ".git", error)) {
            return candidate.string();
        }
        if (candidate == candidate.root_path()) {
            return directory;
        }
    }
}

/// One line of a small file that git wrote, without its prefix and line end; empty when it is not there.
std::string gitPointer(const fs::path& file, std::string_view prefix)
{
    const auto text = readText(file);
    if (!text || !text->starts_with(prefix)) {
        return {};
    }
    std::string line = text->substr(prefix.size());
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
        line.pop_back();
    }
    return line;
}

/// Whether a submodule's gitdir names `project` as its work tree (core.worktree, relative to the gitdir).
bool isWorkTreeOf(const fs::path& gitdir, const fs::path& project)
{
    const auto text = readText(gitdir / "config");
    const auto entries = text ? policy::parseGitConfig(*text) : fail(text.error());
    if (!entries) {
        return false;
    }
    std::string workTree;
    for (const policy::GitConfigEntry& entry : *entries) {
        if (entry.key == "core.worktree") {
            workTree = entry.value;
        }
    }
    std::error_code error;
    return !workTree.empty() && fs::weakly_canonical(gitdir / workTree, error) == project;
}

/// The common directory of a linked worktree; empty for an ordinary repository. What the pointer files say is
/// the repository's claim, so the directory must look like one of git's and be ours.
Result<std::string> commonDirectory(const fs::path& project)
{
    std::error_code error;
    const fs::path pointer = project / ".git";
    if (!fs::is_regular_file(fs::symlink_status(pointer, error))) {
        return std::string();
    }
    const std::string gitdir = gitPointer(pointer, "gitdir: ");
    if (gitdir.empty()) {
        return std::string();
    }
    const fs::path worktreeGitdir = fs::weakly_canonical(project / gitdir, error);
    const std::string relative = gitPointer(worktreeGitdir / "commondir", "");
    const fs::path common
        = fs::canonical(relative.empty() ? worktreeGitdir : worktreeGitdir / relative, error);
    const bool looksRight
        = !error && fs::is_directory(common / "objects", error) && fs::is_directory(common / "refs", error);
    // The pointer is the project's claim; only a repository that points back, from within itself, has agreed
    // to it. Else a strange project could name any repository of the user's as its own.
    const bool isOwn = relative.empty() || worktreeGitdir.parent_path() == common / "worktrees";
    const bool pointsBack = fs::weakly_canonical(gitPointer(worktreeGitdir / "gitdir", ""), error) == pointer
        || isWorkTreeOf(worktreeGitdir, project);
    if (!looksRight || !isOwn || !pointsBack || ::access(common.c_str(), W_OK) != 0) {
        return fail(
            ErrorCode::Refused, "use the worktree " + displayQuoted(project.string()),
            "its .git file points to " + displayQuoted(worktreeGitdir.string())
                + ", which is not a repository of yours for it; repair it with 'git worktree repair'");
    }
    return common.string();
}

Result<void> refuseDangerous(const std::string& project, const std::string& home, const Places& places)
{
    const auto refuse = [&](const std::string& why) {
        return fail(ErrorCode::Refused, "use " + displayQuoted(project) + " as the project", why);
    };
    if (project == "/") {
        return refuse("the root directory holds everything; choose a directory of your work");
    }
    if (isWithin(home, project)) {
        return refuse("it holds your home directory and every secret in it; choose a directory below");
    }
    Places refused = places;
    if (project != places.cache.string() && isWithin(project, places.cache.string())) {
        refused.cache.clear(); // there the demonstration's project lies
    }
    if (meetsOwnPlaces(project, refused)) {
        return refuse("it holds data of Revet itself; choose another directory");
    }
    return {};
}

} // namespace

bool isWithin(std::string_view path, std::string_view directory)
{
    if (directory == "/" || path == directory) {
        return true;
    }
    return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

Result<FoundProject> findProject(const std::optional<std::string>& named, const std::string& currentDirectory,
                                 const std::string& home, const Places& places)
{
    FoundProject found;
    if (!named && currentDirectory.empty()) {
        return fail(ErrorCode::InvalidArgument, "find the current directory",
                    "it was removed; change to one that exists");
    }
    REVET_ASSIGN_OR_RETURN(found.path, canonical(named ? *named : workTreeAround(currentDirectory, home)));
    std::error_code error;
    if (!fs::is_directory(found.path, error)) {
        return fail(ErrorCode::InvalidArgument, "use " + displayQuoted(found.path) + " as the project",
                    "it is not a directory");
    }
    REVET_RETURN_IF_ERROR(refuseDangerous(found.path, home, places));
    REVET_ASSIGN_OR_RETURN(const std::string common, commonDirectory(found.path));
    if (!common.empty() && !isWithin(common, found.path)) {
        REVET_RETURN_IF_ERROR(refuseDangerous(common, home, places));
        found.sideRoots.push_back(common);
    }
    return found;
}

} // namespace revet::session
