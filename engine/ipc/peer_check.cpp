// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/server.h"
#include "engine/os/pidfd.h"
#include "engine/os/proc_fs.h"
#include "engine/os/uapi.h"

#include <string>

#include <sys/socket.h>
#include <unistd.h>

namespace revet::ipc {

namespace {

auto stranger(std::string why)
{
    return fail(ErrorCode::Refused, "speak over a control socket", std::move(why));
}

/// Holds the peer so that its pid cannot pass to another process meanwhile.
Result<UniqueFd> holdPeer(int connectedSocket, pid_t pid)
{
    int fd = -1;
    socklen_t size = sizeof fd;
    if (::getsockopt(connectedSocket, SOL_SOCKET, SO_PEERPIDFD, &fd, &size) == 0) {
        return UniqueFd(fd);
    }
    return os::openPidFd(pid);
}

bool sharesNamespace(const os::ProcessDirectory& ours, const os::ProcessDirectory& theirs, const char* name)
{
    const auto own = ours.identityOf(name);
    const auto other = theirs.identityOf(name);
    return own && other && *own == *other;
}

} // namespace

Result<void> checkPeer(int connectedSocket)
{
    ucred peer = {};
    socklen_t size = sizeof peer;
    if (::getsockopt(connectedSocket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return failErrno("ask who is there");
    }
    if (peer.uid != ::geteuid()) {
        return stranger("there is another user");
    }
    // A peer in a pid namespace that is not below ours has the pid 0 here.
    const auto held
        = peer.pid > 0 ? holdPeer(connectedSocket, peer.pid) : fail(ErrorCode::NotFound, "hold the peer");
    if (!held) {
        return stranger("its process is not known here");
    }
    const auto ours = os::ProcessDirectory::open(::getpid());
    const auto theirs = os::ProcessDirectory::open(peer.pid);
    if (!ours || !theirs) {
        return stranger("its process cannot be looked at");
    }
    for (const char* const name : {"ns/user", "ns/pid", "ns/mnt"}) {
        if (!sharesNamespace(*ours, *theirs, name)) {
            return stranger("there is a process in a box");
        }
    }
    // Not "none at all": all of Revet may itself run under a container's filter.
    const auto ourFilters = ours->seccompFilters();
    const auto theirFilters = theirs->seccompFilters();
    if (!ourFilters || !theirFilters || *theirFilters > *ourFilters) {
        return stranger("its process runs under a system call filter");
    }
    // What was read belongs to the peer only if it still lives.
    if (!os::isPidFdAlive(held->get())) {
        return stranger("its process has ended");
    }
    return {};
}

} // namespace revet::ipc
