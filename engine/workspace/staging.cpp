// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/staging.h"

#include "engine/workspace/open_object.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr std::size_t kBufferBytes = 65536;

/// Reads until the buffer is full or the file ends.
Result<std::size_t> readAt(const UniqueFd& file, char* buffer, std::size_t size, off_t offset)
{
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got
            = ::pread(file.get(), buffer + done, size - done, offset + static_cast<off_t>(done));
        if (got < 0 && errno != EINTR) {
            return failErrno("read a changed file");
        }
        if (got == 0) {
            break;
        }
        done += got < 0 ? 0 : static_cast<std::size_t>(got);
    }
    return done;
}

Result<void> writeAt(const UniqueFd& file, const char* bytes, std::size_t size, off_t offset)
{
    for (std::size_t done = 0; done < size;) {
        const ssize_t put
            = ::pwrite(file.get(), bytes + done, size - done, offset + static_cast<off_t>(done));
        if (put < 0 && errno != EINTR) {
            return failErrno("write a changed file");
        }
        done += put < 0 ? 0 : static_cast<std::size_t>(put);
    }
    return {};
}

Result<void> copyByHand(const UniqueFd& from, const UniqueFd& to, off_t begin, off_t end)
{
    std::string buffer(kBufferBytes, '\0');
    while (begin < end) {
        const auto wanted = std::min<std::uint64_t>(buffer.size(), static_cast<std::uint64_t>(end - begin));
        REVET_ASSIGN_OR_RETURN(const std::size_t size, readAt(from, buffer.data(), wanted, begin));
        if (size == 0) {
            return fail(ErrorCode::Conflict, "copy a changed file", "it shrank at this moment");
        }
        REVET_RETURN_IF_ERROR(writeAt(to, buffer.data(), size, begin));
        begin += static_cast<off_t>(size);
    }
    return {};
}

Result<void> copyRange(const UniqueFd& from, const UniqueFd& to, off_t begin, off_t end)
{
    off_t out = begin;
    while (begin < end) {
        const ssize_t copied
            = ::copy_file_range(from.get(), &begin, to.get(), &out, static_cast<std::size_t>(end - begin), 0);
        if (copied < 0 && errno == EINTR) {
            continue;
        }
        // Of another file system, or of one that cannot.
        if (copied <= 0) {
            return copyByHand(from, to, begin, end);
        }
    }
    return {};
}

/// A file of the box may claim a petabyte: only what is there is copied.
Result<void> copyContent(const UniqueFd& from, const UniqueFd& to)
{
    struct stat info = {};
    if (::fstat(from.get(), &info) != 0) {
        return failErrno("look at a changed file");
    }
    if (!S_ISREG(info.st_mode)) {
        return fail(ErrorCode::Refused, "copy a changed file", "it is no regular file");
    }
    if (::ioctl(to.get(), FICLONE, from.get()) == 0) {
        return {};
    }
    if (::ftruncate(to.get(), info.st_size) != 0) {
        return failErrno("write a changed file");
    }
    for (off_t at = 0; at < info.st_size;) {
        const off_t begin = ::lseek(from.get(), at, SEEK_DATA);
        if (begin < 0 && errno == ENXIO) {
            break; // a hole up to the end
        }
        const off_t end = begin < 0 ? -1 : ::lseek(from.get(), begin, SEEK_HOLE);
        if (end < 0) {
            return failErrno("read a changed file");
        }
        at = std::min(end, info.st_size);
        REVET_RETURN_IF_ERROR(copyRange(from, to, begin, at));
    }
    return {};
}

/// The person's own extended attributes and access list stay with the name when its file is a new one.
/// security.* are the system's to give.
Result<void> copyAttributes(int like, const UniqueFd& file)
{
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> names, attributeNames(like));
    for (const std::string& name : names) {
        if (name.starts_with("user.") || name == "system.posix_acl_access") {
            REVET_ASSIGN_OR_RETURN(const auto value, attributeOf(like, name));
            REVET_RETURN_IF_ERROR(changeAttribute(file.get(), name, value));
        }
    }
    return {};
}

Result<UniqueFd> openSlot(const Slot& slot, int flags)
{
    UniqueFd fd(
        ::openat(slot.directory, slot.name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    return fd ? Result<UniqueFd>(std::move(fd)) : failErrno("make a file beside the project");
}

Result<Entry> finish(const UniqueFd& object, const Entry& wanted)
{
    if (wanted.changed != 0) {
        REVET_RETURN_IF_ERROR(setTime(object.get(), wanted.changed));
    }
    return lookAt(object);
}

} // namespace

Result<Entry> stageFile(const Slot& slot, const UniqueFd& content, const Entry& wanted, int like)
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd file, openSlot(slot, O_RDWR | O_CREAT | O_EXCL));
    REVET_RETURN_IF_ERROR(copyContent(content, file));
    if (like >= 0) {
        REVET_RETURN_IF_ERROR(copyAttributes(like, file));
    }
    REVET_RETURN_IF_ERROR(setMode(file.get(), wanted.mode));
    return finish(file, wanted);
}

Result<Entry> stageDirectory(const Slot& slot, const Entry& wanted)
{
    if (::mkdirat(slot.directory, slot.name.c_str(), S_IRWXU) != 0) {
        return failErrno("make a directory beside the project");
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd directory, openSlot(slot, O_RDONLY | O_DIRECTORY));
    REVET_RETURN_IF_ERROR(setMode(directory.get(), wanted.mode | S_IRWXU));
    return lookAt(directory);
}

Result<Entry> stageLink(const Slot& slot, const Entry& wanted)
{
    if (::symlinkat(wanted.target.c_str(), slot.directory, slot.name.c_str()) != 0) {
        return failErrno("make a link beside the project");
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd link, openSlot(slot, O_PATH));
    return finish(link, wanted);
}

} // namespace revet::workspace
