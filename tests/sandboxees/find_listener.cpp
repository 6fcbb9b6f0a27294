// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Looks for the other end of the box's own seccomp filter, by which a program could answer its own calls:
// among its descriptors, those of its parent and of pid 1, and in what waits on sockets.

#include "tests/sandboxees/deed.h"

#include <array>

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr int kHighestProbed = 1024;

/// A listener answers ENOENT for an unknown notification; anything else does not know the request.
bool isListener(int fd)
{
    std::uint64_t nothing = 0;
    return ::ioctl(fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &nothing) == 0 || errno == ENOENT;
}

bool carriesDescriptors(int fd)
{
    std::array<char, 64> data{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 8)> control{};
    iovec vector{data.data(), data.size()};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    return ::recvmsg(fd, &message, MSG_DONTWAIT | MSG_PEEK | MSG_CMSG_CLOEXEC) >= 0
        && message.msg_controllen > 0;
}

void examine(victim::Report* report, const std::string& whose, int fd)
{
    if (isListener(fd)) {
        report->attempt("listener " + whose, 0);
    }
    if (carriesDescriptors(fd)) {
        report->attempt("descriptors " + whose, 0);
    }
}

void examineProcess(victim::Report* report, const std::string& whose, pid_t pid)
{
    const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    victim::say({"open ", whose, " ", victim::errnoName(pidfd < 0 ? errno : 0)});
    int refusal = 0;
    for (int fd = 0; pidfd >= 0 && fd < kHighestProbed; ++fd) {
        const int copy = static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd, fd, 0));
        if (copy < 0) {
            refusal = errno == EBADF ? refusal : errno;
            continue;
        }
        report->attempt("got " + whose + " " + std::to_string(fd), 0);
        examine(report, whose + " " + std::to_string(fd), copy);
        ::close(copy);
    }
    victim::say({"getfd ", whose, " ", victim::errnoName(refusal)});
}

} // namespace

int main()
{
    victim::Report report;
    for (int fd = 0; fd < kHighestProbed; ++fd) {
        if (::fcntl(fd, F_GETFD) >= 0) {
            examine(&report, "own " + std::to_string(fd), fd);
        }
    }
    examineProcess(&report, "pid1", 1);
    if (::getppid() != 1) {
        examineProcess(&report, "parent", ::getppid());
    }
    return report.status();
}
