// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/tree_move.h"

#include "engine/base/unique_fd.h"
#include "engine/supervisor/fresh_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

constexpr int kMaximumEntries = 50'000;
constexpr int kMaximumDepth = 256;
// Renaming a lower file copies it up: that is what takes the time and the space.
constexpr std::uint64_t kMaximumBytes = std::uint64_t{1} << 30U;

struct StreamCloser
{
    void operator()(DIR* stream) const { ::closedir(stream); }
};

tl::unexpected<Error> tooMuch()
{
    return fail(Error::fromErrno("move a large directory", EXDEV));
}

int openDirectory(int parent, const std::string& name)
{
    return ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

Result<std::vector<std::string>> namesIn(int directory)
{
    UniqueFd again(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, StreamCloser> stream(again ? ::fdopendir(again.get()) : nullptr);
    if (!stream) {
        return failErrno("list a directory");
    }
    static_cast<void>(again.release());
    std::vector<std::string> names;
    // One stream per thread: readdir(3).
    while (const struct dirent* entry = ::readdir(stream.get())) { // NOLINT(concurrency-mt-unsafe)
        std::string name(static_cast<const char*>(entry->d_name));
        if (name != "." && name != "..") {
            names.push_back(std::move(name));
        }
        if (names.size() > kMaximumEntries) {
            return tooMuch();
        }
    }
    return names;
}

void keepAttributes(int from, int to)
{
    std::array<char, 4096> names{};
    const ssize_t length = ::flistxattr(from, names.data(), names.size());
    std::vector<char> value(kMaximumJudgedFile);
    for (ssize_t i = 0; i < length;) {
        const std::string name(names.data() + i);
        const ssize_t size = ::fgetxattr(from, name.c_str(), value.data(), value.size());
        if (size >= 0) {
            static_cast<void>(::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(size), 0));
        }
        i += static_cast<ssize_t>(name.size()) + 1;
    }
}

class TreeMove
{
public:
    /// Counts what would have to be copied before anything is touched.
    Result<void> measure(int parent, const std::string& name, int depth)
    {
        const UniqueFd directory(openDirectory(parent, name));
        if (!directory || depth > kMaximumDepth) {
            return tooMuch();
        }
        REVET_ASSIGN_OR_RETURN(const auto names, namesIn(directory.get()));
        for (const std::string& entry : names) {
            struct stat status = {};
            if (::fstatat(directory.get(), entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
                return failErrno("look at an entry");
            }
            m_bytes += S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
            if (++m_entries > kMaximumEntries || m_bytes > kMaximumBytes) {
                return tooMuch();
            }
            if (S_ISDIR(status.st_mode)) {
                REVET_RETURN_IF_ERROR(measure(directory.get(), entry, depth + 1));
            }
        }
        return {};
    }

    /// After a failure everything that has been moved is where it was.
    Result<void> move(int fromParent, const std::string& fromName, int toParent, const std::string& toName)
    {
        const UniqueFd source(openDirectory(fromParent, fromName));
        struct stat status = {};
        if (!source || ::fstat(source.get(), &status) != 0) {
            return failErrno("open a directory to move");
        }
        if (::mkdirat(toParent, toName.c_str(), 0700) != 0) {
            return failErrno("make a directory anew");
        }
        const UniqueFd copy(openDirectory(toParent, toName));
        auto moved = copy ? moveEntries(source.get(), copy.get()) : failErrno("open a new directory");
        if (moved) {
            keepAttributes(source.get(), copy.get());
            const std::array<struct timespec, 2> times{status.st_atim, status.st_mtim};
            if (::fchmod(copy.get(), status.st_mode & 07777U) == 0
                && ::futimens(copy.get(), times.data()) == 0
                && ::unlinkat(fromParent, fromName.c_str(), AT_REMOVEDIR) == 0) {
                return {};
            }
            moved = failErrno("finish a moved directory");
            moveBack(source.get(), copy.get());
        }
        ::unlinkat(toParent, toName.c_str(), AT_REMOVEDIR);
        return moved;
    }

private:
    Result<void> moveEntries(int from, int to)
    {
        REVET_ASSIGN_OR_RETURN(const auto names, namesIn(from));
        for (const std::string& name : names) {
            if (::renameat(from, name.c_str(), to, name.c_str()) == 0) {
                continue;
            }
            auto moved = errno == EXDEV ? move(from, name, to, name) : failErrno("move an entry");
            if (!moved) {
                moveBack(from, to);
                return moved;
            }
        }
        return {};
    }

    void moveBack(int from, int to)
    {
        const auto names = namesIn(to);
        for (const std::string& name : names ? *names : std::vector<std::string>()) {
            // What was made anew is of the upper layer: the kernel renames it.
            static_cast<void>(::renameat(to, name.c_str(), from, name.c_str()));
        }
    }

    int m_entries = 0;
    std::uint64_t m_bytes = 0;
};

} // namespace

Result<void> moveTree(const Place& from, const Place& to)
{
    if (isAtOrBelow(to.directoryPath, from.path())) {
        return fail(Error::fromErrno("move a directory into itself", EINVAL));
    }
    struct stat target = {};
    const int toParent = to.directory.get();
    const bool exists = ::fstatat(toParent, to.name.c_str(), &target, AT_SYMLINK_NOFOLLOW) == 0;
    if (exists && !S_ISDIR(target.st_mode)) {
        return fail(Error::fromErrno("replace a file by a directory", ENOTDIR));
    }
    if (exists) {
        const UniqueFd present(openDirectory(toParent, to.name));
        const auto names = present ? namesIn(present.get()) : failErrno("open a directory to replace");
        if (!names || !names->empty()) {
            return fail(Error::fromErrno("replace a directory", names ? ENOTEMPTY : EACCES));
        }
    }
    static std::atomic<unsigned> number{0};
    const std::string passing = std::string(kMovePrefix) + std::to_string(++number);
    TreeMove mover;
    const int fromParent = from.directory.get();
    REVET_RETURN_IF_ERROR(mover.measure(fromParent, from.name, 0));
    REVET_RETURN_IF_ERROR(mover.move(fromParent, from.name, toParent, passing));
    if (::renameat(toParent, passing.c_str(), toParent, to.name.c_str()) == 0) {
        return {};
    }
    const auto error = failErrno("put a moved directory in place");
    // All of it is new, so that it can be renamed back.
    static_cast<void>(::renameat(toParent, passing.c_str(), fromParent, from.name.c_str()));
    return error;
}

} // namespace revet::supervisor
