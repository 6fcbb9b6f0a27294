// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/remove_tree.h"

#include "engine/base/unique_fd.h"

#include <cerrno>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::journal {

namespace {

struct CloseDirectory
{
    void operator()(DIR* stream) const noexcept { ::closedir(stream); }
};

struct Entry
{
    std::string name;
    bool isDirectory = false;
    std::uint64_t bytes = 0;
};

enum class Force { No, Yes };

/// Opens a directory for reading. With Force it is made accessible first: fchmod(2) refuses O_PATH
/// descriptors, so the mode is changed by the descriptor's name in /proc, which leads to that very directory.
Result<UniqueFd> openDirectory(int parentFd, const std::string& name, Force force)
{
    const UniqueFd handle(::openat(parentFd, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!handle) {
        return failErrno("open the directory " + name);
    }
    if (force == Force::Yes) {
        const std::string link = "/proc/self/fd/" + std::to_string(handle.get());
        if (::chmod(link.c_str(), 0700) != 0) {
            return failErrno("make the directory " + name + " accessible");
        }
    }
    UniqueFd directory(::openat(handle.get(), ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory) {
        return failErrno("open the directory " + name);
    }
    return directory;
}

/// Entries of a directory on the same file system; the descriptor stays the caller's.
Result<std::vector<Entry>> list(int directoryFd)
{
    struct stat self = {};
    UniqueFd copy(::openat(directoryFd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!copy || ::fstat(directoryFd, &self) != 0) {
        return failErrno("read a directory");
    }
    const std::unique_ptr<DIR, CloseDirectory> stream(::fdopendir(copy.get()));
    if (!stream) {
        return failErrno("read a directory");
    }
    static_cast<void>(copy.release()); // the stream has it
    std::vector<Entry> entries;
    errno = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of its own, which no other thread has
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string name = static_cast<const char*>(entry->d_name);
        struct stat status = {};
        if (name == "." || name == ".."
            || ::fstatat(directoryFd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0
            || status.st_dev != self.st_dev) {
            continue;
        }
        entries.push_back(
            {name, S_ISDIR(status.st_mode), static_cast<std::uint64_t>(status.st_blocks) * 512});
    }
    return entries;
}

// Each level holds a descriptor; boxes make trees of any depth.
constexpr std::size_t kMostLevels = 128;

/// Moves a directory that lies too deep to the top of the tree, where its turn comes again.
Result<void> moveUp(int fd, const std::string& name, int topFd, const std::string& newName)
{
    // Moving a directory writes its "..", so it must be writable itself.
    REVET_ASSIGN_OR_RETURN(const UniqueFd accessible, openDirectory(fd, name, Force::Yes));
    if (::renameat(fd, name.c_str(), topFd, newName.c_str()) != 0) {
        return failErrno("move the directory " + name);
    }
    return {};
}

/// A directory on the way down.
struct Level
{
    UniqueFd fd;
    std::string name;
    std::vector<Entry> left;
};

} // namespace

std::uint64_t treeBytes(int parentFd, const std::string& name)
{
    std::uint64_t total = 0;
    std::vector<Level> levels;
    const auto enter = [&levels](int fd, const std::string& child) {
        Result<UniqueFd> directory = openDirectory(fd, child, Force::No);
        if (!directory) {
            return;
        }
        Result<std::vector<Entry>> entries = list(directory->get());
        if (entries) {
            levels.push_back({std::move(*directory), child, std::move(*entries)});
        }
    };
    enter(parentFd, name);
    while (!levels.empty()) {
        if (levels.back().left.empty()) {
            levels.pop_back();
            continue;
        }
        const Entry entry = std::move(levels.back().left.back());
        levels.back().left.pop_back();
        total += entry.bytes;
        if (entry.isDirectory && levels.size() < kMostLevels) {
            enter(levels.back().fd.get(), entry.name);
        }
    }
    return total;
}

Result<void> removeTree(int parentFd, const std::string& name)
{
    Result<void> outcome;
    const auto note = [&outcome](Error error) {
        if (outcome) {
            outcome = fail(std::move(error));
        }
    };
    std::vector<Level> levels;
    std::uint64_t moves = 0;
    const auto enter = [&](int fd, const std::string& child) {
        Result<UniqueFd> directory = openDirectory(fd, child, Force::Yes);
        if (!directory) {
            note(directory.error());
            return;
        }
        Result<std::vector<Entry>> entries = list(directory->get());
        if (!entries) {
            note(entries.error());
            return;
        }
        levels.push_back({std::move(*directory), child, std::move(*entries)});
    };
    enter(parentFd, name);
    while (!levels.empty()) {
        Level& level = levels.back();
        if (level.left.empty()) {
            const std::string done = level.name;
            levels.pop_back();
            const int above = levels.empty() ? parentFd : levels.back().fd.get();
            if (::unlinkat(above, done.c_str(), AT_REMOVEDIR) != 0) {
                note(Error::fromErrno("remove the directory " + done));
            }
            continue;
        }
        const Entry entry = std::move(level.left.back());
        level.left.pop_back();
        if (entry.isDirectory && levels.size() < kMostLevels) {
            enter(level.fd.get(), entry.name);
        } else if (entry.isDirectory) {
            const std::string moved = ".revet-prune-" + std::to_string(++moves);
            if (const Result<void> up = moveUp(level.fd.get(), entry.name, levels.front().fd.get(), moved);
                up) {
                levels.front().left.push_back({moved, true, 0});
            } else {
                note(up.error());
            }
        } else if (::unlinkat(level.fd.get(), entry.name.c_str(), 0) != 0) {
            note(Error::fromErrno("remove " + entry.name));
        }
    }
    return outcome;
}

} // namespace revet::journal
