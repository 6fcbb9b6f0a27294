// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/open_beneath.h"

#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::os {

namespace {

UniqueFd openPart(int root, const std::string& path, std::uint64_t flags)
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

} // namespace

UniqueFd openBeneath(int root, const std::string& path, std::uint64_t flags)
{
    if (path.size() < PATH_MAX) {
        return openPart(root, path, flags);
    }
    const std::size_t slash = path.rfind('/', PATH_MAX - 1);
    if (slash == std::string::npos || slash == 0) {
        errno = ENAMETOOLONG;
        return {};
    }
    const UniqueFd directory = openPart(root, path.substr(0, slash), O_PATH | O_DIRECTORY);
    return directory ? openBeneath(directory.get(), path.substr(slash + 1), flags) : UniqueFd();
}

} // namespace revet::os
