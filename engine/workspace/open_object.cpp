// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/open_object.h"

#include "engine/workspace/entry.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::workspace {

namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// The kernel takes no O_PATH descriptor for these calls, but the file that this leads to, whatever it is.
std::string pathOf(int object)
{
    return "/proc/self/fd/" + std::to_string(object);
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

} // namespace revet::workspace
