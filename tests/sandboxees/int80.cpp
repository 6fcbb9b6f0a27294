// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Enters the kernel by its other doors: the 32-bit one and the x32 numbers. Each has numbers of its own, so a
// filter that does not look at the architecture lets the wrong calls through.

#include "tests/sandboxees/deed.h"

#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

#if defined(__x86_64__)

constexpr long kGetPid32 = 20;
constexpr long kOpen32 = 5;
constexpr long kSocketCall32 = 102;
constexpr long kX32Bit = 0x40000000;

long enter32(long number, long first, long second, long third)
{
    long result = number;
    asm volatile("int $0x80"
                 : "+a"(result)
                 : "b"(first), "c"(second), "d"(third)
                 : "memory", "r8", "r9", "r10", "r11");
    return result;
}

template<typename Deed>
void inChild(victim::Report* report, std::string_view what, Deed deed)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(static_cast<int>(deed()));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        victim::say({what, " SIG", ::sigabbrev_np(WTERMSIG(status))});
        return;
    }
    report->attempt(what, WEXITSTATUS(status));
}

int errnoOf(long result)
{
    return result < 0 ? static_cast<int>(-result) : 0;
}

#endif

} // namespace

int main()
{
#if defined(__x86_64__)
    // The 32-bit entry cuts pointers to 32 bits.
    void* const low
        = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (low == MAP_FAILED) {
        return victim::usage("int80 (needs memory below 4 GiB)");
    }
    std::strcpy(static_cast<char*>(low), "/etc/hostname"); // NOLINT: the page is larger
    const long path = reinterpret_cast<long>(low);

    victim::Report report;
    inChild(&report, "int80 getpid", [] { return errnoOf(enter32(kGetPid32, 0, 0, 0)); });
    inChild(&report, "int80 open", [path] { return errnoOf(enter32(kOpen32, path, O_RDONLY, 0)); });
    inChild(&report, "int80 socketcall", [path] { return errnoOf(enter32(kSocketCall32, 1, path, 0)); });
    inChild(&report, "x32 getpid", [] { return victim::outcome(::syscall(kX32Bit | SYS_getpid)); });
    inChild(&report, "x32 open",
            [path] { return victim::outcome(::syscall(kX32Bit | SYS_open, path, O_RDONLY)); });
    return report.status();
#else
    return victim::kRefused;
#endif
}
