// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace revet {

void UniqueFd::reset(int fd) noexcept
{
    if (m_fd >= 0) {
        const int kept = errno;
        // Linux releases the descriptor even when close() reports EINTR or EIO: never retry.
        ::close(m_fd);
        errno = kept;
    }
    m_fd = fd;
}

Result<UniqueFd> UniqueFd::duplicate() const
{
    UniqueFd copy(::fcntl(m_fd, F_DUPFD_CLOEXEC, 3));
    if (!copy) {
        return failErrno("duplicate a file descriptor");
    }
    return copy;
}

} // namespace revet
