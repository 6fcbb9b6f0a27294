// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/own_sockets.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace revet::supervisor {

void OwnSockets::add(int directory, const char* name)
{
    if (const Identity identity = identify(directory, name, AT_SYMLINK_NOFOLLOW); identity.inode != 0) {
        m_sockets.insert(identity);
    }
}

bool OwnSockets::contains(int object) const
{
    const Identity identity = identify(object, "", AT_EMPTY_PATH);
    return identity.inode != 0 && m_sockets.contains(identity);
}

OwnSockets::Identity OwnSockets::identify(int directory, const char* name, int flags)
{
    struct statx status = {};
    if (::statx(directory, name, flags, STATX_INO | STATX_BTIME | STATX_TYPE, &status) != 0
        || !S_ISSOCK(status.stx_mode)) {
        return {};
    }
    const bool hasBirth = (status.stx_mask & STATX_BTIME) != 0;
    return {::makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino,
            hasBirth ? status.stx_btime.tv_sec : 0, hasBirth ? status.stx_btime.tv_nsec : 0};
}

} // namespace revet::supervisor
