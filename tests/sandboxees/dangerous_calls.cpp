// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/sandboxees/dangerous_calls.h"

#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>

namespace revet::victim {

namespace {

// Newer than Debian 12's headers; the same number on every architecture.
constexpr long kStatMount = 457;
constexpr long kListMount = 458;
constexpr long kSetXattrAt = 463;
constexpr long kOpenTreeAttr = 467;
constexpr long kFileSetAttr = 469;
constexpr long kUserModeOnly = 1; // UFFD_USER_MODE_ONLY: what an ordinary user may ask for
constexpr long kReadImpliesExec = 0x0400000; // personality(2)
constexpr long kLinuxMips = 0x99; // no file descriptor or process of this number exists

} // namespace

const std::array<DangerousCall, kDangerousCallCount> kDangerousCalls{{
    {"bpf", SYS_bpf, {-1, 0, 0}},
    {"perf_event_open", SYS_perf_event_open, {0, -1, -1, -1, 0}},
    {"userfaultfd", SYS_userfaultfd, {kUserModeOnly}},
    {"keyctl", SYS_keyctl, {KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 0}},
    {"add_key", SYS_add_key, {0, 0, 0, 0, 0}},
    {"request_key", SYS_request_key, {0, 0, 0, 0}},
    {"kexec_load", SYS_kexec_load, {0, 0, 0, 0}},
    {"kexec_file_load", SYS_kexec_file_load, {-1, -1, 0, 0, 0}},
    {"init_module", SYS_init_module, {0, 0, 0}},
    {"finit_module", SYS_finit_module, {-1, 0, 0}},
    {"delete_module", SYS_delete_module, {0, 0}},
    {"open_by_handle_at", SYS_open_by_handle_at, {-1, 0, 0}},
    {"name_to_handle_at", SYS_name_to_handle_at, {-1, 0, 0, 0, 0}},
    {"mount", SYS_mount, {0, 0, 0, 0, 0}},
    {"umount2", SYS_umount2, {0, 0}},
    {"pivot_root", SYS_pivot_root, {0, 0}},
    {"chroot", SYS_chroot, {0}},
    {"fsopen", SYS_fsopen, {0, 0}},
    {"fsmount", SYS_fsmount, {-1, 0, 0}},
    {"fsconfig", SYS_fsconfig, {-1, 0, 0, 0, 0}},
    {"fspick", SYS_fspick, {-1, 0, 0}},
    {"open_tree", SYS_open_tree, {-1, 0, 0}},
    {"move_mount", SYS_move_mount, {-1, 0, -1, 0, 0}},
    {"mount_setattr", SYS_mount_setattr, {-1, 0, 0, 0, 0}},
    {"statmount", kStatMount, {0, 0, 0, 0}},
    {"listmount", kListMount, {0, 0, 0, 0}},
    {"open_tree_attr", kOpenTreeAttr, {-1, 0, 0, 0, 0}},
    {"setns", SYS_setns, {-1, 0}},
    {"unshare", SYS_unshare, {CLONE_NEWUSER}},
    {"swapon", SYS_swapon, {0, 0}},
    {"swapoff", SYS_swapoff, {0}},
    {"reboot", SYS_reboot, {0, 0, 0, 0}},
    {"acct", SYS_acct, {-1}},
    {"quotactl", SYS_quotactl, {-1, 0, 0, 0}},
    {"quotactl_fd", SYS_quotactl_fd, {-1, 0, 0, 0}},
    {"syslog", SYS_syslog, {10, 0, 0}},
    {"iopl", SYS_iopl, {0}},
    {"ioperm", SYS_ioperm, {0, 0, 0}},
    {"modify_ldt", SYS_modify_ldt, {0, 0, 0}},
    {"personality", SYS_personality, {kReadImpliesExec}},
    {"lookup_dcookie", SYS_lookup_dcookie, {0, 0, 0}},
    {"nfsservctl", SYS_nfsservctl, {0, 0, 0}},
    {"vhangup", SYS_vhangup, {}},
    {"fanotify_init", SYS_fanotify_init, {-1, 0}},
    {"move_pages", SYS_move_pages, {0, 0, 0, 0, 0, 0}},
    {"migrate_pages", SYS_migrate_pages, {0, 0, 0, 0}},
    {"process_madvise", SYS_process_madvise, {-1, 0, 0, 0, 0}},
    {"process_mrelease", SYS_process_mrelease, {-1, 0}},
    {"kcmp", SYS_kcmp, {0, 0, kLinuxMips, 0, 0}},
    {"pidfd_getfd", SYS_pidfd_getfd, {-1, 0, 0}},
    {"clock_settime", SYS_clock_settime, {0, 0}},
    {"settimeofday", SYS_settimeofday, {0, 0}},
    {"sethostname", SYS_sethostname, {0, 0}},
    {"setdomainname", SYS_setdomainname, {0, 0}},
    {"io_uring_setup", SYS_io_uring_setup, {0, 0}},
    {"io_uring_enter", SYS_io_uring_enter, {-1, 0, 0, 0, 0}},
    {"io_uring_register", SYS_io_uring_register, {-1, 0, 0, 0}},
    {"memfd_secret", SYS_memfd_secret, {-1}},
    {"clone3", SYS_clone3, {0, 0}},
    {"clone_newuser", SYS_clone, {CLONE_NEWUSER | 0x11, 0, 0, 0, 0}},
    {"uselib", SYS_uselib, {0}},
    {"setxattrat", kSetXattrAt, {-1, 0, 0, 0, 0, 0}},
    {"file_setattr", kFileSetAttr, {-1, 0, 0, 0, 0}},
    {"sysfs", SYS_sysfs, {0, 0, 0}},
    {"mq_notify_beyond", 1000, {0}},
}};

} // namespace revet::victim
