// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/live_mounts.h"

#include "engine/launcher/mount_target.h"
#include "engine/launcher/steps.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::launcher {

namespace {

Result<UniqueFd> cloneOf(const Errand& errand, bool& isDirectory)
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd object, openPlainHostPath(hostTree(), errand.source));
    struct stat status = {};
    if (::fstat(object.get(), &status) != 0) {
        return failErrno("look at " + errand.source);
    }
    if (status.st_dev != errand.device || status.st_ino != errand.inode) {
        return fail(Error::fromErrno("show " + errand.source, ESTALE)); // no longer what the person meant
    }
    isDirectory = S_ISDIR(status.st_mode);
    UniqueFd tree(static_cast<int>(::syscall(SYS_open_tree, object.get(), "",
                                             AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE
                                                 | static_cast<unsigned>(OPEN_TREE_CLOEXEC))));
    if (!tree) {
        return failErrno("clone the mount of " + errand.source);
    }
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    attributes.attr_set |= errand.isReadOnly ? MOUNT_ATTR_RDONLY : 0U;
    if (::syscall(SYS_mount_setattr, tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                  sizeof attributes)
        != 0) {
        return failErrno("restrict the mount of " + errand.source);
    }
    return tree;
}

/// Not where the box cannot write, in its root, nor what it cannot move, as something is mounted there.
bool isMovable(int directory, int root)
{
    const auto look = [](int object, struct statx& status) {
        return ::statx(object, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) == 0
            && (status.stx_mask & STATX_MNT_ID) != 0;
    };
    struct statx here = {};
    struct statx top = {};
    const bool isMountPoint = look(directory, here) && (here.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    return !isMountPoint && (!look(root, top) || here.stx_mnt_id != top.stx_mnt_id);
}

/// The directory around a target, from which the box can no longer move it: what is told of the host's places
/// goes by their paths. The pins stay, as they would for a mount that was there from the start.
Result<UniqueFd> openPinned(const std::string& path)
{
    const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t slash = 0; slash < path.size();) {
        slash = std::min(path.find('/', slash + 1), path.size());
        REVET_ASSIGN_OR_RETURN(const auto directory,
                               openMountTarget(path.substr(0, slash), TargetType::Directory));
        if (isMovable(directory.get(), root.get())) {
            REVET_RETURN_IF_ERROR(pinDirectory(directory.get()));
        }
    }
    return openMountTarget(path, TargetType::Directory);
}

} // namespace

Result<UniqueFd> LiveMounts::mount(const Errand& errand)
{
    const std::size_t slash = errand.target.rfind('/');
    if (m_mounts.contains(errand.target) || slash == std::string::npos) {
        return fail(Error::fromErrno("mount at " + errand.target, EBUSY));
    }
    Mounted mounted;
    REVET_ASSIGN_OR_RETURN(UniqueFd tree, cloneOf(errand, mounted.isDirectory));
    mounted.name = errand.target.substr(slash + 1);
    REVET_ASSIGN_OR_RETURN(mounted.directory, openPinned(errand.target.substr(0, slash)));
    REVET_ASSIGN_OR_RETURN(const MountPlace place,
                           openMountPlace(mounted.directory.get(), mounted.name,
                                          mounted.isDirectory ? TargetType::Directory : TargetType::File));
    mounted.isPlaceMade = place.isMade;
    if (::syscall(SYS_move_mount, tree.get(), "", place.object.get(), "",
                  MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)
        != 0) {
        return failErrno("mount " + errand.source);
    }
    m_mounts.emplace(errand.target, std::move(mounted));
    return tree;
}

Result<UniqueFd> LiveMounts::cover(const Errand& errand)
{
    bool isDirectory = false;
    REVET_ASSIGN_OR_RETURN(UniqueFd tree, cloneOf(errand, isDirectory));
    const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    REVET_ASSIGN_OR_RETURN(const UniqueFd place, openPlainHostPath(root.get(), errand.target));
    if (::syscall(SYS_move_mount, tree.get(), "", place.get(), "",
                  MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)
        != 0) {
        return failErrno("cover " + errand.target);
    }
    return tree;
}

Result<void> LiveMounts::unmount(const std::string& target)
{
    const auto known = m_mounts.find(target);
    if (known == m_mounts.end()) {
        return {}; // it has been, and the answer came too late
    }
    const Mounted& mounted = known->second;
    // It may have gone with what it was mounted in.
    const bool isGone = ::fchdir(mounted.directory.get()) == 0
        && (::umount2(mounted.name.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0 || errno == EINVAL
            || errno == ENOENT);
    const int error = errno;
    if (isGone && mounted.isPlaceMade) { // an empty one, or the box has put something there
        ::unlinkat(AT_FDCWD, mounted.name.c_str(), mounted.isDirectory ? AT_REMOVEDIR : 0);
    }
    static_cast<void>(::chdir("/") == 0); // our own root: it is there
    if (!isGone) {
        return fail(Error::fromErrno("take " + target + " away", error));
    }
    m_mounts.erase(known);
    return {};
}

} // namespace revet::launcher
