// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"
#include "engine/launcher/steps.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::launcher {

namespace {

Result<void> enterInnerMounts()
{
    if (::unshare(CLONE_NEWNS) != 0) {
        return failErrno("make the box's mount namespace");
    }
    // Receives what the keeper mounts later, and sends nothing back.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
        return failErrno("make the box's mounts receive only");
    }
    return {};
}

Result<void> enterInnerUser()
{
    const uid_t uid = ::getuid();
    const gid_t gid = ::getgid();
    // All other namespaces stay with the keeper's user namespace: not even a box process that has all
    // capabilities in its own can mount, unmount, remount, or configure a network.
    if (::unshare(CLONE_NEWUSER) != 0) {
        return failErrno("make the box's own user namespace");
    }
    return mapOwnIds(uid, gid);
}

/// Writes one number below /proc/sys/user, which always concerns the writer's own user namespace.
Result<void> writeUserLimit(const char* name, const char* value)
{
    const std::string path = std::string("/proc/sys/user/") + name;
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || ::write(file.get(), value, std::strlen(value)) < 0) {
        return failErrno("limit " + path);
    }
    return {};
}

Result<void> limitNamespaces()
{
    constexpr std::array kKinds
        = {"max_cgroup_namespaces", "max_ipc_namespaces",  "max_mnt_namespaces",  "max_net_namespaces",
           "max_pid_namespaces",    "max_time_namespaces", "max_user_namespaces", "max_uts_namespaces"};
    for (const char* kind : kKinds) {
        REVET_RETURN_IF_ERROR(writeUserLimit(kind, "0"));
    }
    // inotify instances are charged to the human too, whose own limit is often 128: leave them some.
    return writeUserLimit("max_inotify_instances", "96");
}

Result<void> makeReadOnly(const std::string& path)
{
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    // The root alone is not recursive: below it are mounts that are meant to be written.
    const unsigned scope = path == "/" ? 0U : static_cast<unsigned>(AT_RECURSIVE);
    if (::syscall(SYS_mount_setattr, AT_FDCWD, path.c_str(),
                  scope | static_cast<unsigned>(AT_SYMLINK_NOFOLLOW), &attributes, sizeof attributes)
        != 0) {
        return failErrno("make " + path + " read-only");
    }
    return {};
}

/// Keys have no namespace: /proc/keys would name those of the human.
Result<void> hideKeys(const std::string& processes)
{
    for (const char* const name : {"/keys", "/key-users"}) {
        const std::string path = processes + name;
        if (::mount("/dev/null", path.c_str(), nullptr, MS_BIND, nullptr) != 0 && errno != ENOENT) {
            return failErrno("hide " + path);
        }
    }
    return {};
}

Result<void> mountProcesses(const std::string& target)
{
    if (::mount("proc", target.c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
        return failErrno("mount the box's process table");
    }
    return hideKeys(target);
}

Result<void> check(int result, const char* what)
{
    return result == 0 ? Result<void>() : failErrno(what);
}

/// With what lies on it: the host's tree, and what covers that.
Result<void> detachHost()
{
    return check(::umount2("/old", MNT_DETACH), "take the host's tree away");
}

} // namespace

Result<void> dropCapabilities()
{
    for (unsigned long capability = 0;; ++capability) {
        const int held = ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
        if (held < 0) {
            break; // past the last one that this kernel knows
        }
        if (held == 1 && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            return failErrno("drop a capability from the bounding set");
        }
    }
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
        return failErrno("clear the ambient capabilities");
    }
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> none{};
    return check(static_cast<int>(::syscall(SYS_capset, &header, none.data())), "drop all capabilities");
}

Result<void> runInitStep(const Step& step)
{
    switch (step.kind) {
    case StepKind::InnerMounts:
        return enterInnerMounts();
    case StepKind::Processes:
        return mountProcesses(step.target);
    case StepKind::DetachHost:
        return detachHost();
    case StepKind::ReadOnly:
        return makeReadOnly(step.target);
    case StepKind::InnerUser:
        return enterInnerUser();
    case StepKind::LimitNamespaces:
        return limitNamespaces();
    case StepKind::DropCapabilities:
        return dropCapabilities();
    case StepKind::HideInit:
        return check(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "hide pid 1");
    case StepKind::OuterNamespaces:
    case StepKind::EmptyRoot:
    case StepKind::Directory:
    case StepKind::Symlink:
    case StepKind::File:
    case StepKind::Copy:
    case StepKind::TemporaryFs:
    case StepKind::Bind:
    case StepKind::Pin:
    case StepKind::Overlay:
    case StepKind::Terminals:
    case StepKind::RemoveAtEnd:
    case StepKind::Gateway:
    case StepKind::HideHost:
    case StepKind::ShareRoot:
    case StepKind::OwnNamespaces:
    case StepKind::HostName:
    case StepKind::Loopback:
    case StepKind::FreshKeyring:
    case StepKind::Umask:
    case StepKind::NoNewPrivileges:
    case StepKind::LoadFilter:
    case StepKind::CloseDescriptors:
        break;
    }
    return fail(ErrorCode::Malformed, "run " + describe(step), "it is not a step of pid 1");
}

} // namespace revet::launcher
