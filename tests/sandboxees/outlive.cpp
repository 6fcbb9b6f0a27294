// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Leaves processes behind that keep adding to a file: detached, deaf to signals, stopped, or held by a
// tracer.

#include "tests/sandboxees/deed.h"

#include <array>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

[[noreturn]] void tick(const std::string& file)
{
    constexpr timespec kPause{0, 20'000'000};
    for (;;) {
        static_cast<void>(victim::appendText(file, "t"));
        ::nanosleep(&kPause, nullptr);
    }
}

void becomeDeaf()
{
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE}) {
        static_cast<void>(std::signal(signal, SIG_IGN));
    }
    static_cast<void>(::prctl(PR_SET_PDEATHSIG, 0));
}

/// setsid and a second fork, as daemons do; the standard streams are let go too.
void startDaemon(const std::string& file)
{
    if (::fork() != 0) {
        return;
    }
    ::setsid();
    if (::fork() != 0) {
        ::_exit(0);
    }
    becomeDeaf();
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
        ::close(fd);
    }
    tick(file);
}

void startStopped()
{
    const pid_t child = ::fork();
    if (child == 0) {
        becomeDeaf();
        static_cast<void>(std::raise(SIGSTOP));
        ::pause();
        ::_exit(0);
    }
}

/// A child that its tracer, itself detached, holds stopped.
void startTraced()
{
    if (::fork() != 0) {
        return;
    }
    ::setsid();
    becomeDeaf();
    const pid_t traced = ::fork();
    if (traced == 0) {
        becomeDeaf();
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        static_cast<void>(std::raise(SIGSTOP));
        ::pause();
        ::_exit(0);
    }
    for (;;) {
        ::pause();
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        return victim::usage("outlive {leave|stay} FILE");
    }
    startDaemon(argv[2]);
    startStopped();
    startTraced();
    // The test must be able to see that the writer runs before anything ends.
    constexpr timespec kPause{0, 20'000'000};
    struct stat status = {};
    constexpr int kRounds = 250;
    for (int round = 0; round < kRounds && (::stat(argv[2], &status) != 0 || status.st_size < 3); ++round) {
        ::nanosleep(&kPause, nullptr);
    }
    victim::say({status.st_size >= 3 ? "ticking" : "silent"});
    if (std::string_view(argv[1]) == "stay") {
        tick(std::string(argv[2]) + ".stay");
    }
    return victim::kDone;
}
