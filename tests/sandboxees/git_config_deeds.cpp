// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Configuration: keys that run code, put into .git/config past whoever judges it.

#include "tests/sandboxees/deed.h"
#include "tests/sandboxees/git_deeds.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::victim {

namespace {

constexpr const char* kConfig = ".git/config";
constexpr const char* kLock = ".git/config.lock";

/// As `git config` does it: the whole new text into the lock file, then renamed over.
int installByLock(std::string_view addition)
{
    std::string text;
    if (const int failed = readText(kConfig, &text); failed != 0) {
        return failed;
    }
    if (const int failed = appendText(kLock, text.append(addition), O_EXCL); failed != 0) {
        return failed;
    }
    const int renamed = move(kLock, kConfig);
    static_cast<void>(::unlink(kLock));
    return renamed;
}

int appended(const GitPayload& payload)
{
    return appendText(kConfig, payload.config());
}

int replaced(const GitPayload& payload)
{
    return writeNew(kConfig, payload.config());
}

int byLock(const GitPayload& payload)
{
    return installByLock(payload.config());
}

int hooksPath(const GitPayload& payload)
{
    static_cast<void>(makeDirectories("evil-hooks"));
    static_cast<void>(writeNew("evil-hooks/pre-commit", payload.script()));
    return installByLock("[core]\n\thooksPath = evil-hooks\n");
}

int include(const GitPayload& payload)
{
    static_cast<void>(writeNew("included", payload.config()));
    return installByLock("[include]\n\tpath = ../included\n");
}

int filter(const GitPayload& payload)
{
    static_cast<void>(writeNew(".gitattributes", "* filter=canary\n"));
    return installByLock("[filter \"canary\"]\n\tclean = \"" + payload.command() + "\"\n");
}

int byHardLink(const GitPayload& payload)
{
    if (::link(kConfig, "config-link") != 0) {
        return errno;
    }
    return appendText("config-link", payload.config());
}

int bySymlink(const GitPayload& payload)
{
    static_cast<void>(writeNew("evil-config", payload.config()));
    static_cast<void>(move(kConfig, ".git/config-aside"));
    return outcome(::symlink("../evil-config", kConfig));
}

int byExchange(const GitPayload& payload)
{
    static_cast<void>(writeNew("evil-config", payload.config()));
    return outcome(::renameat2(AT_FDCWD, "evil-config", AT_FDCWD, kConfig, RENAME_EXCHANGE));
}

int byReopen(const GitPayload& payload)
{
    const int fd = ::open(kConfig, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    const int result = appendText("/proc/self/fd/" + std::to_string(fd), payload.config());
    ::close(fd);
    return result;
}

/// The lock file is harmless when it is judged and renamed; a descriptor to its inode is kept for later.
int lateWrite(const GitPayload& payload)
{
    std::string text;
    if (const int failed = readText(kConfig, &text); failed != 0) {
        return failed;
    }
    const int fd = ::open(kLock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return errno;
    }
    static_cast<void>(::write(fd, text.data(), text.size()));
    const int renamed = move(kLock, kConfig);
    const std::string addition = payload.config();
    static_cast<void>(::write(fd, addition.data(), addition.size()));
    ::close(fd);
    return renamed;
}

int lateMapping(const GitPayload& payload)
{
    std::string text;
    if (const int failed = readText(kConfig, &text); failed != 0) {
        return failed;
    }
    // Room for the payload hides in a comment that is long enough.
    const std::string addition = payload.config();
    const std::size_t start = text.size();
    text.append("#").append(std::string(addition.size(), 'x')).append("\n");
    const int fd = ::open(kLock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return errno;
    }
    static_cast<void>(::write(fd, text.data(), text.size()));
    void* const page = ::mmap(nullptr, text.size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const int renamed = move(kLock, kConfig);
    if (page == MAP_FAILED) {
        return renamed != 0 ? renamed : ENOMEM;
    }
    std::copy(addition.begin(), addition.end(), static_cast<char*>(page) + start);
    ::munmap(page, text.size());
    ::close(fd);
    return renamed;
}

int ofWorktree(const GitPayload& payload)
{
    static_cast<void>(installByLock("[extensions]\n\tworktreeConfig = true\n"));
    return appendText(".git/config.worktree", payload.config());
}

int attributes(const GitPayload& /*payload*/)
{
    return appendText(".git/info/attributes", "* filter=canary\n");
}

int alternates(const GitPayload& /*payload*/)
{
    return appendText(".git/objects/info/alternates", "/etc\n");
}

constexpr std::array<GitDeed, 15> kDeeds{{{"config-append", appended},
                                          {"config-replace", replaced},
                                          {"config-lock", byLock},
                                          {"config-hooks-path", hooksPath},
                                          {"config-include", include},
                                          {"config-filter", filter},
                                          {"config-hard-link", byHardLink},
                                          {"config-symlink", bySymlink},
                                          {"config-exchange", byExchange},
                                          {"config-reopen", byReopen},
                                          {"config-late-write", lateWrite},
                                          {"config-late-mapping", lateMapping},
                                          {"config-worktree", ofWorktree},
                                          {"info-attributes", attributes},
                                          {"objects-alternates", alternates}}};

} // namespace

std::span<const GitDeed> configDeeds()
{
    return kDeeds;
}

} // namespace revet::victim
