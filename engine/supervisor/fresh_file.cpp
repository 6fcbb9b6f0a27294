// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/fresh_file.h"

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

/// A file on its way to its name; removed where it does not get there.
class PassingFile
{
public:
    PassingFile(int record, int directory, std::string_view what)
        : m_record(record)
        , m_directory(directory)
        , m_name(std::string(kPassingPrefix).append(what) + '-' + std::to_string(::getpid()) + '-'
                 + std::to_string(++s_number))
    {
    }
    ~PassingFile()
    {
        if (m_isThere) {
            ::unlinkat(m_directory, m_name.c_str(), 0);
        }
        if (m_record >= 0) {
            static_cast<void>(::ftruncate(m_record, 0) == 0); // what stands there is not there: no harm
        }
    }
    PassingFile(const PassingFile&) = delete;
    PassingFile& operator=(const PassingFile&) = delete;
    PassingFile(PassingFile&&) = delete;
    PassingFile& operator=(PassingFile&&) = delete;

    [[nodiscard]] Result<UniqueFd> create()
    {
        if (m_record >= 0) {
            REVET_ASSIGN_OR_RETURN(const std::string path, pathOfDescriptor(m_directory));
            const std::string line = path + '/' + m_name;
            if (::pwrite(m_record, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
                return failErrno("note a passing file");
            }
        }
        UniqueFd file(::openat(m_directory, m_name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!file) {
            return failErrno("create a passing file");
        }
        m_isThere = true;
        return file;
    }
    [[nodiscard]] Result<void> place(const std::string& name)
    {
        m_isThere = ::renameat(m_directory, m_name.c_str(), m_directory, name.c_str()) != 0;
        return m_isThere ? failErrno("put a file in place") : Result<void>();
    }

private:
    static inline std::atomic<unsigned> s_number{0};
    int m_record;
    int m_directory;
    std::string m_name;
    bool m_isThere = false;
};

} // namespace

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

Result<void> installFresh(int record, int directory, const std::string& name, std::string_view content,
                          mode_t mode)
{
    PassingFile passing(record, directory, "new");
    REVET_ASSIGN_OR_RETURN(const UniqueFd fd, passing.create());
    REVET_RETURN_IF_ERROR(writeAll(fd.get(), content));
    if (::fchmod(fd.get(), mode & 0777U) != 0) {
        return failErrno("set the mode of a fresh file");
    }
    return passing.place(name);
}

Result<void> replaceByCopy(int record, int directory, const std::string& name, const struct stat& expected,
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
    PassingFile passing(record, directory, "copy");
    REVET_ASSIGN_OR_RETURN(const UniqueFd to, passing.create());
    if (content == Content::Keep) {
        REVET_RETURN_IF_ERROR(copyContent(from.get(), to.get(), status.st_size));
    }
    copyAttributes(from.get(), to.get());
    const std::array<struct timespec, 2> times{status.st_atim, status.st_mtim};
    if (::fchmod(to.get(), status.st_mode & 0777U) != 0 || ::futimens(to.get(), times.data()) != 0) {
        return failErrno("complete a copy");
    }
    return passing.place(name);
}

} // namespace revet::supervisor
