// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Makes system calls that a box must refuse and says what each answered. An errno other than EPERM and ENOSYS
// means that the call reached the kernel's own code.

#include "tests/sandboxees/dangerous_calls.h"
#include "tests/sandboxees/deed.h"

#include <csignal>
#include <cstring>
#include <span>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

// A child's exit status holds what the call answered: errno values end below 134, the walk meets no other.
constexpr int kSucceeded = 0;
constexpr unsigned kSecondsForOne = 2;

/// The call runs in a child, since some of them end, stop or change the caller.
std::string tryInChild(long number, const std::array<long, 6>& arguments)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(kSecondsForOne);
        const long result = ::syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                                      arguments[4], arguments[5]);
        ::_exit(result < 0 ? errno : kSucceeded);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) {
        return victim::errnoName(errno);
    }
    if (WIFSIGNALED(status)) {
        return std::string("SIG") + ::sigabbrev_np(WTERMSIG(status));
    }
    return victim::errnoName(WEXITSTATUS(status));
}

int tryDangerous(std::string_view only)
{
    bool known = false;
    for (const victim::DangerousCall& call : victim::kDangerousCalls) {
        if (!only.empty() && call.name != only) {
            continue;
        }
        known = true;
        victim::say({call.name, " ", tryInChild(call.number, call.arguments)});
    }
    return known ? victim::kDone : victim::kUsage;
}

/// Every number from `first` to `last` with arguments that no call accepts, but for those that have none to
/// refuse: fork and vfork, which would have the walk done twice, and pause, which would only wait.
int walk(long first, long last)
{
    for (long number = first; number <= last; ++number) {
        if (number == SYS_fork || number == SYS_vfork || number == SYS_pause || number == SYS_exit
            || number == SYS_exit_group) {
            continue;
        }
        victim::say({std::to_string(number), " ", tryInChild(number, {-1, -1, -1, -1, -1, -1})});
    }
    return victim::kDone;
}

} // namespace

int main(int argc, char** argv)
{
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    if (argc == 1) {
        return tryDangerous({});
    }
    if (argc == 4 && std::string_view(arguments[1]) == "walk") {
        return walk(victim::numberOr(arguments[2], 0), victim::numberOr(arguments[3], -1));
    }
    if (argc == 2) {
        return tryDangerous(arguments[1]);
    }
    return victim::usage("try_syscall [NAME | walk FIRST LAST]");
}
