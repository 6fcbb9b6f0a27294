// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/trapped_calls.h"

#include "engine/policy/refused_calls.h"

#include <array>
#include <initializer_list>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452 // Linux 6.6; Debian 12's headers lack it
#endif

namespace revet::policy {
namespace {

// The kernel takes flags, modes and families as int: only their low half counts.
constexpr std::uint64_t kInt = 0xffffffff;
constexpr std::uint64_t kSocketTypeMask = 0xf; // linux/net.h: SOCK_TYPE_MASK

using Rules = std::vector<TrapRule>;

void addAlways(Rules& rules, std::initializer_list<long> numbers)
{
    for (const long number : numbers) {
        rules.push_back({static_cast<int>(number), {}});
    }
}

void addWhen(Rules& rules, long number, TrapRule::ArgumentTest test)
{
    rules.push_back({static_cast<int>(number), {test}});
}

/// Opens that may change something: any access mode but O_RDONLY (3 asks for both permissions and gives an
/// ioctl-only descriptor). O_TMPFILE needs a writing mode.
void addWritingOpens(Rules& rules)
{
    for (const auto& [number, flags] : {std::pair<long, unsigned>(SYS_open, 1), {SYS_openat, 2}}) {
        for (const std::uint64_t mode : {1U, 2U, 3U}) {
            addWhen(rules, number, {flags, O_ACCMODE, mode});
        }
        addWhen(rules, number, {flags, O_CREAT, O_CREAT});
        addWhen(rules, number, {flags, O_TRUNC, O_TRUNC});
    }
    // The flags of openat2 lie in memory, so every one of them waits.
    addAlways(rules, {SYS_openat2, SYS_creat});
}

/// Every open but read-only ones of directories and of bare paths: a walk over a tree is all of those.
void addReadingOpens(Rules& rules)
{
    addWhen(rules, SYS_open, {1, O_DIRECTORY | O_PATH, 0});
    addWhen(rules, SYS_openat, {2, O_DIRECTORY | O_PATH, 0});
}

void addMutations(Rules& rules)
{
    addAlways(rules,
              {SYS_mkdir,     SYS_mkdirat,     SYS_mknod,        SYS_mknodat,     SYS_symlink,  SYS_symlinkat,
               SYS_unlink,    SYS_unlinkat,    SYS_rmdir,        SYS_truncate,    SYS_chmod,    SYS_fchmodat,
               SYS_fchmodat2, SYS_fchmod,      SYS_chown,        SYS_lchown,      SYS_fchownat, SYS_fchown,
               SYS_utime,     SYS_utimes,      SYS_futimesat,    SYS_utimensat,   SYS_setxattr, SYS_lsetxattr,
               SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr});
}

/// What overlayfs cannot do in a user namespace and the supervisor does in its place.
void addRenamesAndLinks(Rules& rules)
{
    addAlways(rules, {SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat});
}

/// A read-only mount answers "may I write" with no, where the supervisor would say yes.
void addWriteProbes(Rules& rules)
{
    addWhen(rules, SYS_access, {1, W_OK, W_OK});
    addWhen(rules, SYS_faccessat, {2, W_OK, W_OK});
    addWhen(rules, SYS_faccessat2, {2, W_OK, W_OK});
}

/// What changes how the next relative path or new file is understood.
void addContext(Rules& rules)
{
    addAlways(rules, {SYS_chdir, SYS_fchdir, SYS_umask});
}

/// exit_group: a child whose parent ends before the child is first seen would have no parent to name.
void addProcesses(Rules& rules)
{
    addAlways(rules, {SYS_execve, SYS_execveat, SYS_exit_group});
}

/// Sockets that no box gets: the filter would refuse them anyway, here they are recorded too.
void addRefusedSockets(Rules& rules)
{
    for (const int family : {AF_AX25, AF_KEY, AF_PACKET, AF_RDS, AF_CAN, AF_TIPC, AF_BLUETOOTH, AF_ALG,
                             AF_VSOCK, AF_QIPCRTR, AF_SMC, AF_XDP}) {
        addWhen(rules, SYS_socket, {0, kInt, static_cast<std::uint64_t>(family)});
    }
    for (const int family : {AF_INET, AF_INET6}) {
        rules.push_back(
            {SYS_socket, {{0, kInt, static_cast<std::uint64_t>(family)}, {1, kSocketTypeMask, SOCK_RAW}}});
    }
}

void addRefusedCalls(Rules& rules)
{
    for (const RefusedCall& call : refusedCalls()) {
        rules.push_back(call.when);
    }
}

Rules makeRules(Tier tier, ObserveLevel level)
{
    const bool isLayered = tier == Tier::Container;
    const bool watchesWrites = level != ObserveLevel::Exec;
    Rules rules;
    addProcesses(rules);
    addRenamesAndLinks(rules);
    addRefusedSockets(rules);
    addRefusedCalls(rules);
    addAlways(rules, {SYS_connect, SYS_bind}); // which sockets are the box's own decides about connections
    if (!isLayered || watchesWrites) {
        addWritingOpens(rules);
        addMutations(rules);
        addContext(rules);
    }
    if (!isLayered) {
        addWriteProbes(rules);
    }
    if (watchesWrites) {
        addAlways(rules, {SYS_listen});
    }
    if (level == ObserveLevel::Full) {
        addReadingOpens(rules);
    }
    return rules;
}

} // namespace

std::span<const TrapRule> trapRules(Tier tier, ObserveLevel level)
{
    using ByLevel = std::array<Rules, 3>;
    const auto allLevels = [](Tier of) {
        return ByLevel{makeRules(of, ObserveLevel::Full), makeRules(of, ObserveLevel::Writes),
                       makeRules(of, ObserveLevel::Exec)};
    };
    static const ByLevel kDirect = allLevels(Tier::Sandbox);
    static const ByLevel kLayered = allLevels(Tier::Container);
    const ByLevel& table = tier == Tier::Container ? kLayered : kDirect;
    return table.at(static_cast<std::size_t>(level));
}

} // namespace revet::policy
