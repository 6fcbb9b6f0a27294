// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/staging.h"

#include "engine/workspace/attributes.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/open_object.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

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
    REVET_ASSIGN_OR_RETURN(const bool isWhole, copyData(from, to, static_cast<std::uint64_t>(info.st_size)));
    if (!isWhole) {
        return fail(ErrorCode::Conflict, "copy a changed file", "it shrank at this moment");
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
