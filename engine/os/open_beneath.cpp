// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/open_beneath.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::os {

UniqueFd openBeneath(int root, const std::string& path, std::uint64_t flags)
{
    open_how how{};
    how.flags = flags | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const char* const text = path.empty() ? "." : path.c_str();
    for (;;) {
        UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root, text, &how, sizeof how)));
        // EAGAIN: a rename anywhere on the machine crossed the walk (openat2(2), RESOLVE_BENEATH).
        if (fd || errno != EAGAIN) {
            return fd;
        }
    }
}

} // namespace revet::os
