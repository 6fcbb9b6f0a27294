// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/probe.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::probe {

namespace {

constexpr const char* kSecretVariable = "REVET_CANARY_TOKEN";

/// The value of one line of /proc/self/status.
std::string ownStatus(const std::string& field)
{
    std::string text;
    if (readFile("/proc/self/status", text) != 0) {
        return "unreadable";
    }
    const std::size_t start = text.find("\n" + field + ":\t");
    if (start == std::string::npos) {
        return "missing";
    }
    const std::size_t value = start + field.size() + 3;
    return text.substr(value, text.find('\n', value) - value);
}

Outcome statusIs(const std::string& field, const std::string& wanted)
{
    const std::string value = ownStatus(field);
    const std::string detail = field + " " + value;
    return value == wanted ? ok(detail) : failed(detail + ", not " + wanted);
}

Outcome filters(const HostFacts&)
{
    return statusIs("Seccomp_filters", "2");
}

Outcome noNewPrivileges(const HostFacts&)
{
    return statusIs("NoNewPrivs", "1");
}

Outcome noCapabilities(const HostFacts&)
{
    for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
        if (Outcome outcome = statusIs(set, "0000000000000000"); outcome.kind != Outcome::Kind::Ok) {
            return outcome;
        }
    }
    return ok("all five sets are empty");
}

Outcome onlyStandardStreams(const HostFacts&)
{
    DIR* const directory = ::opendir("/proc/self/fd");
    if (directory == nullptr) {
        return failed("inconclusive: /proc/self/fd: " + errnoName(errno));
    }
    const int own = ::dirfd(directory);
    std::string others;
    while (const dirent* const entry = ::readdir(directory)) { // NOLINT(concurrency-mt-unsafe): one thread
        const int fd = std::atoi(entry->d_name); // NOLINT(cert-err34-c): "." and ".." are 0 as well
        if (fd > STDERR_FILENO && fd != own) {
            std::array<char, 256> target{};
            const std::string link = std::string("/proc/self/fd/") + entry->d_name;
            static_cast<void>(::readlink(link.c_str(), target.data(), target.size() - 1));
            others += std::string(others.empty() ? "" : ", ") + entry->d_name + " is " + target.data();
        }
    }
    ::closedir(directory);
    return others.empty() ? ok("only 0 to 2 are open") : failed(others);
}

Outcome environmentSecret(const HostFacts&)
{
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
    return std::getenv(kSecretVariable) == nullptr ? ok("not inherited") : failed("inherited");
}

Outcome environmentOfPidOne(const HostFacts&)
{
    std::string text;
    const int result = readFile("/proc/1/environ", text);
    if (result != 0) {
        return refused(result, {EACCES, EPERM});
    }
    return text.empty() ? ok("empty") : failed("readable, " + std::to_string(text.size()) + " bytes");
}

Outcome memoryOfPidOne(const HostFacts&)
{
    const int fd = ::open("/proc/1/mem", O_RDONLY | O_CLOEXEC);
    return refused(outcomeOf(fd), {EACCES, EPERM});
}

Outcome tracePidOne(const HostFacts&)
{
    return refused(outcomeOf(::ptrace(PTRACE_SEIZE, 1, nullptr, nullptr)), {EPERM});
}

Outcome traceOwnChild(const HostFacts&)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    const int result = outcomeOf(::ptrace(PTRACE_SEIZE, child, nullptr, nullptr));
    ::kill(child, SIGKILL);
    return worked(result, "debuggers can trace a child");
}

struct SeenProcesses
{
    int count = 0; ///< -1: /proc cannot be read
    bool isMarkSeen = false; ///< one of the host's, which the doctor started for this
};

SeenProcesses lookAround(const std::string& mark)
{
    DIR* const proc = ::opendir("/proc");
    if (proc == nullptr) {
        return {-1, false};
    }
    SeenProcesses seen;
    while (const dirent* const entry = ::readdir(proc)) { // NOLINT(concurrency-mt-unsafe): one thread
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') {
            continue;
        }
        ++seen.count;
        std::string arguments;
        // Our own arguments hold the mark too, behind its name.
        if (readFile(std::string("/proc/") + entry->d_name + "/cmdline", arguments) == 0
            && arguments.find('\0' + mark) != std::string::npos) {
            seen.isMarkSeen = true;
        }
    }
    ::closedir(proc);
    return seen;
}

Outcome hostProcesses(const HostFacts& facts)
{
    constexpr int kOwn = 3; // pid 1, the probes' parent, and this one
    constexpr int kTries = 100;
    constexpr useconds_t kPauseMicroseconds = 20'000;
    SeenProcesses seen = lookAround(facts.mark);
    // An orphan of an earlier probe goes as soon as pid 1 has reaped it; a process of the host stays.
    for (int i = 0; i < kTries && seen.count > kOwn && !seen.isMarkSeen; ++i) {
        ::usleep(kPauseMicroseconds);
        seen = lookAround(facts.mark);
    }
    if (seen.count < 0) {
        return failed("inconclusive: /proc: " + errnoName(errno));
    }
    const std::string detail = std::to_string(seen.count) + " processes visible";
    return !seen.isMarkSeen && seen.count == kOwn ? ok(detail + ", all of the box") : failed(detail);
}

Outcome signalHostProcess(const HostFacts& facts)
{
    return refused(outcomeOf(::kill(facts.process, SIGTERM)), {ESRCH});
}

Outcome keyring(const HostFacts& facts)
{
    if (facts.key.empty()) {
        return {Outcome::Kind::Skipped, "this system has no kernel keyrings for programs"};
    }
    // Lists what its reader may see; the canary shows itself only to who shares the session keyring.
    std::string keys;
    if (readFile("/proc/keys", keys) == 0 && keys.find(facts.key) != std::string::npos) {
        return failed("a key of the host's session keyring is visible in /proc/keys");
    }
    const long found
        = ::syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", facts.key.c_str(), 0);
    return refused(outcomeOf(found), {EPERM, ENOSYS});
}

constexpr std::array kProbes = {
    Probe{"no new privileges", noNewPrivileges},
    Probe{"capabilities", noCapabilities},
    Probe{"system call filters", filters},
    Probe{"inherited descriptors", onlyStandardStreams},
    Probe{"environment canary", environmentSecret},
    Probe{"environment of pid 1", environmentOfPidOne},
    Probe{"memory of pid 1", memoryOfPidOne},
    Probe{"trace of pid 1", tracePidOne},
    Probe{"trace of an own child works", traceOwnChild},
    Probe{"host processes", hostProcesses},
    Probe{"signal to a host process", signalHostProcess},
    Probe{"keyring canary", keyring},
};

} // namespace

std::span<const Probe> processProbes()
{
    return kProbes;
}

} // namespace revet::probe
