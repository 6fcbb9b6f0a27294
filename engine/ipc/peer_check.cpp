// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/server.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::ipc {

namespace {

#ifndef SO_PEERPIDFD
constexpr int kPeerPidfd = 77; // Linux 6.5; Debian 12's headers are older
#else
constexpr int kPeerPidfd = SO_PEERPIDFD;
#endif
constexpr int kStatusBytes = 8192;

auto stranger(std::string why)
{
    return fail(ErrorCode::Refused, "accept a control connection", std::move(why));
}

/// Holds the peer so that its pid cannot pass to another process meanwhile.
UniqueFd holdPeer(int connectedSocket, pid_t pid)
{
    int fd = -1;
    socklen_t size = sizeof fd;
    if (::getsockopt(connectedSocket, SOL_SOCKET, kPeerPidfd, &fd, &size) == 0) {
        return UniqueFd(fd);
    }
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// Field "Seccomp_filters" of a status file: how many filters bind the process.
std::optional<int> seccompFilters(int processDirectory)
{
    const UniqueFd file(::openat(processDirectory, "status", O_RDONLY | O_CLOEXEC));
    std::array<char, kStatusBytes> buffer{};
    const ssize_t size = file ? ::read(file.get(), buffer.data(), buffer.size()) : -1;
    if (size <= 0) {
        return std::nullopt;
    }
    const std::string_view text(buffer.data(), static_cast<std::size_t>(size));
    constexpr std::string_view kName = "\nSeccomp_filters:\t";
    const std::size_t at = text.find(kName);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    int filters = 0;
    const char* const start = text.data() + at + kName.size();
    if (std::from_chars(start, text.data() + text.size(), filters).ec != std::errc()) {
        return std::nullopt;
    }
    return filters;
}

bool sharesNamespace(int ours, int theirs, const char* name)
{
    struct stat own = {};
    struct stat other = {};
    return ::fstatat(ours, name, &own, 0) == 0 && ::fstatat(theirs, name, &other, 0) == 0
        && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

} // namespace

Result<void> checkPeer(int connectedSocket)
{
    ucred peer = {};
    socklen_t size = sizeof peer;
    if (::getsockopt(connectedSocket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return failErrno("ask who connected");
    }
    if (peer.uid != ::geteuid()) {
        return stranger("it comes from another user");
    }
    // A peer in a pid namespace that is not below ours has the pid 0 here.
    const UniqueFd held = peer.pid > 0 ? holdPeer(connectedSocket, peer.pid) : UniqueFd();
    if (!held) {
        return stranger("its process is not known here");
    }
    const std::string directory = "/proc/" + std::to_string(peer.pid);
    const UniqueFd ours(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd theirs(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!ours || !theirs) {
        return stranger("its process cannot be looked at");
    }
    for (const char* const name : {"ns/user", "ns/pid", "ns/mnt"}) {
        if (!sharesNamespace(ours.get(), theirs.get(), name)) {
            return stranger("it comes from inside a box");
        }
    }
    // Not "none at all": all of Revet may itself run under a container's filter.
    const std::optional<int> ourFilters = seccompFilters(ours.get());
    const std::optional<int> theirFilters = seccompFilters(theirs.get());
    if (!ourFilters || !theirFilters || *theirFilters > *ourFilters) {
        return stranger("its process runs under a system call filter");
    }
    // What was read belongs to the peer only if it still lives.
    if (::syscall(SYS_pidfd_send_signal, held.get(), 0, nullptr, 0) != 0) {
        return stranger("its process has ended");
    }
    return {};
}

} // namespace revet::ipc
