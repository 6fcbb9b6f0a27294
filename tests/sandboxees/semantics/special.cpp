// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/sandboxees/semantics/probe.h"

#include <algorithm>
#include <array>

#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

namespace revet::victim::semantics {

namespace {

void descriptorsByName()
{
    int file = ::open("second", O_RDWR | O_CLOEXEC);
    const std::string writable = "/proc/self/fd/" + std::to_string(file);
    checkOpen("reopen for writing", writable, O_WRONLY);
    checkOpen("reopen truncating", writable, O_WRONLY | O_TRUNC);
    checkOpen("reopen thread-self", "/proc/thread-self/fd/" + std::to_string(file), O_WRONLY);
    ::close(file);
    file = ::open("second", O_RDONLY | O_CLOEXEC);
    checkOpen("reopen read-only for writing", "/proc/self/fd/" + std::to_string(file), O_WRONLY);
    checkOpen("reopen by /dev/fd", "/dev/fd/" + std::to_string(file), O_WRONLY);
    ::close(file);
    checkOpen("dev null", "/dev/null", O_WRONLY | O_CREAT | O_TRUNC);
    checkOpen("dev stdout", "/dev/stdout", O_WRONLY | O_APPEND);
    checkOpen("dev stderr", "/dev/stderr", O_WRONLY);
    checkOpen("dev zero", "/dev/zero", O_RDWR);
    checkOpen("proc comm", "/proc/self/comm", O_WRONLY);
    checkOpen("proc oom", "/proc/self/oom_score_adj", O_RDWR);
    checkOpen("proc missing", "/proc/self/none", O_WRONLY);
    checkOpen("temporary directory", "/tmp/semantics-probe-file", O_CREAT | O_WRONLY, 0600);
    static_cast<void>(::unlink("/tmp/semantics-probe-file"));
    checkOpen("shared memory", "/dev/shm/semantics-probe-file", O_CREAT | O_WRONLY, 0600);
    static_cast<void>(::unlink("/dev/shm/semantics-probe-file"));
    checkOpen("running program", "/proc/self/exe", O_WRONLY);
}

void pipes()
{
    check("mkfifo", ::mkfifo("pipe", 0600));
    checkOpen("fifo write without reader", "pipe", O_WRONLY | O_NONBLOCK);
    checkOpen("fifo both", "pipe", O_RDWR);
    const pid_t child = ::fork();
    if (child == 0) {
        const int writer = ::open("pipe", O_WRONLY | O_CLOEXEC);
        ::_exit(::write(writer, "x", 1) == 1 ? 0 : 1);
    }
    const int reader = ::open("pipe", O_RDONLY | O_CLOEXEC);
    char letter = 0;
    check("fifo read", ::read(reader, &letter, 1));
    ::close(reader);
    ::waitpid(child, nullptr, 0);
    check("mknod file", ::mknod("node", S_IFREG | 0600, 0));
    check("mknod null device", ::mknod("device", S_IFCHR | 0600, 0x103));
    check("mknod block", ::mknod("block", S_IFBLK | 0600, 0x800));
    check("mknod socket", ::mknod("socket-node", S_IFSOCK | 0600, 0));
}

void sockets()
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    constexpr std::string_view kName = "socket";
    std::copy(kName.begin(), kName.end(), address.sun_path);
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("bind", ::bind(server, generic, sizeof(address)));
    mode("bind", "socket");
    check("listen", ::listen(server, 1));
    const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("connect", ::connect(client, generic, sizeof(address)));
    sockaddr_un seen{};
    socklen_t size = sizeof(seen);
    check("getsockname", ::getsockname(server, reinterpret_cast<sockaddr*>(&seen), &size));
    say({"bound name = ", seen.sun_path});
    value("bound name size", static_cast<long>(size));
    const int second = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("bind taken", ::bind(second, generic, sizeof(address)));
    check("bind twice", ::bind(server, generic, sizeof(address)));
    check("bind no family", ::bind(second, generic, 1));
    ::close(server);
    check("connect closed", ::connect(second, generic, sizeof(address)));
    checkOpen("open socket", "socket", O_RDWR);
    check("unlink socket", ::unlink("socket"));
    sockaddr_un abstract{};
    abstract.sun_family = AF_UNIX;
    std::copy(kName.begin(), kName.end(), abstract.sun_path + 1);
    check("bind abstract", ::bind(second, reinterpret_cast<const sockaddr*>(&abstract), 16));
}

void locksAndMaps()
{
    check("make room to map", ::truncate("second", 100));
    const int file = ::open("second", O_RDWR | O_CLOEXEC);
    void* const page = ::mmap(nullptr, 100, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    check("map shared", page == MAP_FAILED ? -1 : 0);
    if (page != MAP_FAILED) {
        *static_cast<char*>(page) = 'Z';
        char letter = 0;
        static_cast<void>(::pread(file, &letter, 1, 0));
        value("map shared seen", letter);
    }
    check("flock", ::flock(file, LOCK_EX | LOCK_NB));
    const int other = ::open("second", O_RDONLY | O_CLOEXEC);
    check("flock taken", ::flock(other, LOCK_EX | LOCK_NB));
    struct flock region = {};
    region.l_type = F_WRLCK;
    check("record lock", ::fcntl(file, F_SETLK, &region));
    check("lease with writer", ::fcntl(other, F_SETLEASE, F_RDLCK));
    check("allocate", ::fallocate(file, 0, 0, 4096));
    const int watch = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    check("inotify", ::inotify_add_watch(watch, ".", IN_CREATE | IN_DELETE | IN_MOVED_FROM));
    checkOpen("watched create", "watched", O_CREAT | O_WRONLY);
    alignas(inotify_event) std::array<char, 512> events{};
    check("inotify seen", ::read(watch, events.data(), events.size()));
    ::close(watch);
    ::close(other);
    ::close(file);
}

} // namespace

void probeSpecialFiles()
{
    descriptorsByName();
    pipes();
    sockets();
    locksAndMaps();
}

} // namespace revet::victim::semantics
