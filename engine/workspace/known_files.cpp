// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/known_files.h"

#include <utility>

#include <fcntl.h>

namespace revet::workspace {

Result<std::int64_t> birthOf(int directory, const std::string& name)
{
    constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
    struct statx info = {};
    if (::statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_BTIME, &info) != 0) {
        return failErrno("look at a file");
    }
    return (info.stx_mask & STATX_BTIME) == 0
        ? 0
        : info.stx_btime.tv_sec * kNanosecondsPerSecond + info.stx_btime.tv_nsec;
}

const KnownFiles::Known* KnownFiles::find(int directory, const std::string& name, const struct stat& status)
{
    if (!m_known.contains({status.st_dev, status.st_ino})) {
        return nullptr;
    }
    const auto birth = birthOf(directory, name);
    return birth ? find(status, *birth) : nullptr;
}

const KnownFiles::Known* KnownFiles::find(const struct stat& status, std::int64_t birth)
{
    const auto known = m_known.find({status.st_dev, status.st_ino});
    if (known == m_known.end()) {
        return nullptr;
    }
    if (known->second.birth != birth) {
        m_known.erase(known);
        return nullptr;
    }
    return &known->second;
}

void KnownFiles::learn(const struct stat& status, Known known)
{
    const Key key{status.st_dev, status.st_ino};
    if (m_known.size() < kMaximum || m_known.contains(key)) {
        m_known[key] = std::move(known);
    }
}

void KnownFiles::forget(const struct stat& status)
{
    m_known.erase({status.st_dev, status.st_ino});
}

} // namespace revet::workspace
