// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/object_store.h"

#include "engine/base/scope_exit.h"
#include "engine/domain/size_text.h"
#include "engine/workspace/attributes.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/pre_image_record.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr std::uint64_t kBlock = 512; // of st_blocks, whatever the file system's own

} // namespace

Result<ObjectStore> ObjectStore::create(const std::filesystem::path& directory, const PreImageLimits& limits)
{
    ObjectStore store;
    store.m_limits = limits;
    store.m_directory.reset(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!store.m_directory) {
        return failErrno("open " + directory.string());
    }
    return store;
}

Result<void> ObjectStore::take(const Spot& spot, std::uint64_t object) const
{
    return ::renameat(spot.directory, spot.name.c_str(), m_directory.get(), objectName(object).c_str()) == 0
        ? Result<void>()
        : failErrno("keep a file");
}

Result<void> ObjectStore::link(const Spot& spot, std::uint64_t object) const
{
    return ::linkat(spot.directory, spot.name.c_str(), m_directory.get(), objectName(object).c_str(), 0) == 0
        ? Result<void>()
        : failErrno("keep a file");
}

void ObjectStore::drop(std::uint64_t object) const
{
    ::unlinkat(m_directory.get(), objectName(object).c_str(), 0);
}

UniqueFd ObjectStore::open(const Spot& spot)
{
    return UniqueFd(::openat(spot.directory, spot.name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

bool ObjectStore::isOpenForWriting(const UniqueFd& file)
{
    // A read lease is given on what nobody has open for writing, and is gone with the descriptor.
    return file && ::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
}

Result<void> ObjectStore::copy(const Spot& spot, const struct stat& status, std::uint64_t object)
{
    constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    UniqueFd from(::openat(spot.directory, spot.name.c_str(), kFlags | O_NOATIME));
    if (!from && errno == EPERM) { // somebody else's file
        from.reset(::openat(spot.directory, spot.name.c_str(), kFlags));
    }
    struct stat now = {};
    if (!from || ::fstat(from.get(), &now) != 0) {
        return failErrno("open a file to keep");
    }
    if (!S_ISREG(now.st_mode) || now.st_dev != status.st_dev || now.st_ino != status.st_ino) {
        return fail(Error::fromErrno("find a file again", EAGAIN));
    }
    const std::string name = objectName(object);
    const UniqueFd to(
        ::openat(m_directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!to) {
        return failErrno("keep a file");
    }
    ScopeExit cleanUp([&] { drop(object); });
    if (::ioctl(to.get(), FICLONE, from.get()) != 0) {
        const auto size = static_cast<std::uint64_t>(now.st_size);
        const std::uint64_t data = std::min(size, static_cast<std::uint64_t>(now.st_blocks) * kBlock);
        if (data > m_limits.largestCopy) {
            return fail(ErrorCode::LimitExceeded, "keep a file",
                        "larger than " + sizeText(m_limits.largestCopy) + " and written in place");
        }
        if (m_copied + data > m_limits.budget) {
            return fail(ErrorCode::LimitExceeded, "keep a file",
                        "the session's " + sizeText(m_limits.budget) + " for copies are used up");
        }
        // Of one that shrinks meanwhile the end is lost already.
        if (const auto copied = copyData(from, to, size); !copied) {
            return fail(copied.error());
        }
        m_copied += data;
    }
    for (const auto& attribute : readAttributes(from.get())) {
        // What may not be set here could not be set when it is put back either.
        static_cast<void>(changeAttribute(to.get(), attribute.name, attribute.value));
    }
    const std::array<struct timespec, 2> times{now.st_atim, now.st_mtim};
    if (::fchmod(to.get(), now.st_mode & 0777U) != 0 || ::futimens(to.get(), times.data()) != 0) {
        return failErrno("keep a file");
    }
    cleanUp.dismiss();
    return {};
}

Result<void> ObjectStore::separate(const Spot& spot, const struct stat& status, std::uint64_t object)
{
    const std::uint64_t copied = reserve();
    REVET_RETURN_IF_ERROR(copy(spot, status, copied));
    return ::renameat(m_directory.get(), objectName(copied).c_str(), m_directory.get(),
                      objectName(object).c_str())
            == 0
        ? Result<void>()
        : failErrno("keep a file");
}

} // namespace revet::workspace
