// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/filter_compiler.h"

#include "engine/base/assert.h"
#include "engine/base/unique_fd.h"
#include "engine/policy/refused_calls.h"

#include <seccomp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::tiers {

namespace {

constexpr std::uint64_t kInt = 0xffffffff; // the kernel takes these arguments as 32-bit numbers
constexpr std::uint64_t kSocketTypeMask = 0xf;

struct ReleaseFilter
{
    void operator()(void* context) const { seccomp_release(context); }
};
using Filter = std::unique_ptr<void, ReleaseFilter>; // scmp_filter_ctx is a void pointer

/// libseccomp returns a negative errno.
Result<void> check(int result, const char* what)
{
    return result >= 0 ? Result<void>() : fail(Error::fromErrno(what, -result));
}

Result<Filter> newFilter(std::uint32_t defaultAction)
{
    Filter filter(seccomp_init(defaultAction));
    if (!filter) {
        return fail(ErrorCode::System, "make a filter");
    }
    // 32-bit and x32 entries have other numbers for everything: whoever uses them ends.
    REVET_RETURN_IF_ERROR(check(
        seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "set up a filter"));
    // A binary tree over the numbers instead of a list: nine comparisons instead of three hundred.
    REVET_RETURN_IF_ERROR(
        check(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), "set up a filter"));
    return filter;
}

Result<void> add(const Filter& filter, std::uint32_t action, long number,
                 std::vector<scmp_arg_cmp> tests = {})
{
    return check(seccomp_rule_add_array(filter.get(), action, static_cast<int>(number),
                                        static_cast<unsigned>(tests.size()), tests.data()),
                 "add a rule to a filter");
}

scmp_arg_cmp masked(unsigned index, std::uint64_t mask, std::int64_t value)
{
    return {index, SCMP_CMP_MASKED_EQ, mask, static_cast<std::uint64_t>(value)};
}

Result<std::string> exportBpf(const Filter& filter)
{
    const UniqueFd memory(::memfd_create("revet-filter", MFD_CLOEXEC));
    if (!memory) {
        return failErrno("make room for a filter");
    }
    REVET_RETURN_IF_ERROR(check(seccomp_export_bpf(filter.get(), memory.get()), "compile a filter"));
    std::string program(static_cast<std::size_t>(::lseek(memory.get(), 0, SEEK_END)), '\0');
    if (::pread(memory.get(), program.data(), program.size(), 0) != static_cast<ssize_t>(program.size())) {
        return failErrno("read a compiled filter");
    }
    return program;
}

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;
constexpr std::uint32_t kOtherEntry = SECCOMP_RET_KILL_PROCESS;

struct Range
{
    std::uint32_t first;
    std::uint32_t action; ///< from there to the next
};

/// A search of the number that is loaded.
std::vector<sock_filter> searchOf(std::span<const Range> ranges)
{
    if (ranges.size() == 1) {
        return {BPF_STMT(BPF_RET | BPF_K, ranges.front().action)};
    }
    const std::size_t half = ranges.size() / 2;
    std::vector<sock_filter> code = searchOf(ranges.first(half));
    REVET_ASSERT(code.size() <= UINT8_MAX); // how far a jump goes
    code.insert(
        code.begin(),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ranges[half].first, static_cast<std::uint8_t>(code.size()), 0));
    const std::vector<sock_filter> upper = searchOf(ranges.subspan(half));
    code.insert(code.end(), upper.begin(), upper.end());
    return code;
}

/// Not by libseccomp, which compares with each number: five times as much for the kernel to translate at each
/// start.
Result<std::string> compileKnown()
{
    constexpr std::uint32_t kX32 = 0x40000000;
    std::vector<Range> ranges{{0, kUnknown}};
    const std::span<const int> known = policy::knownCalls();
    const std::set<int> numbers(known.begin(), known.end());
    for (const int number : numbers) {
        if (!numbers.contains(number - 1)) {
            ranges.push_back({static_cast<std::uint32_t>(number), kAllow});
        }
        if (!numbers.contains(number + 1)) {
            ranges.push_back({static_cast<std::uint32_t>(number) + 1, kUnknown});
        }
    }
    ranges.push_back({kX32, kOtherEntry});
    ranges.push_back({UINT32_MAX, kUnknown}); // what a tracer makes of a call that is to be left out
    std::vector<sock_filter> code = searchOf(ranges);
    const std::array head{sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch))),
                          sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, seccomp_arch_native(), 1, 0)),
                          sock_filter(BPF_STMT(BPF_RET | BPF_K, kOtherEntry)),
                          sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)))};
    code.insert(code.begin(), head.begin(), head.end());
    std::string bytes(code.size() * sizeof(sock_filter), '\0');
    std::memcpy(bytes.data(), code.data(), bytes.size());
    return bytes;
}

/// Whether the supervisor is told of sockets of this family, and refuses them itself.
bool isTrappedFamily(std::span<const policy::TrapRule> rules, int family)
{
    return std::any_of(rules.begin(), rules.end(), [family](const policy::TrapRule& rule) {
        return rule.syscallNumber == SYS_socket && rule.tests.size() == 1
            && rule.tests.front().value == static_cast<std::uint64_t>(family);
    });
}

/// Only local sockets, TCP, UDP and the routing table; anything else is kernel surface or another way out.
Result<void> refuseSockets(const Filter& filter, std::span<const policy::TrapRule> rules)
{
    for (int family = 0; family <= AF_NETLINK; ++family) {
        const bool isOffered
            = family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
        if (!isOffered) {
            if (!isTrappedFamily(rules, family)) {
                REVET_RETURN_IF_ERROR(
                    add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SYS_socket, {masked(0, kInt, family)}));
            }
            REVET_RETURN_IF_ERROR(
                add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SYS_socketpair, {masked(0, kInt, family)}));
        }
    }
    constexpr int kFamilyBits = 6; // 64 families: what this kernel has, and some to come
    for (const long call : {SYS_socket, SYS_socketpair}) {
        for (int family = AF_NETLINK + 1; family < 1 << kFamilyBits; ++family) {
            if (call == SYS_socketpair || !isTrappedFamily(rules, family)) {
                REVET_RETURN_IF_ERROR(
                    add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), call, {masked(0, kInt, family)}));
            }
        }
        for (int bit = kFamilyBits; bit < 32; ++bit) {
            const std::uint64_t value = std::uint64_t{1} << static_cast<unsigned>(bit);
            REVET_RETURN_IF_ERROR(add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), call,
                                      {masked(0, value, static_cast<std::int64_t>(value))}));
        }
    }
    for (const int family : {AF_INET, AF_INET6}) {
        for (const int type : {0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) {
            REVET_RETURN_IF_ERROR(add(filter, SCMP_ACT_ERRNO(EPROTONOSUPPORT), SYS_socket,
                                      {masked(0, kInt, family), masked(1, kSocketTypeMask, type)}));
        }
        // Ping, UDP-Lite, MPTCP and the rest would leave by ways that are not looked at.
        for (int protocol = 1; protocol < IPPROTO_UDP; ++protocol) {
            if (protocol != IPPROTO_TCP) {
                REVET_RETURN_IF_ERROR(add(filter, SCMP_ACT_ERRNO(EPROTONOSUPPORT), SYS_socket,
                                          {masked(0, kInt, family), masked(2, kInt, protocol)}));
            }
        }
        REVET_RETURN_IF_ERROR(add(filter, SCMP_ACT_ERRNO(EPROTONOSUPPORT), SYS_socket,
                                  {masked(0, kInt, family), {2, SCMP_CMP_GT, IPPROTO_UDP, 0}}));
    }
    for (int protocol = 1; protocol < 32; ++protocol) {
        REVET_RETURN_IF_ERROR(add(filter, SCMP_ACT_ERRNO(EPROTONOSUPPORT), SYS_socket,
                                  {masked(0, kInt, AF_NETLINK), masked(2, kInt, protocol)}));
    }
    return {};
}

Result<std::string> compileJudged(Tier tier, ObserveLevel level)
{
    REVET_ASSIGN_OR_RETURN(const auto filter, newFilter(SCMP_ACT_ALLOW));
    const auto rules = policy::trapRules(tier, level);
    REVET_RETURN_IF_ERROR(refuseSockets(filter, rules));
    // Pid 1 belongs to the same user, and prlimit(2) asks for nothing more.
    REVET_RETURN_IF_ERROR(add(filter, SCMP_ACT_ERRNO(EPERM), SYS_prlimit64, {masked(0, kInt, 1)}));
    for (const policy::TrapRule& rule : rules) {
        std::vector<scmp_arg_cmp> tests;
        for (const auto& test : rule.tests) {
            tests.push_back({test.index, SCMP_CMP_MASKED_EQ, test.mask, test.value});
        }
        REVET_RETURN_IF_ERROR(add(filter, SCMP_ACT_NOTIFY, rule.syscallNumber, std::move(tests)));
    }
    return exportBpf(filter);
}

} // namespace

Result<Filters> compileFilters(Tier tier, ObserveLevel level)
{
    Filters filters;
    REVET_ASSIGN_OR_RETURN(filters.known, compileKnown());
    REVET_ASSIGN_OR_RETURN(filters.judged, compileJudged(tier, level));
    return filters;
}

} // namespace revet::tiers
