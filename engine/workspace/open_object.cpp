// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/open_object.h"

#include "engine/workspace/entry.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>

namespace revet::workspace {

namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// The kernel takes no O_PATH descriptor for these calls, but the file that this leads to, whatever it is.
std::string pathOf(int object)
{
    return "/proc/self/fd/" + std::to_string(object);
}

bool isMissing(int error)
{
    return error == ENODATA || error == ENOTSUP;
}

} // namespace

Result<UniqueFd> openObject(int root, const std::string& path)
{
    Parent parent;
    int directory = root;
    if (path.empty()) {
        parent.name = ".";
    } else {
        REVET_ASSIGN_OR_RETURN(parent, openParent(root, path));
        directory = parent.directory.get();
    }
    UniqueFd object(::openat(directory, parent.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    return object ? Result<UniqueFd>(std::move(object)) : failErrno("open " + path);
}

Result<void> setMode(int object, mode_t mode)
{
    return ::chmod(pathOf(object).c_str(), mode) == 0 ? Result<void>() : failErrno("set a mode");
}

Result<void> setTime(int object, std::int64_t changed)
{
    std::int64_t seconds = changed / kNanosecondsPerSecond;
    std::int64_t rest = changed % kNanosecondsPerSecond;
    if (rest < 0) {
        rest += kNanosecondsPerSecond;
        --seconds;
    }
    const timespec times[2] = {{0, UTIME_OMIT}, {seconds, rest}};
    return ::utimensat(AT_FDCWD, pathOf(object).c_str(), times, 0) == 0 ? Result<void>()
                                                                        : failErrno("set a time");
}

Result<std::vector<std::string>> attributeNames(int object)
{
    std::string list(XATTR_LIST_MAX, '\0');
    const ssize_t size = ::listxattr(pathOf(object).c_str(), list.data(), list.size());
    if (size < 0 && !isMissing(errno)) {
        return failErrno("list extended attributes");
    }
    std::vector<std::string> names;
    const std::size_t end = size < 0 ? 0 : static_cast<std::size_t>(size);
    for (std::size_t at = 0; at < end; at += names.back().size() + 1) {
        names.emplace_back(list.c_str() + at);
    }
    return names;
}

Result<std::optional<std::string>> attributeOf(int object, const std::string& name)
{
    std::string value(XATTR_SIZE_MAX, '\0');
    const ssize_t size = ::getxattr(pathOf(object).c_str(), name.c_str(), value.data(), value.size());
    if (size < 0) {
        return isMissing(errno) ? Result<std::optional<std::string>>(std::nullopt)
                                : failErrno("read the extended attribute " + name);
    }
    value.resize(static_cast<std::size_t>(size));
    return std::optional(std::move(value));
}

Result<void> changeAttribute(int object, const std::string& name, const std::optional<std::string>& value)
{
    const std::string path = pathOf(object);
    const int result = value ? ::setxattr(path.c_str(), name.c_str(), value->data(), value->size(), 0)
                             : ::removexattr(path.c_str(), name.c_str());
    if (result != 0 && (value || !isMissing(errno))) {
        return failErrno("set the extended attribute " + name);
    }
    return {};
}

} // namespace revet::workspace
