// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Types into the terminal: what it pushes would be read by the shell after this program.

#include "tests/sandboxees/deed.h"

#include <array>

#include <fcntl.h>
#include <linux/kd.h>
#include <linux/tiocl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr unsigned long kBit32 = 1UL << 32U;

/// ioctl(2) itself, since glibc's takes an unsigned long and the kernel only its lower half.
int control(int fd, unsigned long request, void* argument)
{
    return victim::outcome(::syscall(SYS_ioctl, fd, request, argument));
}

void type(victim::Report* report, const std::string& where, int fd)
{
    char letter = '#';
    report->attempt("TIOCSTI " + where, control(fd, TIOCSTI, &letter));
    report->attempt("TIOCSTI+bit32 " + where, control(fd, TIOCSTI | kBit32, &letter));
    std::array<char, 16> paste{TIOCL_PASTESEL};
    report->attempt("TIOCLINUX " + where, control(fd, TIOCLINUX, paste.data()));
    report->attempt("TIOCLINUX+bit32 " + where, control(fd, TIOCLINUX | kBit32, paste.data()));
    report->attempt("TIOCCONS " + where, control(fd, TIOCCONS, nullptr));
    int discipline = 0;
    report->attempt("TIOCSETD " + where, control(fd, TIOCSETD, &discipline));
    struct kbentry entry = {};
    report->attempt("KDSKBENT " + where, control(fd, KDSKBENT, &entry));
}

} // namespace

int main()
{
    victim::Report report;
    type(&report, "stdin", STDIN_FILENO);
    for (const char* const name : {"/dev/tty", "/proc/self/fd/0"}) {
        const int fd = ::open(name, O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            victim::say({"open ", name, " ", victim::errnoName(errno)});
            continue;
        }
        type(&report, name, fd);
        ::close(fd);
    }
    return report.status();
}
