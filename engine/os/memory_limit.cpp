// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/memory_limit.h"

#include <algorithm>

#include <sys/resource.h>
#include <unistd.h>

namespace revet::os {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/// A sanitizer's shadow of the memory counts as data, terabytes of it.
Result<void> limitOwnMemory()
{
    return {};
}
#else
Result<void> limitOwnMemory()
{
    constexpr rlim_t kMost = rlim_t{4} << 30U;
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long size = ::sysconf(_SC_PAGESIZE);
    const rlim_t half
        = pages > 0 && size > 0 ? static_cast<rlim_t>(pages) / 2 * static_cast<rlim_t>(size) : kMost;
    rlimit limit = {};
    if (::getrlimit(RLIMIT_DATA, &limit) != 0) {
        return failErrno("limit the memory");
    }
    limit.rlim_cur = std::min({limit.rlim_cur, half, kMost});
    limit.rlim_max = std::min(limit.rlim_max, limit.rlim_cur);
    return ::setrlimit(RLIMIT_DATA, &limit) == 0 ? Result<void>() : failErrno("limit the memory");
}
#endif

} // namespace revet::os
