// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/hidden_files.h"

#include "engine/base/directory.h"
#include "engine/policy/path_pattern.h"
#include "engine/session/git_index.h"
#include "engine/session/project_finder.h"

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <set>
#include <string_view>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

constexpr int kMaximumEntries = 4000;
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

} // namespace

Result<HiddenFiles> findHiddenFiles(const std::string& project, const policy::HiddenTable& table,
                                    const std::vector<std::string>& unhide)
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
            if (!isLink && table.matchInProject(relative)) {
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
    if (candidates.empty()) {
        return found;
    }
    REVET_ASSIGN_OR_RETURN(const auto tracked, trackedAmong(fs::path(project) / ".git/index", candidates));
    for (const std::string& relative : candidates) {
        const std::string path = project + "/" + relative;
        if (!tracked.contains(relative) && !isUnhidden(path, unhide)) {
            found.paths.push_back(path);
        }
    }
    return found;
}

} // namespace revet::session
