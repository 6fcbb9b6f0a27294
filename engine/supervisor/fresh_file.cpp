// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/fresh_file.h"

#include "engine/base/scope_exit.h"
#include "engine/base/unique_fd.h"
#include "engine/supervisor/root_resolver.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

// Long enough for what people link, short enough not to hold the other callers up.
constexpr off_t kMaximumCopy = off_t{256} * 1024 * 1024;

Result<void> writeAll(int fd, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t count = ::write(fd, content.data(), content.size());
        if (count < 0 && errno != EINTR) {
            return failErrno("write a fresh file");
        }
        content.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    return {};
}

Result<void> copyContent(int from, int to, off_t size)
{
    if (::ioctl(to, FICLONE, from) == 0) {
        return {};
    }
    if (size > kMaximumCopy) {
        return fail(Error::fromErrno("copy a large file", EFBIG));
    }
    while (true) {
        const ssize_t count
            = ::copy_file_range(from, nullptr, to, nullptr, static_cast<std::size_t>(kMaximumCopy), 0);
        if (count < 0) {
            return failErrno("copy a file");
        }
        if (count == 0) {
            return {};
        }
    }
}

void copyAttributes(int from, int to)
{
    std::array<char, 4096> names{};
    const ssize_t length = ::flistxattr(from, names.data(), names.size());
    std::vector<char> value(kMaximumJudgedFile);
    for (ssize_t i = 0; i < length;) {
        const std::string name(names.data() + i);
        const ssize_t size = ::fgetxattr(from, name.c_str(), value.data(), value.size());
        if (size >= 0) {
            // An attribute that may not be set here could not have been set by the box either.
            static_cast<void>(::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(size), 0));
        }
        i += static_cast<ssize_t>(name.size()) + 1;
    }
}

} // namespace

std::string passingName(std::string_view what)
{
    static std::atomic<unsigned> number{0};
    return ".revet-" + std::string(what) + '-' + std::to_string(::getpid()) + '-' + std::to_string(++number);
}

Result<std::string> readWhole(int fd, std::size_t maximum)
{
    struct stat status = {};
    if (::fstat(fd, &status) != 0) {
        return failErrno("look at a file");
    }
    if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) > maximum) {
        return fail(ErrorCode::LimitExceeded, "read a small regular file");
    }
    std::string content(maximum + 1, '\0');
    std::size_t length = 0;
    while (length < content.size()) {
        const ssize_t count
            = ::pread(fd, content.data() + length, content.size() - length, static_cast<off_t>(length));
        if (count < 0) {
            return failErrno("read a file");
        }
        if (count == 0) {
            break;
        }
        length += static_cast<std::size_t>(count);
    }
    if (length > maximum) {
        return fail(ErrorCode::LimitExceeded, "read a small regular file");
    }
    content.resize(length);
    return content;
}

Result<std::string> readEntry(int directory, const std::string& name, std::size_t maximum)
{
    const UniqueFd fd(
        ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd) {
        return failErrno("open a file");
    }
    return readWhole(fd.get(), maximum);
}

Result<void> installFresh(int directory, const std::string& name, std::string_view content, mode_t mode)
{
    const std::string passing = passingName("new");
    const UniqueFd fd(::openat(directory, passing.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) {
        return failErrno("create a fresh file");
    }
    ScopeExit cleanUp([&] { ::unlinkat(directory, passing.c_str(), 0); });
    REVET_RETURN_IF_ERROR(writeAll(fd.get(), content));
    if (::fchmod(fd.get(), mode & 0777U) != 0
        || ::renameat(directory, passing.c_str(), directory, name.c_str()) != 0) {
        return failErrno("put a fresh file in place");
    }
    cleanUp.dismiss();
    return {};
}

Result<void> replaceByCopy(int directory, const std::string& name, const struct stat& expected,
                           Content content)
{
    const UniqueFd from(
        ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status = {};
    if (!from || ::fstat(from.get(), &status) != 0) {
        return failErrno("open a file with several links");
    }
    if (!S_ISREG(status.st_mode) || status.st_dev != expected.st_dev || status.st_ino != expected.st_ino) {
        return fail(Error::fromErrno("find a file again", EAGAIN));
    }
    const std::string passing = passingName("copy");
    const UniqueFd to(::openat(directory, passing.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!to) {
        return failErrno("create a copy");
    }
    ScopeExit cleanUp([&] { ::unlinkat(directory, passing.c_str(), 0); });
    if (content == Content::Keep) {
        REVET_RETURN_IF_ERROR(copyContent(from.get(), to.get(), status.st_size));
    }
    copyAttributes(from.get(), to.get());
    const std::array<struct timespec, 2> times{status.st_atim, status.st_mtim};
    if (::fchmod(to.get(), status.st_mode & 0777U) != 0 || ::futimens(to.get(), times.data()) != 0
        || ::renameat(directory, passing.c_str(), directory, name.c_str()) != 0) {
        return failErrno("put a copy in place");
    }
    cleanUp.dismiss();
    return {};
}

} // namespace revet::supervisor
