// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/project_contents.h"

#include "engine/base/log.h"
#include "engine/session/git_index.h"
#include "engine/session/text_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::session {

namespace fs = std::filesystem;

namespace {

/// Also of a linked worktree, whose .git is a file that names its directory.
fs::path indexOf(const fs::path& project)
{
    constexpr std::string_view kPrefix = "gitdir: ";
    std::error_code error;
    if (fs::is_regular_file(fs::symlink_status(project / ".git", error))) {
        const auto text = readText(project / ".git");
        if (text && text->starts_with(kPrefix)) {
            return project / text->substr(kPrefix.size(), text->find('\n') - kPrefix.size()) / "index";
        }
    }
    return project / ".git/index";
}

} // namespace

ProjectContents::ProjectContents(const std::string& project, policy::BuildOutputTable table)
    : m_project(project)
    , m_table(std::move(table))
    , m_root(::open(project.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
{
}

const std::vector<std::string>& ProjectContents::tracked()
{
    if (!m_tracked) {
        auto read = allTracked(indexOf(m_project));
        if (!read) {
            log(LogLevel::Warning, "session", toString(read.error()));
        }
        m_tracked = read ? std::move(*read) : std::vector<std::string>();
    }
    return *m_tracked;
}

bool ProjectContents::isTracked(std::string_view path)
{
    return std::binary_search(tracked().begin(), tracked().end(), path);
}

bool ProjectContents::isMadeAnew(std::string_view path)
{
    return isBelowBuildOutput(path) || (m_table.matchesFile(path) && !isTracked(path));
}

bool ProjectContents::tracksBelow(const std::string& directory)
{
    const std::string prefix = directory + '/';
    const auto first = std::lower_bound(tracked().begin(), tracked().end(), prefix);
    return first != tracked().end() && first->starts_with(prefix);
}

bool ProjectContents::isOutputDirectory(const std::string& directory)
{
    constexpr std::size_t kMaximum = 200'000;
    if (const auto known = m_directories.find(directory); known != m_directories.end()) {
        return known->second;
    }
    const auto exists = [this](const std::string& path) {
        struct stat status = {};
        return ::fstatat(m_root.get(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    };
    const bool isOutput = m_table.matches(directory, exists) && !tracksBelow(directory);
    if (m_directories.size() >= kMaximum) {
        m_directories.clear();
    }
    m_directories[directory] = isOutput;
    return isOutput;
}

bool ProjectContents::isBelowBuildOutput(std::string_view path)
{
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
         slash = path.find('/', slash + 1)) {
        if (isOutputDirectory(std::string(path.substr(0, slash)))) {
            return true;
        }
    }
    return false;
}

bool ProjectContents::isBuildOutput(std::string_view path)
{
    if (isBelowBuildOutput(path)) {
        return true;
    }
    struct stat status = {};
    const std::string whole(path);
    return !whole.empty() && ::fstatat(m_root.get(), whole.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISDIR(status.st_mode) && isOutputDirectory(whole);
}

} // namespace revet::session
