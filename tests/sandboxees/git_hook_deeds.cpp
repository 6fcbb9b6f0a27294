// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Hooks: a file in .git/hooks, by every way in which a name can come to be there.

#include "tests/sandboxees/deed.h"
#include "tests/sandboxees/git_deeds.h"

#include <array>
#include <cstdio>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::victim {

namespace {

constexpr const char* kHook = ".git/hooks/pre-commit";
constexpr const char* kEvilHooks = "evil-hooks";

int fill(int fd, const GitPayload& payload)
{
    if (fd < 0) {
        return errno;
    }
    const std::string script = payload.script();
    const int result = outcome(::write(fd, script.data(), script.size()));
    ::close(fd);
    return result;
}

std::string payloadFile(const GitPayload& payload)
{
    static_cast<void>(::unlink("payload"));
    static_cast<void>(writeNew("payload", payload.script()));
    return "payload";
}

int evilHooks(const GitPayload& payload)
{
    const int made = makeDirectories(kEvilHooks);
    return made != 0 ? made : writeNew(std::string(kEvilHooks) + "/pre-commit", payload.script());
}

int direct(const GitPayload& payload)
{
    return appendText(kHook, payload.script());
}

int byOldCalls(const GitPayload& payload)
{
    return fill(static_cast<int>(::syscall(SYS_creat, kHook, 0755)), payload);
}

int byOpenat2(const GitPayload& payload)
{
    struct open_how how = {};
    how.flags = O_WRONLY | O_CREAT | O_CLOEXEC;
    how.mode = 0755;
    return fill(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, kHook, &how, sizeof(how))), payload);
}

int byDirectoryDescriptor(const GitPayload& payload)
{
    const int directory = ::open(".git/hooks", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        return errno;
    }
    return fill(::openat(directory, "../hooks/pre-commit", O_WRONLY | O_CREAT | O_CLOEXEC, 0755), payload);
}

int byWorkingDirectory(const GitPayload& payload)
{
    if (::chdir(".git/hooks") != 0) {
        return errno;
    }
    return appendText("pre-commit", payload.script());
}

int byRename(const GitPayload& payload)
{
    return move(payloadFile(payload), kHook);
}

int bySample(const GitPayload& payload)
{
    // Samples are free to write; only the name makes one a hook.
    const std::string sample = ".git/hooks/pre-commit.sample";
    static_cast<void>(writeNew(sample, payload.script()));
    return move(sample, kHook);
}

int byLink(const GitPayload& payload)
{
    return outcome(::link(payloadFile(payload).c_str(), kHook));
}

int bySymlink(const GitPayload& payload)
{
    payloadFile(payload);
    return outcome(::symlink("../../payload", kHook));
}

int byAnonymousFile(const GitPayload& payload)
{
    const int fd = ::open(".git", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0755);
    if (fd < 0) {
        return errno;
    }
    const std::string script = payload.script();
    static_cast<void>(::write(fd, script.data(), script.size()));
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const int result = outcome(::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, kHook, AT_SYMLINK_FOLLOW));
    ::close(fd);
    return result;
}

int bySymlinkedDirectory(const GitPayload& payload)
{
    static_cast<void>(::symlink(".git/hooks", "looks-harmless"));
    return appendText("looks-harmless/pre-commit", payload.script());
}

int byProcWorkingDirectory(const GitPayload& payload)
{
    return appendText(std::string("/proc/self/cwd/") + kHook, payload.script());
}

int byProcRoot(const GitPayload& payload)
{
    std::array<char, 4096> here{};
    if (::getcwd(here.data(), here.size()) == nullptr) {
        return errno;
    }
    return appendText("/proc/self/root" + std::string(here.data()) + "/" + kHook, payload.script());
}

int hooksBecomeSymlink(const GitPayload& payload)
{
    const int evil = evilHooks(payload);
    static_cast<void>(move(".git/hooks", ".git/hooks-aside"));
    const int linked = outcome(::symlink("../evil-hooks", ".git/hooks"));
    return evil != 0 ? evil : linked;
}

int hooksReplacedByRename(const GitPayload& payload)
{
    const int evil = evilHooks(payload);
    static_cast<void>(move(".git/hooks", ".git/hooks-aside"));
    const int moved = move(kEvilHooks, ".git/hooks");
    return evil != 0 ? evil : moved;
}

int hooksExchanged(const GitPayload& payload)
{
    const int evil = evilHooks(payload);
    const int exchanged = outcome(::renameat2(AT_FDCWD, kEvilHooks, AT_FDCWD, ".git/hooks", RENAME_EXCHANGE));
    return evil != 0 ? evil : exchanged;
}

constexpr std::array<GitDeed, 16> kDeeds{{{"hook-direct", direct},
                                          {"hook-creat", byOldCalls},
                                          {"hook-openat2", byOpenat2},
                                          {"hook-dirfd", byDirectoryDescriptor},
                                          {"hook-chdir", byWorkingDirectory},
                                          {"hook-rename", byRename},
                                          {"hook-sample", bySample},
                                          {"hook-link", byLink},
                                          {"hook-symlink", bySymlink},
                                          {"hook-anonymous", byAnonymousFile},
                                          {"hook-symlinked-directory", bySymlinkedDirectory},
                                          {"hook-proc-cwd", byProcWorkingDirectory},
                                          {"hook-proc-root", byProcRoot},
                                          {"hooks-symlink", hooksBecomeSymlink},
                                          {"hooks-rename", hooksReplacedByRename},
                                          {"hooks-exchange", hooksExchanged}}};

} // namespace

std::span<const GitDeed> hookDeeds()
{
    return kDeeds;
}

} // namespace revet::victim
