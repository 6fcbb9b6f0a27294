// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/hidden_files.h"

#include "engine/base/directory.h"
#include "engine/base/unique_fd.h"
#include "engine/domain/store_name.h"
#include "engine/os/open_beneath.h"
#include "engine/os/socket.h"
#include "engine/policy/path_pattern.h"
#include "engine/session/git_index.h"
#include "engine/session/project_finder.h"

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

constexpr int kMaximumEntries = 100'000;
constexpr std::size_t kMaximumMemory = std::size_t{16} << 20U; ///< bytes of names hidden before
/// Made by tools, large, and never where a person puts a secret by hand.
constexpr std::array<std::string_view, 8> kSkipped
    = {".git", "node_modules", ".venv", "venv", "target", "build", "__pycache__", ".tox"};

/// Whether the path, or what holds it, is one of those that stay visible: by its name or by a glob.
bool isUnhidden(const std::string& path, const std::vector<std::string>& unhide)
{
    return std::any_of(unhide.begin(), unhide.end(), [&path](const std::string& shown) {
        const auto pattern = policy::PathPattern::compile(shown);
        return isWithin(path, shown) || (pattern && pattern->covers(path));
    });
}

/// It is there, and neither it nor what leads to it is a link that a box may have put there.
bool isThere(int project, const std::string& relative)
{
    return os::openBeneath(project, relative, O_PATH).isOpen();
}

bool hasContent(int project, const std::string& relative)
{
    const UniqueFd file = os::openBeneath(project, relative, O_PATH);
    struct stat status = {};
    return file && ::fstat(file.get(), &status) == 0 && status.st_size != 0;
}

} // namespace

Result<HiddenFiles> findHiddenFiles(const std::string& project, const policy::HiddenNames& table,
                                    const std::vector<std::string>& unhide,
                                    const std::set<std::string>& hiddenBefore)
{
    HiddenFiles found;
    std::set<std::string> candidates;
    std::deque<fs::path> directories{fs::path(project)};
    int looked = 0;
    while (!directories.empty() && looked <= kMaximumEntries) {
        const fs::path directory = directories.front();
        directories.pop_front();
        const auto look = [&](const fs::directory_entry& entry) {
            if (++looked > kMaximumEntries) {
                return false;
            }
            std::error_code error;
            const std::string relative = entry.path().string().substr(project.size() + 1);
            const bool isLink = entry.is_symlink(error);
            const bool isDirectory = !isLink && entry.is_directory(error);
            if (isDirectory && isStoreName(entry.path().filename().string())) {
                found.stores.push_back(entry.path().string());
            } else if (!isLink && table.match(relative)) {
                candidates.insert(relative);
            } else if (isDirectory
                       && std::find(kSkipped.begin(), kSkipped.end(), entry.path().filename().string())
                           == kSkipped.end()) {
                directories.push_back(entry.path());
            }
            return true;
        };
        const bool isRead = forEachEntry(directory, look).has_value();
        found.isComplete = found.isComplete && isRead && looked <= kMaximumEntries;
    }
    const UniqueFd root(::open(project.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (const std::string& relative : hiddenBefore) {
        if (isThere(root.get(), relative)) {
            candidates.insert(relative);
        }
    }
    if (candidates.empty()) {
        return found;
    }
    const auto index = trackedAmong(fs::path(project) / ".git/index", candidates);
    found.isIndexRead = index.has_value(); // a box may have left anything there
    const std::map<std::string, bool> tracked = index ? *index : std::map<std::string, bool>();
    for (const std::string& relative : candidates) {
        const std::string path = fs::path(project) / relative;
        const auto entry = tracked.find(relative);
        // What a box made git track is empty, as the box sees it; this may be the first look at a moved
        // project.
        const bool isTracked = entry != tracked.end() && !(entry->second && hasContent(root.get(), relative));
        // In order of names: a directory that is hidden comes before what was hidden in it.
        const bool isCovered
            = std::any_of(found.paths.begin(), found.paths.end(),
                          [&path](const std::string& other) { return isWithin(path, other); });
        if ((isTracked && !hiddenBefore.contains(relative)) || isCovered || isUnhidden(path, unhide)) {
            continue;
        }
        found.paths.push_back(path);
        found.names.insert(relative);
        if (isTracked) {
            found.nowTracked.insert(relative);
        }
    }
    return found;
}

Result<std::set<std::string>> readHiddenBefore(const fs::path& file)
{
    std::set<std::string> names;
    const UniqueFd handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!handle) {
        return errno == ENOENT ? Result<std::set<std::string>>(names) : failErrno("open " + file.string());
    }
    REVET_ASSIGN_OR_RETURN(const std::string bytes, os::readAll(handle.get(), kMaximumMemory));
    std::size_t start = 0;
    for (std::size_t end = 0; (end = bytes.find('\0', start)) != std::string::npos; start = end + 1) {
        names.insert(bytes.substr(start, end - start));
    }
    return names;
}

Result<void> addHiddenBefore(const fs::path& file, const std::set<std::string>& names)
{
    std::string bytes;
    for (const std::string& name : names) {
        bytes.append(name).push_back('\0');
    }
    if (bytes.empty()) {
        return {};
    }
    const UniqueFd handle(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!handle || ::write(handle.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        return failErrno("write " + file.string());
    }
    return {};
}

} // namespace revet::session
