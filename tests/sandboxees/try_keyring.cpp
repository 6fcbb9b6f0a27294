// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Looks for a key of the host in the kernel's keyrings, which no namespace but the user's separates.

#include "tests/sandboxees/deed.h"

#include <array>
#include <span>

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

long keyctl(long operation, long first, long second, long third, long fourth)
{
    return ::syscall(SYS_keyctl, operation, first, second, third, fourth);
}

void look(victim::Report* report, std::string_view ringName, long ring, const char* description)
{
    constexpr const char* kType = "user";
    const long key
        = keyctl(KEYCTL_SEARCH, ring, reinterpret_cast<long>(kType), reinterpret_cast<long>(description), 0);
    report->attempt("search " + std::string(ringName), victim::outcome(key));
    if (key < 0) {
        return;
    }
    std::array<char, 256> payload{};
    const long size = keyctl(KEYCTL_READ, key, reinterpret_cast<long>(payload.data()),
                             static_cast<long>(payload.size()), 0);
    report->attempt("read " + std::string(ringName), victim::outcome(size));
    if (size > 0) {
        victim::say({"content ", std::string_view(payload.data(), static_cast<std::size_t>(size))});
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        return victim::usage("try_keyring DESCRIPTION");
    }
    victim::Report report;
    look(&report, "session", KEY_SPEC_SESSION_KEYRING, argv[1]);
    look(&report, "user", KEY_SPEC_USER_KEYRING, argv[1]);
    look(&report, "user-session", KEY_SPEC_USER_SESSION_KEYRING, argv[1]);
    look(&report, "process", KEY_SPEC_PROCESS_KEYRING, argv[1]);
    std::string keys;
    report.attempt("proc-keys", victim::readText("/proc/keys", &keys));
    if (keys.find(argv[1]) != std::string::npos) {
        victim::say({"listed ", argv[1]});
    }
    const long added = ::syscall(SYS_add_key, "user", "revet-victim", "x", 1, KEY_SPEC_SESSION_KEYRING);
    report.attempt("add", victim::outcome(added));
    return report.status();
}
