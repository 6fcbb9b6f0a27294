// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/refused_calls.h"

#include <algorithm>
#include <bitset>
#include <cerrno>
#include <initializer_list>
#include <vector>

#include <sched.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <asm/ioctls.h>

namespace revet::policy {

namespace {

/// The two ranges of numbers that x86-64 has given out and this version has looked at. What comes later is
/// unknown and therefore missing: a new call must be read before a box gets it.
constexpr int kLastOld = 334; // rseq
constexpr int kFirstNew = 424; // pidfd_send_signal
constexpr int kLastNew = 462; // mseal, Linux 6.10

// The kernel takes these arguments as 32-bit numbers.
constexpr std::uint64_t kInt = 0xffffffff;

struct NamedCall
{
    long number;
    std::string_view name;
};

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a number and its name from one word
#define REVET_CALL(name)                                                                                     \
    NamedCall                                                                                                \
    {                                                                                                        \
        SYS_##name, #name                                                                                    \
    }

constexpr std::array kNeverPermitted = {
    // Mounts, roots and namespaces: the view is made once, from outside.
    REVET_CALL(mount),
    REVET_CALL(umount2),
    REVET_CALL(pivot_root),
    REVET_CALL(chroot),
    REVET_CALL(fsopen),
    REVET_CALL(fsconfig),
    REVET_CALL(fsmount),
    REVET_CALL(fspick),
    REVET_CALL(open_tree),
    REVET_CALL(move_mount),
    REVET_CALL(mount_setattr),
    REVET_CALL(setns),
    REVET_CALL(swapon),
    REVET_CALL(swapoff),
    // Files by handle pass by every path.
    REVET_CALL(open_by_handle_at),
    REVET_CALL(name_to_handle_at),
    // Kernel programs, performance counters, page-fault handlers: attack surface no build needs.
    REVET_CALL(bpf),
    REVET_CALL(perf_event_open),
    REVET_CALL(userfaultfd),
    REVET_CALL(init_module),
    REVET_CALL(finit_module),
    REVET_CALL(delete_module),
    REVET_CALL(kexec_load),
    REVET_CALL(kexec_file_load),
    REVET_CALL(fanotify_init),
    REVET_CALL(fanotify_mark),
    REVET_CALL(lookup_dcookie),
    // Keyrings are shared with the human's own session.
    REVET_CALL(keyctl),
    REVET_CALL(add_key),
    REVET_CALL(request_key),
    // The machine.
    REVET_CALL(reboot),
    REVET_CALL(acct),
    REVET_CALL(quotactl),
    REVET_CALL(syslog),
    REVET_CALL(iopl),
    REVET_CALL(ioperm),
    REVET_CALL(modify_ldt),
    REVET_CALL(vhangup),
    REVET_CALL(clock_settime),
    REVET_CALL(settimeofday),
    REVET_CALL(sethostname),
    REVET_CALL(setdomainname),
    REVET_CALL(nfsservctl),
    // Other processes' pages, descriptors and kernel objects.
    REVET_CALL(move_pages),
    REVET_CALL(migrate_pages),
    REVET_CALL(mbind),
    REVET_CALL(process_madvise),
    REVET_CALL(process_mrelease),
    REVET_CALL(kcmp),
    REVET_CALL(pidfd_getfd),
    // Debian 12's headers lack these.
    NamedCall{443, "quotactl_fd"},
    NamedCall{447, "memfd_secret"},
    NamedCall{457, "statmount"},
    NamedCall{458, "listmount"},
    NamedCall{460, "lsm_set_self_attr"},
};

/// Ring operations pass by every filter, so there are no rings; run-times that probe for them go without.
constexpr std::array kRings
    = {REVET_CALL(io_uring_setup), REVET_CALL(io_uring_enter), REVET_CALL(io_uring_register)};

constexpr std::array kMissing = {
    // The flags of clone3 lie in memory, where a filter cannot see a request for a namespace; every C library
    // falls back to clone.
    SYS_clone3,
    // Old calls that no kernel of today has, or whose multiplexing hides what they do.
    SYS_uselib,
    SYS_sysfs,
    SYS__sysctl,
    SYS_create_module,
    SYS_get_kernel_syms,
    SYS_query_module,
    SYS_getpmsg,
    SYS_putpmsg,
    SYS_afs_syscall,
    SYS_tuxcall,
    SYS_security,
    SYS_vserver,
    SYS_epoll_ctl_old,
    SYS_epoll_wait_old,
};

using Calls = std::vector<RefusedCall>;

void addWhen(Calls& calls, const NamedCall& call, std::vector<TrapRule::ArgumentTest> tests, int errnoValue)
{
    calls.push_back({{static_cast<int>(call.number), std::move(tests)}, call.name, errnoValue});
}

void addNamespaces(Calls& calls)
{
    struct Flag
    {
        std::uint64_t bit;
        std::string_view clone;
        std::string_view unshare;
    };
    constexpr std::array kFlags = {
        Flag{CLONE_NEWUSER, "clone CLONE_NEWUSER", "unshare CLONE_NEWUSER"},
        Flag{CLONE_NEWNS, "clone CLONE_NEWNS", "unshare CLONE_NEWNS"},
        Flag{CLONE_NEWPID, "clone CLONE_NEWPID", "unshare CLONE_NEWPID"},
        Flag{CLONE_NEWNET, "clone CLONE_NEWNET", "unshare CLONE_NEWNET"},
        Flag{CLONE_NEWIPC, "clone CLONE_NEWIPC", "unshare CLONE_NEWIPC"},
        Flag{CLONE_NEWUTS, "clone CLONE_NEWUTS", "unshare CLONE_NEWUTS"},
        Flag{CLONE_NEWCGROUP, "clone CLONE_NEWCGROUP", "unshare CLONE_NEWCGROUP"},
    };
    for (const Flag& flag : kFlags) {
        addWhen(calls, {SYS_clone, flag.clone}, {{0, flag.bit, flag.bit}}, EPERM);
        addWhen(calls, {SYS_unshare, flag.unshare}, {{0, flag.bit, flag.bit}}, EPERM);
    }
    constexpr std::uint64_t kNewTime = 0x80; // CLONE_NEWTIME; in clone() the bit belongs to the exit signal
    addWhen(calls, {SYS_unshare, "unshare CLONE_NEWTIME"}, {{0, kNewTime, kNewTime}}, EPERM);
}

void addTerminalsAndWaysOut(Calls& calls)
{
    // Keystrokes pushed into a terminal. The kernel looks at 32 bits only, and so does the comparison.
    addWhen(calls, {SYS_ioctl, "ioctl TIOCSTI"}, {{1, kInt, TIOCSTI}}, EPERM);
    addWhen(calls, {SYS_ioctl, "ioctl TIOCLINUX"}, {{1, kInt, TIOCLINUX}}, EPERM);
    // Another line discipline is another parser in the kernel; the modem ones have had their share of holes.
    addWhen(calls, {SYS_ioctl, "ioctl TIOCSETD"}, {{1, kInt, TIOCSETD}}, EPERM);
    constexpr std::uint64_t kFastOpen = 0x20000000; // MSG_FASTOPEN: a connect that no connect hook sees
    addWhen(calls, {SYS_sendto, "sendto MSG_FASTOPEN"}, {{3, kFastOpen, kFastOpen}}, EOPNOTSUPP);
    addWhen(calls, {SYS_sendmsg, "sendmsg MSG_FASTOPEN"}, {{2, kFastOpen, kFastOpen}}, EOPNOTSUPP);
    addWhen(calls, {SYS_sendmmsg, "sendmmsg MSG_FASTOPEN"}, {{3, kFastOpen, kFastOpen}}, EOPNOTSUPP);
    constexpr std::uint64_t kQuery = 0x80000000; // personality(0xffffffff) only asks
    // A readable mapping that is executable as well helps exploits only; a debugger asks for
    // ADDR_NO_RANDOMIZE.
    addWhen(calls, {SYS_personality, "personality READ_IMPLIES_EXEC"},
            {{0, READ_IMPLIES_EXEC | kQuery, READ_IMPLIES_EXEC}}, EPERM);
}

/// Every send of a local datagram socket may name another receiver, in memory that no filter sees: a socket
/// that a program of the host has in the project, or below --bind-ro, would get it. The other types connect
/// first.
void addLocalDatagrams(Calls& calls)
{
    constexpr std::uint64_t kTypeMask = 0xf; // linux/net.h: SOCK_TYPE_MASK
    for (const std::uint64_t type : {SOCK_DGRAM, SOCK_RAW}) { // unix(7): raw ones are datagram sockets
        addWhen(calls, {SYS_socket, "socket AF_UNIX SOCK_DGRAM"}, {{0, kInt, AF_UNIX}, {1, kTypeMask, type}},
                ESOCKTNOSUPPORT);
        addWhen(calls, {SYS_socketpair, "socketpair AF_UNIX SOCK_DGRAM"},
                {{0, kInt, AF_UNIX}, {1, kTypeMask, type}}, ESOCKTNOSUPPORT);
    }
}

/// The kernel refuses all of these, since pid 1 is not dumpable; here they get their rows.
void addPidOne(Calls& calls)
{
    addWhen(calls, {SYS_ptrace, "ptrace of pid 1"}, {{0, kInt, PTRACE_ATTACH}, {1, kInt, 1}}, EPERM);
    addWhen(calls, {SYS_ptrace, "ptrace of pid 1"}, {{0, kInt, PTRACE_SEIZE}, {1, kInt, 1}}, EPERM);
    addWhen(calls, {SYS_process_vm_readv, "process_vm_readv of pid 1"}, {{0, kInt, 1}}, EPERM);
    addWhen(calls, {SYS_process_vm_writev, "process_vm_writev of pid 1"}, {{0, kInt, 1}}, EPERM);
}

Calls makeRefused()
{
    Calls calls;
    for (const NamedCall& call : kNeverPermitted) {
        addWhen(calls, call, {}, EPERM);
    }
    for (const NamedCall& call : kRings) {
        addWhen(calls, call, {}, ENOSYS);
    }
    addNamespaces(calls);
    addTerminalsAndWaysOut(calls);
    addLocalDatagrams(calls);
    addPidOne(calls);
    return calls;
}

std::vector<int> makeMissing()
{
    std::vector<int> numbers;
    std::transform(kMissing.begin(), kMissing.end(), std::back_inserter(numbers),
                   [](auto number) { return static_cast<int>(number); });
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

std::vector<int> makeKnown()
{
    // The extended-attribute calls by descriptor (463 and later) and everything above stay unknown.
    std::vector<int> numbers;
    const std::span<const int> missing = missingCalls();
    for (int number = 0; number <= kLastNew; ++number) {
        const bool isGivenOut = number <= kLastOld || number >= kFirstNew;
        if (isGivenOut && !std::binary_search(missing.begin(), missing.end(), number)) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

std::bitset<kLastNew + 1> numbersOf(std::span<const RefusedCall> calls)
{
    std::bitset<kLastNew + 1> numbers;
    for (const RefusedCall& call : calls) {
        numbers.set(static_cast<std::size_t>(call.when.syscallNumber)); // throws for one that is unknown
    }
    return numbers;
}

bool holds(const TrapRule& rule, const std::array<std::uint64_t, 6>& arguments)
{
    return std::all_of(rule.tests.begin(), rule.tests.end(), [&](const TrapRule::ArgumentTest& test) {
        return (arguments.at(test.index) & test.mask) == test.value;
    });
}

} // namespace

std::span<const RefusedCall> refusedCalls()
{
    static const Calls kCalls = makeRefused();
    return kCalls;
}

const RefusedCall* findRefused(int number, const std::array<std::uint64_t, 6>& arguments)
{
    // Asked for every call that waits, nearly all of which are in no entry.
    static const std::bitset<kLastNew + 1> kInSome = numbersOf(refusedCalls());
    if (number < 0 || number > kLastNew || !kInSome.test(static_cast<std::size_t>(number))) {
        return nullptr;
    }
    const std::span<const RefusedCall> calls = refusedCalls();
    const auto found = std::find_if(calls.begin(), calls.end(), [&](const RefusedCall& call) {
        return call.when.syscallNumber == number && holds(call.when, arguments);
    });
    return found == calls.end() ? nullptr : &*found;
}

std::span<const int> missingCalls()
{
    static const std::vector<int> kNumbers = makeMissing();
    return kNumbers;
}

std::span<const int> knownCalls()
{
    static const std::vector<int> kNumbers = makeKnown();
    return kNumbers;
}

} // namespace revet::policy
