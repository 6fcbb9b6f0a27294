// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/keeper.h"

#include "engine/base/unique_fd.h"
#include "engine/launcher/errand.h"
#include "engine/launcher/live_mounts.h"
#include "engine/launcher/steps.h"
#include "engine/launcher/wire.h"
#include "engine/os/socket.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <span>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::launcher {

namespace {

constexpr int kFailed = 125;

/// Reached through the host's tree, which stays with the keeper.
void removeLeftovers(const std::vector<std::string>& leftovers)
{
    for (const std::string& path : leftovers) {
        // Relative to the tree's root; without one (-1) the call fails.
        ::unlinkat(hostTree(), path.substr(1).c_str(), 0);
    }
}

Result<UniqueFd> run(const Errand& errand, LiveMounts& mounts)
{
    if (errand.kind == Errand::Kind::Mount) {
        return mounts.mount(errand);
    }
    if (errand.kind == Errand::Kind::Cover) {
        return LiveMounts::cover(errand);
    }
    if (errand.kind == Errand::Kind::Unmount) {
        REVET_RETURN_IF_ERROR(mounts.unmount(errand.target));
        return UniqueFd();
    }
    return runErrand(errand);
}

/// False: revet-session has no more of them.
bool doErrand(int socket, LiveMounts& mounts)
{
    const auto packet = os::receivePacket(socket, kMaximumPacketBytes);
    if (!packet) {
        return false;
    }
    const auto errand = decodeErrand(packet->bytes);
    const auto opened = errand ? run(*errand, mounts) : fail(errand.error());
    Report report;
    if (!opened) {
        report.kind = Report::Kind::Failed;
        report.value = opened.error().errnoValue;
        report.text = opened.error().operation;
        return os::sendPacket(socket, encode(report)).has_value();
    }
    report.kind = Report::Kind::Opened;
    const std::array descriptors{opened->get()};
    const bool isTold
        = os::sendPacket(socket, encode(report), std::span(descriptors).first(opened->isOpen() ? 1 : 0))
              .has_value();
    if (!isTold && errand->kind == Errand::Kind::Mount) { // nobody would take it away
        static_cast<void>(mounts.unmount(errand->target).has_value());
    }
    return isTold;
}

/// What comes on kKeeperSocket once the plan is whole; none: revet-session has gone, or speaks nonsense.
UniqueFd receiveErrandsSocket()
{
    auto packet = os::receivePacket(kKeeperSocket, kMaximumPacketBytes);
    const bool isIt = packet && packet->bytes == kErrandsPacket && packet->descriptors.size() == 1;
    return isIt ? std::move(packet->descriptors.front()) : UniqueFd();
}

} // namespace

void reportErrno(const char* what)
{
    Report report;
    report.kind = Report::Kind::Failed;
    report.value = errno;
    report.text = what;
    static_cast<void>(os::sendPacket(kKeeperSocket, encode(report)).has_value());
    ::_exit(kFailed);
}

void keep(pid_t init, const std::vector<std::string>& leftovers)
{
    const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, init, 0)));
    if (!handle) { // poll() would skip it, and the box's end would never be seen
        const int error = errno;
        ::kill(init, SIGKILL);
        errno = error;
        reportErrno("watch pid 1");
    }
    Report report;
    report.kind = Report::Kind::Init;
    report.value = init;
    if (!os::sendPacket(kKeeperSocket, encode(report))) {
        ::_exit(kFailed);
    }
    ::close(kInitSocket);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); // not before the fork: pid 1 must still write its own id maps
    UniqueFd errands;
    LiveMounts mounts;
    for (;;) {
        std::array<pollfd, 3> sources{pollfd{handle.get(), POLLIN, 0}, pollfd{kKeeperSocket, POLLIN, 0},
                                      pollfd{errands.get(), POLLIN, 0}};
        if (::poll(sources.data(), sources.size(), -1) < 0 && errno == EINTR) {
            continue;
        }
        if (sources[0].revents != 0) {
            break;
        }
        if (sources[1].revents != 0) {
            errands = receiveErrandsSocket();
            if (!errands) {
                ::kill(init, SIGKILL); // the box must not outlive revet-session
                break;
            }
        } else if (sources[2].revents != 0 && !doErrand(errands.get(), mounts)) {
            errands.reset();
        }
    }
    int status = 0;
    while (::waitpid(init, &status, 0) < 0 && errno == EINTR) { }
    removeLeftovers(leftovers);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kFailed);
}

} // namespace revet::launcher
