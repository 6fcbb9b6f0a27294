// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"
#include "engine/launcher/gateway.h"
#include "engine/launcher/mount_target.h"
#include "engine/launcher/pid_one.h"
#include "engine/launcher/steps.h"
#include "engine/launcher/wire.h"
#include "engine/os/socket.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <net/if.h>

namespace revet::launcher {

namespace {

constexpr const char* kHostTree = "/old/host";

Result<void> writeFile(const char* path, const std::string& content)
{
    const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
    if (!file
        || ::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
        return failErrno(std::string("write ") + path);
    }
    return {};
}

InTheWay inTheWayOf(const Step& step)
{
    return (step.flags & bind_flag::kMovesAside) != 0 ? InTheWay::MoveAside : InTheWay::Fail;
}

UniqueFd& keptHostTree()
{
    static UniqueFd tree;
    return tree;
}

/// The root of the host's tree; opened once.
Result<int> reachHostTree()
{
    UniqueFd& tree = keptHostTree();
    if (!tree) {
        tree.reset(::open(kHostTree, O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    return tree ? Result<int>(tree.get()) : failErrno("open the host's tree");
}

Result<void> enterOuterNamespaces()
{
    const uid_t uid = ::getuid();
    const gid_t gid = ::getgid();
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return failErrno("make a user namespace");
    }
    REVET_RETURN_IF_ERROR(mapOwnIds(uid, gid));
    // Nothing that is mounted from here on may travel back to the host.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        return failErrno("make the mounts private");
    }
    return {};
}

Result<void> enterOwnNamespaces()
{
    return ::unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP) == 0
        ? Result<void>()
        : failErrno("make the box's own namespaces");
}

Result<void> bringLoopbackUp()
{
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
    if (!socket || ::ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0) {
        return failErrno("look at the loopback interface");
    }
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) {
        return failErrno("bring the loopback interface up");
    }
    return {};
}

Result<void> makeEmptyRoot()
{
    // /tmp is only a place to stand on: after pivot_root the host's own /tmp is visible again below it.
    if (::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") != 0) {
        return failErrno("mount an empty root");
    }
    // The host's tree lies on a mount of its own: to take that away takes all along, and the kernel waits
    // once.
    if (::mkdir("/tmp/old", 0700) != 0
        || ::mount("tmpfs", "/tmp/old", "tmpfs", MS_NOSUID | MS_NODEV, "mode=700") != 0
        || ::mkdir("/tmp/old/host", 0700) != 0 || ::chdir("/tmp") != 0
        || ::syscall(SYS_pivot_root, ".", "old/host") != 0 || ::chdir("/") != 0) {
        return failErrno("change to the empty root");
    }
    return {};
}

Result<void> makeFile(const std::string& target, std::string_view content)
{
    const UniqueFd file(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
    if (!file
        || ::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
        return failErrno("write " + target);
    }
    return {};
}

Result<void> copyFile(const Step& step)
{
    constexpr std::size_t kMaximumBytes = std::size_t{1} << 20U;
    REVET_ASSIGN_OR_RETURN(const int host, reachHostTree());
    const auto source = openHostFile(host, step.source);
    const auto content = source ? os::readAll(source->get(), kMaximumBytes) : fail(source.error());
    return content && !content->empty() ? makeFile(step.target, *content) : Result<void>();
}

Result<void> bindHostPath(const Step& step)
{
    REVET_ASSIGN_OR_RETURN(const int host, reachHostTree());
    auto source = openHostPath(host, step.source);
    if (!source) {
        const bool skip = source.error().errnoValue == ENOENT && (step.flags & bind_flag::kOptional) != 0;
        return skip ? Result<void>() : fail(source.error());
    }
    struct stat info
    {
    };
    if (::fstat(source->get(), &info) != 0) {
        return failErrno("look at " + step.source);
    }
    // Recursive, since the kernel does not let go of submounts that were locked to their parents by the
    // change of user namespace.
    const UniqueFd tree(static_cast<int>(::syscall(SYS_open_tree, source->get(), "",
                                                   AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE
                                                       | static_cast<unsigned>(OPEN_TREE_CLOEXEC))));
    if (!tree) {
        return failErrno("clone the mount of " + step.source);
    }
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_NOSUID;
    attributes.attr_set |= (step.flags & bind_flag::kDevice) != 0 ? 0U : MOUNT_ATTR_NODEV;
    attributes.attr_set |= (step.flags & bind_flag::kReadOnly) != 0 ? MOUNT_ATTR_RDONLY : 0U;
    if (::syscall(SYS_mount_setattr, tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                  sizeof attributes)
        != 0) {
        return failErrno("restrict the mount of " + step.source);
    }
    REVET_ASSIGN_OR_RETURN(const auto target,
                           openMountTarget(step.target,
                                           S_ISDIR(info.st_mode) ? TargetType::Directory : TargetType::File,
                                           inTheWayOf(step)));
    if (::syscall(SYS_move_mount, tree.get(), "", target.get(), "",
                  MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)
        != 0) {
        return failErrno("mount " + step.source);
    }
    return {};
}

Result<void> mountOverlay(const Step& step)
{
    // Fixed names for the layers: no path needs escaping in the options, and none of the host's shows in
    // mountinfo.
    const Step lower{StepKind::Bind, step.source, "/.layer/lower", {}, bind_flag::kReadOnly};
    const Step top{StepKind::Bind, step.data, "/.layer/top", {}, 0};
    REVET_RETURN_IF_ERROR(bindHostPath(lower));
    REVET_RETURN_IF_ERROR(bindHostPath(top));
    REVET_ASSIGN_OR_RETURN(const auto target,
                           openMountTarget(step.target, TargetType::Directory, inTheWayOf(step)));
    const int mounted
        = ::mount("overlay", step.target.c_str(), "overlay", MS_NOSUID | MS_NODEV,
                  "lowerdir=/.layer/lower,upperdir=/.layer/top/closed/upper,workdir=/.layer/top/work,"
                  "userxattr,index=off,metacopy=off,xino=off,volatile");
    auto result = mounted == 0 ? Result<void>() : failErrno("mount a layer over " + step.source);
    // The overlay holds its layers by itself.
    if (::umount2("/.layer/lower", MNT_DETACH) != 0 || ::umount2("/.layer/top", MNT_DETACH) != 0) {
        return failErrno("take the layers' staging place away");
    }
    ::rmdir("/.layer/lower");
    ::rmdir("/.layer/top");
    ::rmdir("/.layer");
    return result;
}

Result<void> mountAt(const Step& step, const char* type, unsigned long flags, const char* options)
{
    REVET_ASSIGN_OR_RETURN(const auto target, openMountTarget(step.target, TargetType::Directory));
    if (::mount(type, step.target.c_str(), type, flags, options) != 0) {
        return failErrno(std::string("mount ") + type + " at " + step.target);
    }
    return {};
}

/// By an empty place, in which every name is absent. Covered, not detached: a mount that is nowhere attached
/// could not be cloned for later grants (Linux 6.1).
Result<void> hideHost()
{
    REVET_RETURN_IF_ERROR(reachHostTree()); // before it is covered
    if (::mount("none", kHostTree, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=555,size=4k")
        != 0) {
        return failErrno("cover the host's tree");
    }
    return {};
}

Result<void> openGateway(const Step& step)
{
    const auto made = makeGateway(step.source.c_str());
    if (!made && step.data != kOptionalGateway) {
        return fail(made.error());
    }
    Report report;
    report.kind = Report::Kind::Gateway;
    if (!made) {
        return os::sendPacket(kKeeperSocket, encode(report), {});
    }
    const GatewaySockets& sockets = *made;
    // The rest of the box is built meanwhile.
    const pid_t child = ::fork();
    if (child != 0) {
        return child > 0 ? Result<void>() : failErrno("start the gateway's tap");
    }
    if (const auto started = startTap(sockets); !started) {
        reportFailure(kKeeperSocket, step, started.error());
    }
    std::vector<int> descriptors;
    for (const UniqueFd& socket : sockets) {
        if (socket) { // the last is none without IPv6
            descriptors.push_back(socket.get());
        }
    }
    ::_exit(os::sendPacket(kKeeperSocket, encode(report), descriptors) ? 0 : 1);
}

Result<void> shareRoot()
{
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) != 0) {
        return failErrno("share the tree");
    }
    const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) {
        return failErrno("open the tree");
    }
    Report report;
    report.kind = Report::Kind::Root;
    const std::array descriptors{root.get()};
    return os::sendPacket(kKeeperSocket, encode(report), descriptors);
}

} // namespace

Result<void> mapOwnIds(unsigned uid, unsigned gid)
{
    // Without "deny" the kernel refuses an unprivileged gid_map (user_namespaces(7)).
    REVET_RETURN_IF_ERROR(writeFile("/proc/self/setgroups", "deny"));
    REVET_RETURN_IF_ERROR(
        writeFile("/proc/self/uid_map", std::to_string(uid) + " " + std::to_string(uid) + " 1"));
    return writeFile("/proc/self/gid_map", std::to_string(gid) + " " + std::to_string(gid) + " 1");
}

int hostTree()
{
    return keptHostTree().get();
}

void closeHostTree()
{
    keptHostTree().reset();
}

Result<void> runKeeperStep(const Step& step)
{
    switch (step.kind) {
    case StepKind::OuterNamespaces:
        return enterOuterNamespaces();
    case StepKind::EmptyRoot:
        return makeEmptyRoot();
    case StepKind::Directory: {
        REVET_ASSIGN_OR_RETURN(const auto made, openMountTarget(step.target, TargetType::Directory));
        const auto mode = static_cast<mode_t>(std::strtoul(step.data.c_str(), nullptr, 8));
        if (::chmod(step.target.c_str(), mode) != 0) {
            return failErrno("set the mode of " + step.target);
        }
        return {};
    }
    case StepKind::Symlink:
        if (::symlink(step.data.c_str(), step.target.c_str()) != 0) {
            return failErrno("link " + step.target);
        }
        return {};
    case StepKind::File:
        return makeFile(step.target, step.data);
    case StepKind::Copy:
        return copyFile(step);
    case StepKind::TemporaryFs:
        return mountAt(step, "tmpfs", MS_NOSUID | MS_NODEV, step.data.c_str());
    case StepKind::Bind:
        return bindHostPath(step);
    case StepKind::Pin: {
        REVET_ASSIGN_OR_RETURN(const auto directory,
                               openMountTarget(step.target, TargetType::Directory, inTheWayOf(step)));
        return pinDirectory(directory.get());
    }
    case StepKind::Overlay:
        return mountOverlay(step);
    case StepKind::Terminals:
        return mountAt(step, "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620");
    case StepKind::RemoveAtEnd:
        return {}; // the keeper remembers it for later
    case StepKind::Gateway:
        return openGateway(step);
    case StepKind::HideHost:
        return hideHost();
    case StepKind::ShareRoot:
        return shareRoot();
    case StepKind::OwnNamespaces:
        return enterOwnNamespaces();
    case StepKind::HostName:
        return ::sethostname(step.data.data(), step.data.size()) == 0 ? Result<void>()
                                                                      : failErrno("set the host name");
    case StepKind::Loopback:
        return bringLoopbackUp();
    case StepKind::InnerMounts:
    case StepKind::Processes:
    case StepKind::DetachHost:
    case StepKind::ReadOnly:
    case StepKind::InnerUser:
    case StepKind::LimitNamespaces:
    case StepKind::HideInit:
    case StepKind::FreshKeyring:
    case StepKind::Umask:
    case StepKind::NoNewPrivileges:
    case StepKind::DropCapabilities:
    case StepKind::LoadFilter:
    case StepKind::CloseDescriptors:
        break;
    }
    return fail(ErrorCode::Malformed, "run " + describe(step), "it is not a step of the keeper");
}

} // namespace revet::launcher
