// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/pidfd.h"

#include "engine/os/uapi.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::os {

Result<UniqueFd> openPidFd(int pid)
{
    UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!fd) {
        return failErrno("open a process");
    }
    return fd;
}

bool isPidFdAlive(int pidFd)
{
    return ::syscall(SYS_pidfd_send_signal, pidFd, 0, nullptr, 0) == 0;
}

Result<UniqueFd> duplicateFrom(int pidFd, int descriptor)
{
    UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_getfd, pidFd, descriptor, 0)));
    if (!fd) {
        return failErrno("duplicate a descriptor of the target");
    }
    return fd;
}

std::optional<std::int32_t> waitStatusOf(int pidFd)
{
    PidFdInfo info{};
    info.mask = kPidFdInfoExit;
    if (::ioctl(pidFd, kPidFdGetInfo, &info) < 0 || (info.mask & kPidFdInfoExit) == 0) {
        return std::nullopt;
    }
    return info.exitCode;
}

} // namespace revet::os
