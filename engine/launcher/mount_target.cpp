// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/mount_target.h"

#include <cerrno>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::launcher {

namespace {

int openAt2(int directory, const char* path, std::uint64_t flags, std::uint64_t resolve)
{
    open_how how{};
    how.flags = flags;
    how.resolve = resolve;
    for (;;) {
        const auto fd = static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how));
        // EAGAIN: a mount or rename anywhere on the machine crossed the walk (openat2(2), RESOLVE_IN_ROOT).
        if (fd >= 0 || errno != EAGAIN) {
            return fd;
        }
    }
}

/// Opens one component as a mount point (O_PATH); -1 and errno otherwise.
int openComponent(int directory, const std::string& name, TargetType type)
{
    const std::uint64_t flags
        = O_PATH | O_NOFOLLOW | O_CLOEXEC | (type == TargetType::Directory ? O_DIRECTORY : 0);
    UniqueFd opened(openAt2(directory, name.c_str(), flags, RESOLVE_NO_SYMLINKS));
    struct stat info = {};
    if (opened && type == TargetType::File && (::fstat(opened.get(), &info) != 0 || S_ISDIR(info.st_mode))) {
        errno = EISDIR;
        return -1;
    }
    return opened.release();
}

int makeComponent(int directory, const std::string& name, TargetType type)
{
    if (type == TargetType::Directory) {
        return ::mkdirat(directory, name.c_str(), 0755) == 0 || errno == EEXIST ? 0 : -1;
    }
    const UniqueFd made(
        ::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
    return made ? 0 : -1;
}

bool moveAside(int directory, const std::string& name)
{
    constexpr int kMostNames = 1000;
    for (int i = 0; i < kMostNames; ++i) {
        const std::string aside = name + ".revet-aside" + (i == 0 ? "" : std::to_string(i));
        if (::syscall(SYS_renameat2, directory, name.c_str(), directory, aside.c_str(), RENAME_NOREPLACE)
            == 0) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

} // namespace

Result<UniqueFd> openMountTarget(const std::string& path, TargetType type, InTheWay inTheWay)
{
    UniqueFd current(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!current) {
        return failErrno("open the new root");
    }
    std::string_view rest(path);
    while (!rest.empty()) {
        const std::size_t slash = rest.find('/');
        const std::string name(rest.substr(0, slash));
        rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
        if (name.empty()) {
            continue;
        }
        const TargetType wanted = rest.empty() ? type : TargetType::Directory;
        int next = openComponent(current.get(), name, wanted);
        const bool isInTheWay = next < 0 && (errno == ENOTDIR || errno == EISDIR || errno == ELOOP);
        if (isInTheWay && (inTheWay == InTheWay::Fail || !moveAside(current.get(), name))) {
            return failErrno("reach the mount point " + path);
        }
        if (next < 0 && (isInTheWay || errno == ENOENT)) {
            if (makeComponent(current.get(), name, wanted) != 0) {
                return failErrno("make the mount point " + path);
            }
            next = openComponent(current.get(), name, wanted);
        }
        if (next < 0) {
            return failErrno("reach the mount point " + path);
        }
        current.reset(next);
    }
    return current;
}

Result<MountPlace> openMountPlace(int directory, const std::string& name, TargetType type)
{
    MountPlace place{UniqueFd(openComponent(directory, name, type)), false};
    if (!place.object && errno == ENOENT) {
        place.isMade = makeComponent(directory, name, type) == 0;
        place.object.reset(place.isMade ? openComponent(directory, name, type) : -1);
    }
    return place.object ? Result<MountPlace>(std::move(place)) : failErrno("reach the mount point " + name);
}

Result<void> pinDirectory(int directory)
{
    // Recursive for what the host itself has mounted below.
    const UniqueFd tree(static_cast<int>(::syscall(SYS_open_tree, directory, "",
                                                   AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE
                                                       | static_cast<unsigned>(OPEN_TREE_CLOEXEC))));
    if (!tree
        || ::syscall(SYS_move_mount, tree.get(), "", directory, "",
                     MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)
            != 0) {
        return failErrno("pin a directory above a mount point");
    }
    return {};
}

Result<UniqueFd> openHostPath(int hostRoot, const std::string& path)
{
    UniqueFd object(
        openAt2(hostRoot, path.c_str(), O_PATH | O_CLOEXEC, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS));
    if (!object) {
        return failErrno("open " + path + " of the host");
    }
    return object;
}

Result<UniqueFd> openPlainHostPath(int hostRoot, const std::string& path)
{
    UniqueFd object(openAt2(hostRoot, path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC,
                            RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS));
    if (!object) {
        return failErrno("open " + path + " of the host");
    }
    return object;
}

Result<UniqueFd> openHostFile(int hostRoot, const std::string& path)
{
    UniqueFd file(openAt2(hostRoot, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                          RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS));
    struct stat info = {};
    if (!file || ::fstat(file.get(), &info) != 0) {
        return failErrno("open " + path + " of the host");
    }
    if (!S_ISREG(info.st_mode)) {
        return fail(ErrorCode::InvalidArgument, "open " + path + " of the host", "it is no regular file");
    }
    return file;
}

} // namespace revet::launcher
