// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Makes every system call that takes a path, each on a file of its own that was there before ("call-NAME"),
// so that a record can be searched for it. "prepare" makes the files.

#include "tests/sandboxees/deed.h"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

namespace victim = revet::victim;

namespace {

constexpr long kFchmodat2 = 452; // Linux 6.6; newer than Debian 12's headers
constexpr long kSetXattrAt = 463; // Linux 6.13
constexpr long kRemoveXattrAt = 466;
constexpr long kFileSetAttr = 469; // Linux 6.17

/// One call, made on `path`. Raw numbers, since the C library has moved most names to the *at forms.
struct PathCall
{
    std::string_view name;
    long (*make)(const char* path);
};

std::string renamed(const char* path)
{
    return std::string(path) + "-new";
}

long atDescriptor(const char* path, long number, long first, long second)
{
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    const long result = ::syscall(number, fd, first, second);
    const int kept = errno;
    ::close(fd);
    errno = kept;
    return result;
}

long openat2(const char* path)
{
    struct open_how how = {};
    how.flags = O_WRONLY | O_CLOEXEC;
    return ::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

/// The child never returns from a call that succeeded, so success is the program's own exit status.
long executed(const char* path, bool byDescriptor)
{
    const pid_t child = ::fork();
    if (child == 0) {
        std::array<char*, 1> none{nullptr};
        if (byDescriptor) {
            ::syscall(SYS_execveat, AT_FDCWD, path, none.data(), none.data(), 0);
        } else {
            ::syscall(SYS_execve, path, none.data(), none.data());
        }
        ::_exit(errno);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    errno = WEXITSTATUS(status);
    return errno == 0 ? 0 : -1;
}

constexpr struct timespec kTimes[2]{{1000, 0}, {1000, 0}};
constexpr struct timeval kTimevals[2]{{1000, 0}, {1000, 0}};
constexpr struct utimbuf kUtimbuf
{
    1000, 1000
};

constexpr std::array<PathCall, 45> kCalls{{
    {"open", [](const char* path) { return ::syscall(SYS_open, path, O_WRONLY | O_CLOEXEC); }},
    {"open-read", [](const char* path) { return ::syscall(SYS_open, path, O_RDONLY | O_CLOEXEC); }},
    {"creat", [](const char* path) { return ::syscall(SYS_creat, path, 0644); }},
    {"openat", [](const char* path) { return ::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC); }},
    {"openat2", openat2},
    {"truncate", [](const char* path) { return ::syscall(SYS_truncate, path, 1); }},
    {"rename", [](const char* path) { return ::syscall(SYS_rename, path, renamed(path).c_str()); }},
    {"renameat",
     [](const char* path) {
         return ::syscall(SYS_renameat, AT_FDCWD, path, AT_FDCWD, renamed(path).c_str());
     }},
    {"renameat2",
     [](const char* path) {
         return ::syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, renamed(path).c_str(), 0);
     }},
    {"link", [](const char* path) { return ::syscall(SYS_link, path, renamed(path).c_str()); }},
    {"linkat",
     [](const char* path) {
         return ::syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, renamed(path).c_str(), 0);
     }},
    {"symlink", [](const char* path) { return ::syscall(SYS_symlink, path, renamed(path).c_str()); }},
    {"symlinkat",
     [](const char* path) { return ::syscall(SYS_symlinkat, path, AT_FDCWD, renamed(path).c_str()); }},
    {"mkdir", [](const char* path) { return ::syscall(SYS_mkdir, renamed(path).c_str(), 0755); }},
    {"mkdirat",
     [](const char* path) { return ::syscall(SYS_mkdirat, AT_FDCWD, renamed(path).c_str(), 0755); }},
    {"mknod",
     [](const char* path) { return ::syscall(SYS_mknod, renamed(path).c_str(), S_IFREG | 0644, 0); }},
    {"mknodat",
     [](const char* path) {
         return ::syscall(SYS_mknodat, AT_FDCWD, renamed(path).c_str(), S_IFIFO | 0644, 0);
     }},
    {"unlink", [](const char* path) { return ::syscall(SYS_unlink, path); }},
    {"unlinkat", [](const char* path) { return ::syscall(SYS_unlinkat, AT_FDCWD, path, 0); }},
    {"rmdir",
     [](const char* path) { return ::syscall(SYS_rmdir, (std::string(path) + "-directory").c_str()); }},
    {"chmod", [](const char* path) { return ::syscall(SYS_chmod, path, 0600); }},
    {"fchmodat", [](const char* path) { return ::syscall(SYS_fchmodat, AT_FDCWD, path, 0600); }},
    {"fchmodat2", [](const char* path) { return ::syscall(kFchmodat2, AT_FDCWD, path, 0600, 0); }},
    {"fchmod", [](const char* path) { return atDescriptor(path, SYS_fchmod, 0600, 0); }},
    {"chown", [](const char* path) { return ::syscall(SYS_chown, path, -1, ::getgid()); }},
    {"lchown", [](const char* path) { return ::syscall(SYS_lchown, path, -1, ::getgid()); }},
    {"fchownat", [](const char* path) { return ::syscall(SYS_fchownat, AT_FDCWD, path, -1, ::getgid(), 0); }},
    {"fchown", [](const char* path) { return atDescriptor(path, SYS_fchown, -1, ::getgid()); }},
    {"utime", [](const char* path) { return ::syscall(SYS_utime, path, &kUtimbuf); }},
    {"utimes", [](const char* path) { return ::syscall(SYS_utimes, path, kTimevals); }},
    {"futimesat", [](const char* path) { return ::syscall(SYS_futimesat, AT_FDCWD, path, kTimevals); }},
    {"utimensat", [](const char* path) { return ::syscall(SYS_utimensat, AT_FDCWD, path, kTimes, 0); }},
    {"setxattr", [](const char* path) { return ::syscall(SYS_setxattr, path, "user.a", "x", 1, 0); }},
    {"lsetxattr", [](const char* path) { return ::syscall(SYS_lsetxattr, path, "user.a", "x", 1, 0); }},
    {"fsetxattr",
     [](const char* path) {
         const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
         return ::syscall(SYS_fsetxattr, fd, "user.a", "x", 1, 0);
     }},
    {"removexattr", [](const char* path) { return ::syscall(SYS_removexattr, path, "user.none"); }},
    {"lremovexattr", [](const char* path) { return ::syscall(SYS_lremovexattr, path, "user.none"); }},
    {"execve", [](const char* path) { return executed(path, false); }},
    {"execveat", [](const char* path) { return executed(path, true); }},
    {"tmpfile",
     [](const char* path) {
         const int fd = ::open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
         const std::string link = "/proc/self/fd/" + std::to_string(fd);
         return ::syscall(SYS_linkat, AT_FDCWD, link.c_str(), AT_FDCWD, renamed(path).c_str(),
                          AT_SYMLINK_FOLLOW);
     }},
    {"setxattrat",
     [](const char* path) { return ::syscall(kSetXattrAt, AT_FDCWD, path, 0, "user.a", nullptr, 0); }},
    {"removexattrat",
     [](const char* path) { return ::syscall(kRemoveXattrAt, AT_FDCWD, path, 0, "user.none"); }},
    {"file-setattr", [](const char* path) { return ::syscall(kFileSetAttr, AT_FDCWD, path, nullptr, 0, 0); }},
    {"name-to-handle",
     [](const char* path) { return ::syscall(SYS_name_to_handle_at, AT_FDCWD, path, nullptr, nullptr, 0); }},
    {"open-tree", [](const char* path) { return ::syscall(SYS_open_tree, AT_FDCWD, path, 0); }},
}};

int prepare(const std::string& path)
{
    static_cast<void>(::mkdir((path + "-directory").c_str(), 0755));
    return victim::appendText(path, "#!/bin/true\n");
}

} // namespace

int main(int argc, char** argv)
{
    const bool prepares = argc == 2 && std::string_view(argv[1]) == "prepare";
    if (argc != 1 && !prepares) {
        return victim::usage("path_calls [prepare]");
    }
    victim::Report report;
    for (const PathCall& call : kCalls) {
        const std::string path = "call-" + std::string(call.name);
        report.attempt(call.name, prepares ? prepare(path) : victim::outcome(call.make(path.c_str())));
    }
    return report.status();
}
