// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/sandboxees/semantics/probe.h"

#include <csignal>
#include <cstdio>

#include <sys/resource.h>
#include <sys/statvfs.h>

namespace revet::victim::semantics {

namespace {

constexpr rlim_t kManyFiles = 1024;

void fileSize()
{
    struct rlimit saved = {};
    ::getrlimit(RLIMIT_FSIZE, &saved);
    struct rlimit small = saved;
    small.rlim_cur = 50;
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    ::setrlimit(RLIMIT_FSIZE, &small);
    const int file = ::open("second", O_RDWR | O_CLOEXEC);
    ::lseek(file, 60, SEEK_SET);
    check("write beyond limit", ::write(file, "abc", 3));
    check("truncate beyond limit", ::truncate("second", 5000));
    check("ftruncate beyond limit", ::ftruncate(file, 5000));
    ::close(file);
    ::setrlimit(RLIMIT_FSIZE, &saved);
}

void openFiles()
{
    const int highest = ::open("second", O_RDONLY | O_CLOEXEC);
    const rlimit few{static_cast<rlim_t>(highest) + 2, kManyFiles};
    ::setrlimit(RLIMIT_NOFILE, &few);
    const int filler = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    checkOpen("create at descriptor limit", "beyond-limit", O_CREAT | O_WRONLY, 0600);
    mode("created at descriptor limit", "beyond-limit");
    ::close(filler);
    ::close(highest);
    const rlimit many{kManyFiles, kManyFiles};
    ::setrlimit(RLIMIT_NOFILE, &many);
}

void workingDirectory()
{
    check("chdir", ::chdir("d"));
    checkOpen("relative after chdir", "relative", O_CREAT | O_WRONLY, 0600);
    check("mkdir gone", ::mkdir("gone", 0700));
    check("chdir gone", ::chdir("gone"));
    check("rmdir own", ::rmdir("../gone"));
    checkOpen("create in removed directory", "x", O_CREAT | O_WRONLY, 0600);
    checkOpen("create above removed directory", "../y", O_CREAT | O_WRONLY, 0600);
    check("chdir up", ::chdir(".."));
    const int above = ::open("..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check("fchdir", ::fchdir(above));
    ::close(above);
    check("move own directory", ::chdir("d"));
    check("rename own directory", ::rename("../d", "../d-renamed"));
    checkOpen("create after own rename", "after", O_CREAT | O_WRONLY, 0600);
    mode("created after own rename", "../d-renamed/after");
    check("chdir back", ::chdir(".."));
}

void unlinked()
{
    const int file = ::open("unlinked", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    check("unlink open", ::unlink("unlinked"));
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    checkOpen("reopen unlinked", link, O_RDWR);
    check("fchmod unlinked", ::fchmod(file, 0644));
    check("futimens unlinked", ::futimens(file, nullptr));
    check("write unlinked", ::write(file, "x", 1));
    ::close(file);
}

void systemView()
{
    struct statvfs status = {};
    check("statvfs", ::statvfs(".", &status));
    value("read-only flag", static_cast<long>(status.f_flag & ST_RDONLY));
    checkOpen("terminal", "/dev/tty", O_RDWR);
    check("sync", ::syncfs(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    value("own uid is kept", ::getuid() == ::geteuid() ? 1 : 0);
}

} // namespace

void probeLimits()
{
    fileSize();
    openFiles();
    workingDirectory();
    unlinked();
    systemView();
}

} // namespace revet::victim::semantics
