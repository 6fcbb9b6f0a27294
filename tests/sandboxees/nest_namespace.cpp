// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Asks for namespaces of its own, by each of the four calls that make or enter one.

#include "tests/sandboxees/deed.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

using Kind = std::pair<std::string_view, unsigned long>;

constexpr std::array<Kind, 8> kKinds{{{"user", CLONE_NEWUSER},
                                      {"mnt", CLONE_NEWNS},
                                      {"pid", CLONE_NEWPID},
                                      {"net", CLONE_NEWNET},
                                      {"ipc", CLONE_NEWIPC},
                                      {"uts", CLONE_NEWUTS},
                                      {"cgroup", CLONE_NEWCGROUP},
                                      {"user+mnt", CLONE_NEWUSER | CLONE_NEWNS}}};

template<typename Call>
int errnoInChild(Call call)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(victim::outcome(call()));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

long cloneWith(unsigned long flags)
{
    const long child = ::syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        ::_exit(0);
    }
    return child;
}

long clone3With(unsigned long flags)
{
    struct clone_args arguments = {};
    arguments.flags = flags;
    arguments.exit_signal = SIGCHLD;
    const long child = ::syscall(SYS_clone3, &arguments, sizeof(arguments));
    if (child == 0) {
        ::_exit(0);
    }
    return child;
}

long enterOwn(std::string_view kind, unsigned long flag)
{
    const std::string path = "/proc/self/ns/" + std::string(kind);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -1 : ::syscall(SYS_setns, fd, flag);
}

} // namespace

int main()
{
    victim::Report report;
    for (const auto& [name, flags] : kKinds) {
        const std::string kind(name);
        const unsigned long wanted = flags;
        report.attempt("unshare " + kind, errnoInChild([wanted] { return ::syscall(SYS_unshare, wanted); }));
        report.attempt("clone " + kind, errnoInChild([wanted] { return cloneWith(wanted); }));
        report.attempt("clone3 " + kind, errnoInChild([wanted] { return clone3With(wanted); }));
        if (kind.find('+') == std::string::npos) {
            report.attempt("setns " + kind, errnoInChild([&kind, wanted] { return enterOwn(kind, wanted); }));
        }
    }
    return report.status();
}
