// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/sandboxees/semantics/probe.h"

#include <cstdlib>

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace revet::victim::semantics {

namespace {

void modesAndFlags()
{
    ::umask(027);
    int fd = ::open("first", O_CREAT | O_RDWR, 0666); // NOLINT(android-cloexec-open): the flag is the probe
    check("create", fd);
    mode("create umask-027", "first");
    value("create flags", ::fcntl(fd, F_GETFL) & ~O_LARGEFILE);
    value("create cloexec", ::fcntl(fd, F_GETFD));
    check("write", ::write(fd, "hello", 5));
    ::close(fd);

    ::umask(077);
    fd = ::open("second", O_CREAT | O_WRONLY | O_CLOEXEC | O_APPEND, 0666);
    mode("create umask-077", "second");
    value("append flags", ::fcntl(fd, F_GETFL) & ~O_LARGEFILE);
    value("append cloexec", ::fcntl(fd, F_GETFD));
    ::close(fd);

    const pid_t child = ::fork();
    if (child == 0) {
        ::umask(002);
        checkOpen("child create", "third", O_CREAT | O_WRONLY);
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    mode("create umask-002 in child", "third");
    checkOpen("create after child", "fourth", O_CREAT | O_WRONLY);
    mode("create umask-077 again", "fourth");
    ::umask(022);
    checkOpen("create mode-0", "no-mode", O_CREAT | O_RDWR, 0);
    mode("create mode-0", "no-mode");
    checkOpen("reopen mode-0", "no-mode", O_RDONLY);
    checkOpen("create setuid", "setuid-at-birth", O_CREAT | O_WRONLY, 0755);
}

void failures()
{
    const std::string longPath(4999, 'a');
    const std::string longName(299, 'n');
    checkOpen("exclusive existing", "first", O_CREAT | O_EXCL | O_WRONLY);
    checkOpen("missing parent", "none/file", O_CREAT | O_WRONLY);
    checkOpen("parent is file", "first/file", O_CREAT | O_WRONLY);
    checkOpen("directory for writing", ".", O_WRONLY);
    checkOpen("create with slash", "fresh/", O_CREAT | O_WRONLY);
    checkOpen("file with slash", "first/", O_WRONLY);
    checkOpen("create dot", ".", O_CREAT | O_WRONLY);
    checkOpen("long path", longPath, O_CREAT | O_WRONLY);
    checkOpen("long name", longName, O_CREAT | O_WRONLY);
    checkOpen("empty path", "", O_CREAT | O_WRONLY);
    checkOpen("missing", "missing", O_WRONLY);
    checkOpen("directory flag on file", "first", O_WRONLY | O_DIRECTORY);
    checkOpen("create directory flag", "both", O_CREAT | O_DIRECTORY | O_WRONLY);
    checkOpen("system file", "/usr/bin/env", O_WRONLY);
    checkOpen("truncate read-only open", "second", O_RDONLY | O_TRUNC);
    check("fault", ::syscall(SYS_openat, AT_FDCWD, 8, O_CREAT | O_WRONLY, 0666));
    check("bad directory", ::openat(999, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
    check("directory is file", [] {
        const int file = ::open("first", O_RDONLY | O_CLOEXEC);
        return ::openat(file, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    }());
}

void throughLinks()
{
    check("loop a", ::symlink("loop-b", "loop-a"));
    check("loop b", ::symlink("loop-a", "loop-b"));
    checkOpen("loop", "loop-a", O_CREAT | O_WRONLY);
    check("dangling", ::symlink("dangling-target", "dangling"));
    checkOpen("create dangling", "dangling", O_CREAT | O_WRONLY);
    mode("dangling target", "dangling-target");
    checkOpen("exclusive dangling", "dangling", O_CREAT | O_EXCL | O_WRONLY);
    checkOpen("nofollow link", "dangling", O_WRONLY | O_NOFOLLOW);
    checkOpen("nofollow path link", "dangling", O_PATH | O_NOFOLLOW);
    check("relative up", ::symlink("../up-target", "up-link"));
}

void anonymous()
{
    const int fd = ::open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
    check("anonymous", fd);
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    check("anonymous write", ::write(fd, "text", 4));
    check("anonymous link", ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, "from-anonymous", AT_SYMLINK_FOLLOW));
    mode("anonymous linked", "from-anonymous");
    check("anonymous empty-path link", ::linkat(fd, "", AT_FDCWD, "from-anonymous-2", AT_EMPTY_PATH));
    ::close(fd);
    check("anonymous exclusive", [] {
        const int exclusive = ::open(".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0644);
        const std::string name = "/proc/self/fd/" + std::to_string(exclusive);
        return ::linkat(AT_FDCWD, name.c_str(), AT_FDCWD, "from-exclusive", AT_SYMLINK_FOLLOW);
    }());
    std::string pattern = "temporaryXXXXXX";
    check("mkstemp", ::mkstemp(pattern.data()));
    std::string directory = "directoryXXXXXX";
    check("mkdtemp", ::mkdtemp(directory.data()) == nullptr ? -1 : 0);
}

void openat2Forms()
{
    struct open_how how = {};
    how.flags = O_CREAT | O_WRONLY | O_CLOEXEC;
    how.mode = 0600;
    how.resolve = RESOLVE_BENEATH;
    check("openat2 beneath", ::syscall(SYS_openat2, AT_FDCWD, "beneath", &how, sizeof(how)));
    check("openat2 beneath escape", ::syscall(SYS_openat2, AT_FDCWD, "../x", &how, sizeof(how)));
    how.resolve = RESOLVE_NO_SYMLINKS;
    check("openat2 no symlinks", ::syscall(SYS_openat2, AT_FDCWD, "dangling", &how, sizeof(how)));
    how.resolve = 0;
    check("openat2 small", ::syscall(SYS_openat2, AT_FDCWD, "small", &how, 8));
    how.resolve = 1U << 30U;
    check("openat2 unknown", ::syscall(SYS_openat2, AT_FDCWD, "unknown", &how, sizeof(how)));
}

} // namespace

void probeCreation()
{
    modesAndFlags();
    failures();
    throughLinks();
    anonymous();
    openat2Forms();
}

} // namespace revet::victim::semantics
