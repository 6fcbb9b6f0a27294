// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Asks for an io_uring: its operations pass no system call filter.

#include "tests/sandboxees/deed.h"

#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace victim = revet::victim;

int main()
{
    victim::Report report;
    struct io_uring_params parameters = {};
    constexpr unsigned kEntries = 8;
    const long ring = ::syscall(SYS_io_uring_setup, kEntries, &parameters);
    report.attempt("setup", victim::outcome(ring));
    report.attempt("enter", victim::outcome(::syscall(SYS_io_uring_enter, ring, 0, 0, 0, nullptr, 0)));
    report.attempt(
        "register",
        victim::outcome(::syscall(SYS_io_uring_register, ring, IORING_REGISTER_PROBE, nullptr, 0)));
    return report.status();
}
