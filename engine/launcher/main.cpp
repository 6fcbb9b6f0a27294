// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// revet-launch: builds one box and stays as its keeper. Small, static, single-threaded from birth, since
// unshare(CLONE_NEWUSER) refuses a process with threads. Started by revet-session only, with a plan.

#include "engine/launcher/keeper.h"
#include "engine/launcher/pid_one.h"
#include "engine/launcher/steps.h"
#include "engine/launcher/wire.h"
#include "engine/os/socket.h"

#include <csignal>
#include <cstdio>

#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
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
