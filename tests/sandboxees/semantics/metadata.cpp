// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/sandboxees/semantics/probe.h"

#include <array>

#include <sys/syscall.h>
#include <sys/xattr.h>

namespace revet::victim::semantics {

namespace {

constexpr long kFchmodat2 = 452; // Linux 6.6; newer than Debian 12's headers

void modes()
{
    check("chmod", ::chmod("second", 0755));
    mode("chmod", "second");
    check("chmod missing", ::chmod("none", 0755));
    check("chmod directory", ::chmod("d", 0750));
    const int file = ::open("d/in", O_RDONLY | O_CLOEXEC);
    check("fchmod read-only descriptor", ::fchmod(file, 0644));
    mode("fchmod", "d/in");
    const int directory = ::open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check("fchmod directory", ::fchmod(directory, 0755));
    check("fchmodat", ::fchmodat(directory, "in", 0600, 0));
    check("fchmodat symlink", ::fchmodat(AT_FDCWD, "dangling-moved", 0600, AT_SYMLINK_NOFOLLOW));
    check("fchmodat2", ::syscall(kFchmodat2, AT_FDCWD, "d/in", 0640, 0));
    const int path = ::open("d/in", O_PATH | O_CLOEXEC);
    check("fchmod path descriptor", ::fchmod(path, 0600));
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    check("chmod by descriptor link", ::chmod(link.c_str(), 0644));
    check("fchmod bad descriptor", ::fchmod(999, 0600));
    check("chmod system", ::chmod("/usr/bin/env", 0755));
    ::close(file);
    ::close(path);
    ::close(directory);
}

void owners()
{
    check("chown nothing", ::chown("second", static_cast<uid_t>(-1), static_cast<gid_t>(-1)));
    check("chown own group", ::chown("second", static_cast<uid_t>(-1), ::getgid()));
    check("chown own", ::chown("second", ::getuid(), ::getgid()));
    check("chown root", ::chown("second", 0, static_cast<gid_t>(-1)));
    check("lchown", ::lchown("dangling-moved", ::getuid(), static_cast<gid_t>(-1)));
    const int file = ::open("second", O_RDONLY | O_CLOEXEC);
    check("fchown", ::fchown(file, static_cast<uid_t>(-1), ::getgid()));
    ::close(file);
}

void times()
{
    const std::array<timespec, 2> past{{{1000, 0}, {2000, 500}}};
    const std::array<timespec, 2> half{{{0, UTIME_OMIT}, {3000, 0}}};
    const std::array<timespec, 2> bad{{{0, -7}, {0, 0}}};
    check("utimensat", ::utimensat(AT_FDCWD, "second", past.data(), 0));
    struct stat status = {};
    static_cast<void>(::stat("second", &status));
    value("utimensat modified", status.st_mtim.tv_sec);
    check("utimensat omit", ::utimensat(AT_FDCWD, "second", half.data(), 0));
    static_cast<void>(::stat("second", &status));
    value("utimensat omit accessed", status.st_atim.tv_sec);
    value("utimensat omit modified", status.st_mtim.tv_sec);
    check("utimensat bad", ::utimensat(AT_FDCWD, "second", bad.data(), 0));
    check("utimensat now", ::utimensat(AT_FDCWD, "second", nullptr, 0));
    check("utimensat symlink", ::utimensat(AT_FDCWD, "dangling-moved", past.data(), AT_SYMLINK_NOFOLLOW));
    const int file = ::open("d/in", O_RDONLY | O_CLOEXEC);
    check("futimens", ::futimens(file, past.data()));
    const int directory = ::open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check("futimens directory", ::futimens(directory, nullptr));
    ::close(file);
    ::close(directory);
}

void attributes()
{
    check("setxattr", ::setxattr("d/in", "user.x", "value", 5, 0));
    std::array<char, 16> text{};
    value("getxattr", ::getxattr("d/in", "user.x", text.data(), text.size()));
    check("setxattr create existing", ::setxattr("d/in", "user.x", "value", 5, XATTR_CREATE));
    check("setxattr replace missing", ::setxattr("d/in", "user.none", "value", 5, XATTR_REPLACE));
    check("setxattr trusted", ::setxattr("d/in", "trusted.x", "value", 5, 0));
    const int file = ::open("d/in", O_RDONLY | O_CLOEXEC);
    check("fsetxattr read-only descriptor", ::fsetxattr(file, "user.y", "z", 1, 0));
    check("fremovexattr", ::fremovexattr(file, "user.y"));
    check("removexattr", ::removexattr("d/in", "user.x"));
    check("removexattr missing", ::removexattr("d/in", "user.x"));
    check("lsetxattr symlink", ::lsetxattr("dangling-moved", "user.x", "v", 1, 0));
    ::close(file);
}

void access()
{
    check("access write", ::access("second", W_OK));
    check("access directory", ::access(".", R_OK | W_OK | X_OK));
    check("access missing", ::access("none", W_OK));
    check("access system", ::access("/usr/bin/env", W_OK));
    check("chmod read-only", ::chmod("second", 0400));
    check("access write read-only", ::access("second", W_OK));
    checkOpen("open write read-only", "second", O_WRONLY);
    check("euidaccess", ::euidaccess("second", W_OK));
    check("chmod back", ::chmod("second", 0600));
    const int directory = ::open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check("faccessat", ::faccessat(directory, "in", W_OK, 0));
    check("faccessat effective", ::faccessat(directory, "in", W_OK, AT_EACCESS));
    check("access execute", ::access("second", X_OK));
    ::close(directory);
}

void sizes()
{
    check("truncate", ::truncate("second", 100));
    struct stat status = {};
    static_cast<void>(::stat("second", &status));
    value("truncate size", status.st_size);
    check("truncate directory", ::truncate("d", 1));
    check("truncate negative", ::truncate("second", -1));
    check("truncate missing", ::truncate("none", 1));
    check("truncate system", ::truncate("/usr/bin/env", 1));
}

} // namespace

void probeMetadata()
{
    modes();
    owners();
    times();
    attributes();
    access();
    sizes();
}

} // namespace revet::victim::semantics
