// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/support/tree_snapshot.h"

#include "engine/domain/display_escape.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace revet::test {

namespace {

[[noreturn]] void giveUp(const std::string& path)
{
    std::perror(path.c_str());
    std::abort();
}

/// Modes of the tree must not be touched, so it reads as a user that may.
std::string contentOf(const std::string& path)
{
    std::FILE* const file = std::fopen(path.c_str(), "rbe");
    if (file == nullptr) {
        return "?";
    }
    std::string content;
    std::string buffer(65536, '\0');
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), file)) {
        content.append(buffer, 0, size);
    }
    std::fclose(file);
    return content.size() > 100
        ? content.substr(0, 40) + "…" + std::to_string(std::hash<std::string>()(content))
        : content;
}

std::string attributesOf(const std::string& path)
{
    std::string names(4096, '\0');
    const ssize_t size = ::llistxattr(path.c_str(), names.data(), names.size());
    std::string all;
    for (std::size_t at = 0; size > 0 && at < static_cast<std::size_t>(size);) {
        const std::string name = names.c_str() + at;
        at += name.size() + 1;
        std::string value(4096, '\0');
        const ssize_t length = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
        all += ' ' + name + '=' + value.substr(0, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    }
    return all;
}

std::string timeOf(const struct stat& info)
{
    return std::to_string(info.st_mtim.tv_sec) + '.' + std::to_string(info.st_mtim.tv_nsec);
}

} // namespace

TreeSnapshot snapshotOf(const std::filesystem::path& top, DirectoryTimes times)
{
    TreeSnapshot snapshot;
    std::map<std::pair<dev_t, ino_t>, std::string> names;
    std::vector<std::string> left{""};
    while (!left.empty()) {
        const std::string path = left.back();
        left.pop_back();
        const std::string full = top.string() + '/' + path;
        struct stat info = {};
        if (::lstat(full.c_str(), &info) != 0) {
            giveUp(full);
        }
        char line[64];
        std::snprintf(line, sizeof line, "%06o ", info.st_mode);
        std::string text = line;
        if (!S_ISDIR(info.st_mode) || times == DirectoryTimes::Compared) {
            text += timeOf(info);
        }
        if (S_ISREG(info.st_mode)) {
            const auto [first, isFirst] = names.try_emplace({info.st_dev, info.st_ino}, path);
            text += (isFirst ? " " : " =" + first->second + ' ') + contentOf(full);
        } else if (S_ISLNK(info.st_mode)) {
            std::string target(4096, '\0');
            const ssize_t size = ::readlink(full.c_str(), target.data(), target.size());
            text += " -> " + target.substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        } else if (S_ISDIR(info.st_mode)) {
            DIR* const stream = ::opendir(full.c_str());
            std::vector<std::string> found;
            while (const dirent* entry = stream == nullptr ? nullptr : ::readdir(stream)) {
                const std::string name = static_cast<const char*>(entry->d_name);
                if (name != "." && name != "..") {
                    found.push_back(path.empty() ? name : path + '/' + name);
                }
            }
            if (stream != nullptr) {
                ::closedir(stream);
            }
            // In order, so that the first name of a file is the same in two trees.
            std::sort(found.rbegin(), found.rend());
            left.insert(left.end(), found.begin(), found.end());
        }
        snapshot[path] = text + attributesOf(full);
    }
    return snapshot;
}

std::string treeDifferences(const TreeSnapshot& expected, const TreeSnapshot& found)
{
    std::string text;
    for (const auto& [path, line] : expected) {
        const auto other = found.find(path);
        if (other == found.end() || other->second != line) {
            text += '\n' + displayEscape(path) + ": expected " + displayEscape(line) + ", found "
                + (other == found.end() ? "nothing" : displayEscape(other->second));
        }
    }
    for (const auto& [path, line] : found) {
        if (!expected.contains(path)) {
            text += '\n' + displayEscape(path) + ": expected nothing, found " + displayEscape(line);
        }
    }
    return text;
}

} // namespace revet::test
