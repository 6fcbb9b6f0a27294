// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Asks which user namespace its others belong to. The kernel tells of its own and those below (ioctl_ns(2)):
// with such a one, the capabilities of its own namespace would reach the other.

#include "tests/sandboxees/deed.h"

#include <array>
#include <string>

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace victim = revet::victim;

int main()
{
    victim::Report report;
    for (const char* const kind : std::array{"mnt", "net", "ipc", "uts", "cgroup", "pid"}) {
        const int fd = ::open((std::string("/proc/self/ns/") + kind).c_str(), O_RDONLY | O_CLOEXEC);
        report.attempt(kind, fd < 0 ? errno : victim::outcome(::ioctl(fd, NS_GET_USERNS)));
    }
    return report.status();
}
