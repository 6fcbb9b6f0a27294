// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/entry.h"

#include "engine/os/open_beneath.h"

#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

tl::unexpected<Error> cannotOpen(const std::string& path)
{
    Error error = Error::fromErrno("open " + path);
    if (error.errnoValue == EXDEV || error.errnoValue == ELOOP) {
        error.code = ErrorCode::Refused;
        error.context = "it leads through a link";
    }
    return fail(std::move(error));
}

std::int64_t nanoseconds(const timespec& time)
{
    return time.tv_sec * kNanosecondsPerSecond + time.tv_nsec;
}

EntryType typeOf(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return EntryType::File;
    case S_IFDIR:
        return EntryType::Directory;
    case S_IFLNK:
        return EntryType::Link;
    case S_IFIFO:
        return EntryType::Fifo;
    case S_IFSOCK:
        return EntryType::Socket;
    default:
        return EntryType::Device;
    }
}

} // namespace

Entry entryOf(const struct stat& info)
{
    Entry entry;
    entry.type = typeOf(info.st_mode);
    entry.mode = info.st_mode & 07777;
    entry.size = entry.type == EntryType::File ? static_cast<std::uint64_t>(info.st_size) : 0;
    entry.changed = nanoseconds(info.st_mtim);
    entry.statusChanged = nanoseconds(info.st_ctim);
    entry.device = info.st_dev;
    entry.inode = info.st_ino;
    entry.links = static_cast<std::uint32_t>(info.st_nlink);
    return entry;
}

bool Entry::isUntouchedSince(const Entry& other) const
{
    return type == other.type && mode == other.mode && size == other.size && changed == other.changed
        && statusChanged == other.statusChanged && device == other.device && inode == other.inode;
}

Result<Entry> lookAt(const UniqueFd& object)
{
    struct stat info = {};
    if (::fstat(object.get(), &info) != 0) {
        return failErrno("look at an open file");
    }
    Entry entry = entryOf(info);
    if (entry.type == EntryType::Link) {
        std::string target(PATH_MAX, '\0');
        const ssize_t length = ::readlinkat(object.get(), "", target.data(), target.size());
        if (length < 0) {
            return failErrno("read a link");
        }
        entry.target = target.substr(0, static_cast<std::size_t>(length));
    }
    return entry;
}

Result<Entry> lookAt(int root, const std::string& path)
{
    struct stat info = {};
    // A name alone leads nowhere else, and of all but a link that is enough.
    if (path.find('/') == std::string::npos && path != ".."
        && ::fstatat(root, path.c_str(), &info, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0
        && !S_ISLNK(info.st_mode)) {
        return entryOf(info);
    }
    const UniqueFd object = os::openBeneath(root, path, O_PATH | O_NOFOLLOW);
    if (object) {
        return lookAt(object);
    }
    // ENOTDIR: what should be a directory on the way is none, so nothing is below it.
    if (errno == ENOENT || errno == ENOTDIR) {
        return Entry{};
    }
    return cannotOpen(path);
}

Result<UniqueFd> openFile(int root, const std::string& path)
{
    UniqueFd file = os::openBeneath(root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat info = {};
    if (!file || ::fstat(file.get(), &info) != 0) {
        return cannotOpen(path);
    }
    if (!S_ISREG(info.st_mode)) {
        return fail(ErrorCode::Refused, "open " + path, "it is no regular file");
    }
    return file;
}

Result<Parent> openParent(int root, const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    Parent parent;
    parent.name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (parent.name.empty() || parent.name == "." || parent.name == "..") {
        return fail(ErrorCode::InvalidArgument, "find the directory of " + path, "it names no entry");
    }
    parent.directory = os::openBeneath(root, slash == std::string::npos ? "." : path.substr(0, slash),
                                       O_PATH | O_DIRECTORY);
    if (!parent.directory) {
        return cannotOpen(path);
    }
    return parent;
}

Result<UniqueFd> openDirectory(int root, const std::string& path)
{
    UniqueFd directory = os::openBeneath(root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!directory && (errno == ENOENT || errno == ENOTDIR)) {
        return fail(ErrorCode::NotFound, "list " + path);
    }
    if (!directory) {
        return cannotOpen(path);
    }
    return directory;
}

} // namespace revet::workspace
