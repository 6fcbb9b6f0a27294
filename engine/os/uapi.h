// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Kernel constants that Debian 12's headers (6.1) or its glibc (2.36) lack.

#include <cstdint>

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) // Linux 5.19
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452 // Linux 6.6
#endif

namespace revet::os {

inline constexpr std::uint32_t kOpenCloseOnExec = O_CLOEXEC;

} // namespace revet::os
