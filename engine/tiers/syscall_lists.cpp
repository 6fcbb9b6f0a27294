// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/syscall_lists.h"

#include <algorithm>
#include <array>
#include <vector>

#include <sys/syscall.h>

namespace revet::tiers {

namespace {

/// The two ranges of numbers that x86-64 has given out and this version has looked at. What comes later is
/// unknown and therefore missing: a new call must be read before a box gets it.
constexpr int kLastOld = 334; // rseq
constexpr int kFirstNew = 424; // pidfd_send_signal
constexpr int kLastNew = 462; // mseal, Linux 6.10

constexpr int kQuotactlFd = 443;
constexpr int kMemfdSecret = 447;
constexpr int kStatmount = 457;
constexpr int kListmount = 458;
constexpr int kLsmSetSelfAttr = 460;

constexpr std::array kRefused = {
    // Mounts, roots and namespaces: the view is made once, from outside.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_open_tree,
    SYS_move_mount,
    SYS_mount_setattr,
    SYS_setns,
    SYS_swapon,
    SYS_swapoff,
    // Files by handle pass by every path.
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    // Kernel programs, performance counters, page-fault handlers: attack surface no build needs.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_fanotify_init,
    SYS_fanotify_mark,
    SYS_lookup_dcookie,
    // Keyrings are shared with the human's own session.
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // The machine.
    SYS_reboot,
    SYS_acct,
    SYS_quotactl,
    SYS_syslog,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_vhangup,
    SYS_clock_settime,
    SYS_settimeofday,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_nfsservctl,
    // Other processes' pages, descriptors and kernel objects.
    SYS_move_pages,
    SYS_migrate_pages,
    SYS_mbind,
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_kcmp,
    SYS_pidfd_getfd,
};
constexpr std::array kRefusedNew = {kQuotactlFd, kMemfdSecret, kStatmount, kListmount, kLsmSetSelfAttr};

constexpr std::array kMissing = {
    // The flags of clone3 lie in memory, where a filter cannot see a request for a namespace; every C library
    // falls back to clone.
    SYS_clone3,
    // Ring operations pass by every filter.
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    // Old calls that no kernel of today has, or whose multiplexing hides what they do.
    SYS_uselib,
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

bool isIn(const std::vector<int>& sorted, int number)
{
    return std::binary_search(sorted.begin(), sorted.end(), number);
}

template<typename... Lists>
std::vector<int> sortedNumbers(const Lists&... lists)
{
    std::vector<int> numbers;
    (std::transform(lists.begin(), lists.end(), std::back_inserter(numbers),
                    [](auto number) { return static_cast<int>(number); }),
     ...);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

std::vector<int> makeOrdinary()
{
    // The extended-attribute calls by descriptor (463 and later) and everything above stay unknown.
    std::vector<int> numbers;
    const std::vector<int> refused = sortedNumbers(kRefused, kRefusedNew);
    const std::vector<int> missing = sortedNumbers(kMissing);
    for (int number = 0; number <= kLastNew; ++number) {
        const bool isKnown = number <= kLastOld || number >= kFirstNew;
        if (isKnown && !isIn(refused, number) && !isIn(missing, number)) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

} // namespace

std::span<const int> refusedCalls()
{
    static const std::vector<int> numbers = sortedNumbers(kRefused, kRefusedNew);
    return numbers;
}

std::span<const int> missingCalls()
{
    static const std::vector<int> numbers = sortedNumbers(kMissing);
    return numbers;
}

std::span<const int> ordinaryCalls()
{
    static const std::vector<int> numbers = makeOrdinary();
    return numbers;
}

} // namespace revet::tiers
