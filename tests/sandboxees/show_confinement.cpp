// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Prints what holds this process: its filters, capabilities, privileges, namespaces and limits, so that two
// commands can be compared.

#include "tests/sandboxees/deed.h"

#include <array>
#include <sstream>

#include <unistd.h>

namespace victim = revet::victim;

int main()
{
    constexpr std::array<std::string_view, 11> kFields{"Uid",        "Gid",     "Groups",         "CapInh",
                                                       "CapPrm",     "CapEff",  "CapBnd",         "CapAmb",
                                                       "NoNewPrivs", "Seccomp", "Seccomp_filters"};
    std::string status;
    if (victim::readText("/proc/self/status", &status) != 0) {
        return victim::kUsage;
    }
    std::istringstream lines(status);
    for (std::string line; std::getline(lines, line);) {
        for (const std::string_view field : kFields) {
            if (line.starts_with(std::string(field) + ":")) {
                victim::say({line});
            }
        }
    }
    for (const char* const kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
        std::array<char, 64> name{};
        const std::string link = std::string("/proc/self/ns/") + kind;
        const ssize_t size = ::readlink(link.c_str(), name.data(), name.size());
        victim::say(
            {"namespace ", std::string_view(name.data(), size > 0 ? static_cast<std::size_t>(size) : 0)});
    }
    for (const char* const limit : {"max_user_namespaces", "max_net_namespaces", "max_mnt_namespaces"}) {
        std::string value;
        static_cast<void>(victim::readText(std::string("/proc/sys/user/") + limit, &value));
        victim::say({"limit ", limit, " ", value.substr(0, value.find('\n'))});
    }
    return victim::kDone;
}
