// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/watched_file.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::journal {

Result<WatchedFile> WatchedFile::open(std::filesystem::path file)
{
    // O_PATH: closing an ordinary descriptor would drop the locks that SQLite holds on the file (fcntl(2)).
    UniqueFd fd(::open(file.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) {
        return failErrno("open " + file.string());
    }
    return WatchedFile(std::move(fd), std::move(file));
}

Result<void> WatchedFile::check() const
{
    struct stat held = {};
    struct stat named = {};
    if (::fstat(m_fd.get(), &held) != 0) {
        return failErrno("look at " + m_file.string());
    }
    if (held.st_nlink == 0 || ::lstat(m_file.c_str(), &named) != 0 || named.st_ino != held.st_ino
        || named.st_dev != held.st_dev) {
        return fail(ErrorCode::Conflict, "write " + m_file.string(),
                    "somebody deleted or replaced the file while it was in use");
    }
    return {};
}

} // namespace revet::journal
