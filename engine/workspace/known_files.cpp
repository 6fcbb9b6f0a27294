// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/known_files.h"

#include <utility>

#include <fcntl.h>
#include <sys/sysmacros.h>

namespace revet::workspace {

Result<std::int64_t> birthOf(int directory, const std::string& name)
{
    struct statx info = {};
    if (::statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_BTIME, &info) != 0) {
        return failErrno("look at a file");
    }
    return birthIn(info);
}

std::int64_t birthIn(const struct statx& info)
{
    constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
    return (info.stx_mask & STATX_BTIME) == 0
        ? 0
        : info.stx_btime.tv_sec * kNanosecondsPerSecond + info.stx_btime.tv_nsec;
}

struct stat identityIn(const struct statx& info)
{
    struct stat status = {};
    status.st_dev = makedev(info.stx_dev_major, info.stx_dev_minor);
    status.st_ino = info.stx_ino;
    return status;
}

KnownFiles::Known KnownFiles::knownBy(const PreImageRecord& record, std::int64_t birth)
{
    Known known;
    known.birth = birth;
    known.isRecorded = true;
    known.content = record.content;
    known.object = record.object;
    known.entry = record.entry;
    if (record.entry.links > 1) {
        known.attributes = record.attributes;
        known.names.insert(record.path);
    }
    return known;
}

void KnownFiles::toFirstState(PreImageRecord& record, const Known* known)
{
    if (known != nullptr && known->isRecorded && (known->entry.links > 1 || record.entry.links > 1)) {
        record.entry = known->entry;
        if (known->entry.links > 1) {
            record.attributes = known->attributes;
        }
    }
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
