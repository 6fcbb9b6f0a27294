// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// revet-launch: builds one box and stays as its keeper. Small, static, single-threaded from birth, since
// unshare(CLONE_NEWUSER) refuses a process with threads. Started by revet-session only, with a plan.

#include "engine/launcher/pid_one.h"
#include "engine/launcher/steps.h"
#include "engine/launcher/wire.h"
#include "engine/os/socket.h"

#include <cerrno>
#include <csignal>
#include <cstdio>

#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
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

/// Waits for the box's end and passes its status on.
[[noreturn]] void keep(pid_t init)
{
    Report report;
    report.kind = Report::Kind::Init;
    report.value = init;
    if (!os::sendPacket(kKeeperSocket, encode(report))) {
        ::_exit(kFailed);
    }
    ::close(kInitSocket);
    int status = 0;
    while (::waitpid(init, &status, 0) < 0 && errno == EINTR) { }
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kFailed);
}

} // namespace

int main()
{
    const auto bytes = os::readAll(kPlanFile, kMaximumPlanBytes);
    const auto plan = bytes ? decodePlan(*bytes) : Result<Plan>(fail(bytes.error()));
    if (!plan) {
        std::fprintf(stderr,
                     "revet-launch: this program is started by revet-session; run 'revet run' instead\n");
        return kFailed;
    }
    ::close_range(kPlanFile, ~0U, 0);
    dieWithParent();
    for (const Step& step : plan->outer) {
        if (const auto done = runKeeperStep(step); !done) {
            reportFailure(kKeeperSocket, step, done.error());
        }
    }
    dieWithParent(); // a change of credentials may have cleared it
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (::unshare(CLONE_NEWPID) != 0) {
        reportErrno("make a process namespace");
    }
    const pid_t init = ::fork();
    if (init < 0) {
        reportErrno("start pid 1");
    }
    if (init > 0) {
        keep(init);
    }
    ::close(kKeeperSocket);
    dieWithParent();
    runPidOne(*plan);
    return 0;
}
