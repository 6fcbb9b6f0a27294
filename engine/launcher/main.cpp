// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// revet-launch: builds one box and stays as its keeper. Small, static, single-threaded from birth, since
// unshare(CLONE_NEWUSER) refuses a process with threads. Started by revet-session only, with a plan.

#include "engine/launcher/pid_one.h"
#include "engine/launcher/steps.h"
#include "engine/launcher/wire.h"
#include "engine/os/socket.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace revet;
using namespace revet::launcher;

constexpr int kFailed = 125;

void dieWithParent()
{
    // Fires when the thread that started us ends, so revet-session starts us from its main thread (prctl(2)).
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

[[noreturn]] void reportErrno(const char* what)
{
    Report report;
    report.kind = Report::Kind::Failed;
    report.value = errno;
    report.text = what;
    static_cast<void>(os::sendPacket(kKeeperSocket, encode(report)).has_value());
    ::_exit(kFailed);
}

Result<Plan> receivePlan()
{
    REVET_ASSIGN_OR_RETURN(const auto packet, os::receivePacket(kKeeperSocket, kMaximumPacketBytes));
    if (packet.descriptors.size() != 1) {
        return fail(ErrorCode::Malformed, "receive a part of the plan");
    }
    REVET_ASSIGN_OR_RETURN(const auto bytes,
                           os::readAll(packet.descriptors.front().get(), kMaximumPlanBytes));
    return decodePlan(bytes);
}

/// The host's files that the plan wants gone at the end; reached through the host's tree, which stays here.
void removeLeftovers(const std::vector<std::string>& leftovers)
{
    for (const std::string& path : leftovers) {
        // Relative to the tree's root; without one (-1) the call fails.
        ::unlinkat(hostTree(), path.substr(1).c_str(), 0);
    }
}

/// Waits for the box's end, or for revet-session's, which ends the box; cleans up and passes the status on.
[[noreturn]] void keep(pid_t init, const std::vector<std::string>& leftovers)
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
    std::array<pollfd, 2> sources{pollfd{handle.get(), POLLIN, 0}, pollfd{kKeeperSocket, POLLIN, 0}};
    while (::poll(sources.data(), sources.size(), -1) < 0 && errno == EINTR) { }
    if (sources[0].revents == 0) {
        ::kill(init, SIGKILL); // revet-session has gone: its box must not outlive it
    }
    int status = 0;
    while (::waitpid(init, &status, 0) < 0 && errno == EINTR) { }
    removeLeftovers(leftovers);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kFailed);
}

} // namespace

int main()
{
    ::close_range(kInitSocket + 1, ~0U, 0);
    dieWithParent();
    Plan plan;
    std::vector<std::string> leftovers;
    while (plan.init.empty()) {
        auto part = receivePlan();
        if (!part) {
            static_cast<void>(std::fprintf(
                stderr, "revet-launch: this program is started by revet-session; run 'revet run' instead\n"));
            return kFailed;
        }
        for (const Step& step : part->outer) {
            if (const auto done = runKeeperStep(step); !done) {
                reportFailure(kKeeperSocket, step, done.error());
            }
            if (step.kind == StepKind::RemoveAtEnd) {
                leftovers.push_back(step.target);
            }
        }
        plan = std::move(*part);
    }
    // From here on the keeper outlives revet-session for as long as it takes to clean up.
    ::prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    if (::unshare(CLONE_NEWPID) != 0) {
        reportErrno("make a process namespace");
    }
    const pid_t init = ::fork();
    if (init < 0) {
        reportErrno("start pid 1");
    }
    if (init > 0) {
        keep(init, leftovers);
    }
    ::close(kKeeperSocket);
    closeHostTree();
    dieWithParent();
    runPidOne(plan);
    return 0;
}
