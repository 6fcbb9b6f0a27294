// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Kernel constants that Debian 12's headers (6.1) or its glibc (2.36) lack.

#include <cstdint>

#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) // Linux 5.19
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP // Linux 6.6
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 // Linux 6.5
#endif
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76 // Linux 6.5
#define SCM_PIDFD 0x04
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83 // Linux 6.16
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452 // NOLINT(readability-identifier-naming): the kernel's name; Linux 6.6
#endif

namespace revet::os {

inline constexpr std::uint32_t kOpenCloseOnExec = O_CLOEXEC;

/// struct pidfd_info in its first size (Linux 6.13); the kernel takes its length from the request's number.
struct PidFdInfo
{
    std::uint64_t mask;
    std::uint64_t cgroupId;
    std::uint32_t pid;
    std::uint32_t tgid;
    std::uint32_t ppid;
    std::uint32_t credentials[8];
    std::int32_t exitCode; ///< with kPidFdInfoExit (Linux 6.15), as wait(2) tells it
};
static_assert(sizeof(PidFdInfo) == 64);
inline constexpr unsigned long kPidFdGetInfo = _IOWR(0xFF, 11, PidFdInfo);
inline constexpr std::uint64_t kPidFdInfoExit = 1U << 3U;

} // namespace revet::os
