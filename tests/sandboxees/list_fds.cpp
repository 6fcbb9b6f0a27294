// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Looks for file descriptors that should not have been inherited, and tries to leave the box by them.

#include "tests/sandboxees/deed.h"

#include <array>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr int kHighestProbed = 4096;

std::string targetOf(int fd)
{
    std::array<char, 4096> buffer{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t size = ::readlink(link.c_str(), buffer.data(), buffer.size());
    return size < 0 ? victim::errnoName(errno) : std::string(buffer.data(), static_cast<std::size_t>(size));
}

std::string kindOf(int fd)
{
    struct stat status = {};
    if (::fstat(fd, &status) != 0) {
        return victim::errnoName(errno);
    }
    switch (status.st_mode & S_IFMT) {
    case S_IFREG:
        return "file";
    case S_IFDIR:
        return "directory";
    case S_IFCHR:
        return "character-device";
    case S_IFIFO:
        return "pipe";
    case S_IFSOCK:
        return "socket";
    default:
        return "other";
    }
}

} // namespace

int main()
{
    victim::Report report;
    for (int fd = 0; fd < kHighestProbed; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) {
            continue;
        }
        if (fd <= STDERR_FILENO) {
            victim::say({"standard ", std::to_string(fd), " ", kindOf(fd)});
            continue;
        }
        report.attempt("inherited " + std::to_string(fd) + " " + kindOf(fd) + " " + targetOf(fd), 0);
        report.attempt("upwards " + std::to_string(fd),
                       victim::outcome(::openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    }
    return report.status();
}
