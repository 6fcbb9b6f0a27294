// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/uapi.h"
#include "engine/session/probe.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::probe {

namespace {

Outcome typeIntoTerminal(const HostFacts&)
{
    // The kernel looks at 32 bits of the request only: a filter that compares 64 lets the second one through.
    constexpr std::uint64_t kUnusedBit = std::uint64_t{1} << 32U;
    for (const std::uint64_t bit : {std::uint64_t{0}, kUnusedBit}) {
        const char key = '#';
        const int result = outcomeOf(::syscall(SYS_ioctl, STDIN_FILENO, TIOCSTI | bit, &key));
        // EIO: this kernel has it switched off for everybody (dev.tty.legacy_tiocsti).
        if (Outcome outcome = refused(result, {EPERM, EIO}); outcome.kind != Outcome::Kind::Ok) {
            outcome.detail += bit != 0 ? ", with bit 32 set" : "";
            return outcome;
        }
    }
    return ok("EPERM, with bit 32 set as well");
}

Outcome ioUring(const HostFacts&)
{
    io_uring_params parameters{};
    return refused(outcomeOf(::syscall(SYS_io_uring_setup, 1, &parameters)), {ENOSYS, EPERM});
}

Outcome thirtyTwoBit(const HostFacts&)
{
#if defined(__x86_64__)
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr long kGetPid32 = 20;
        long result = kGetPid32;
        asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
        ::_exit(result > 0 ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) {
        return failed("inconclusive: " + errnoName(errno));
    }
    if (WIFSIGNALED(status)) {
        return ok(std::string("ended by SIG") + ::sigabbrev_np(WTERMSIG(status)));
    }
    return WEXITSTATUS(status) == 0 ? failed("it worked") : ok("refused");
#else
    return ok("this processor has no such entry");
#endif
}

Outcome unshareUser(const HostFacts&)
{
    return refused(outcomeOf(::unshare(CLONE_NEWUSER)), {EPERM, ENOSPC});
}

Outcome cloneUser(const HostFacts&)
{
    const long child = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        ::_exit(0);
    }
    return refused(outcomeOf(child), {EPERM, ENOSPC});
}

Outcome clone3User(const HostFacts&)
{
    clone_args arguments{};
    arguments.flags = CLONE_NEWUSER;
    arguments.exit_signal = SIGCHLD;
    const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) {
        ::_exit(0);
    }
    return refused(outcomeOf(child), {ENOSYS, EPERM, ENOSPC});
}

Outcome namespaceLimits(const HostFacts&)
{
    for (const char* kind : {"user", "mnt", "net", "pid", "ipc", "uts", "cgroup"}) {
        std::string value;
        const std::string name = std::string("max_") + kind + "_namespaces";
        const int result = readFile("/proc/sys/user/" + name, value);
        if (result != 0) {
            return failed("inconclusive: " + name + ": " + errnoName(result));
        }
        if (value != "0\n") {
            return failed(name + " is " + value.substr(0, value.find('\n')));
        }
    }
    return ok("all limits are 0");
}

Outcome mountSomething(const HostFacts&)
{
    return refused(outcomeOf(::mount("none", "/tmp", "tmpfs", 0, nullptr)), {EPERM, ENOSYS});
}

Outcome listener(const HostFacts&)
{
    sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    sock_fprog program{1, &allow};
    constexpr unsigned long kFlags
        = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return worked(outcomeOf(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program)),
                  "a listener with WAIT_KILLABLE_RECV");
}

Outcome closeRange(const HostFacts&)
{
    return worked(outcomeOf(::close_range(100, ~0U, 0)), "close_range");
}

Outcome openat2(const HostFacts&)
{
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
    return worked(outcomeOf(::syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how)), "openat2");
}

Outcome processHandles(const HostFacts&)
{
    return worked(outcomeOf(::syscall(SYS_pidfd_open, ::getpid(), 0)), "pidfd_open");
}

Outcome landlock(const HostFacts&)
{
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return ok(version < 0 ? "not there; the tiers built today do without"
                          : "version " + std::to_string(version) + "; the tiers built today do without");
}

constexpr std::array kInBox = {
    Probe{"typing into the terminal (TIOCSTI)", typeIntoTerminal},
    Probe{"io_uring", ioUring},
    Probe{"32-bit system calls (int 0x80)", thirtyTwoBit},
    Probe{"nested user namespace by unshare", unshareUser},
    Probe{"nested user namespace by clone", cloneUser},
    Probe{"nested user namespace by clone3", clone3User},
    Probe{"limits of nested namespaces", namespaceLimits},
    Probe{"mount", mountSomething},
};

constexpr std::array kOnMachine = {
    Probe{"system call supervision", listener},
    Probe{"close_range", closeRange},
    Probe{"openat2", openat2},
    Probe{"process handles (pidfd)", processHandles},
    Probe{"Landlock", landlock},
};

} // namespace

std::span<const Probe> callProbes()
{
    return kInBox;
}

std::span<const Probe> machineProbes()
{
    return kOnMachine;
}

} // namespace revet::probe
