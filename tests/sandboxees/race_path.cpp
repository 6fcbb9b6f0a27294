// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Two threads: one makes a call again and again on a path in shared memory, the other keeps swapping that
// path between a harmless target and a forbidden one. Who judges the bytes and then lets the call run loses.

#include "tests/sandboxees/deed.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr std::size_t kPathSize = 512;
using Path = std::array<char, kPathSize>;

struct Counts
{
    long succeeded = 0;
    long refused = 0;
    long secrets = 0; ///< reads that began with SECRET
};

Path padded(std::string_view text)
{
    Path path{};
    std::copy_n(text.begin(), std::min(text.size(), kPathSize - 1), path.begin());
    return path;
}

void readOnce(const char* path, Counts* counts)
{
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        ++counts->refused;
        return;
    }
    ++counts->succeeded;
    std::array<char, 6> start{};
    const ssize_t size = ::read(fd, start.data(), start.size());
    counts->secrets
        += std::string_view(start.data(), size > 0 ? static_cast<std::size_t>(size) : 0) == "SECRET";
    ::close(fd);
}

void writeOnce(const char* path, Counts* counts)
{
    const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0755);
    if (fd < 0) {
        ++counts->refused;
        return;
    }
    ++counts->succeeded;
    static_cast<void>(::write(fd, "x", 1));
    ::close(fd);
}

void renameOnce(const char* path, Counts* counts)
{
    const std::string source = "race-source";
    static_cast<void>(victim::appendText(source, "SECRET"));
    if (::rename(source.c_str(), path) == 0) {
        ++counts->succeeded;
    } else {
        ++counts->refused;
    }
}

void execOnce(const char* path, Counts* counts)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl(path, path, nullptr);
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        ++counts->succeeded;
    } else {
        ++counts->refused;
    }
}

} // namespace

int main(int argc, char** argv)
{
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const std::string_view deed = argc == 5 ? arguments[1] : "";
    void (*const once)(const char*, Counts*) = deed == "read" ? readOnce
        : deed == "write"                                     ? writeOnce
        : deed == "rename"                                    ? renameOnce
        : deed == "exec"                                      ? execOnce
                                                              : nullptr;
    if (once == nullptr) {
        return victim::usage("race_path {read|write|rename|exec} HARMLESS FORBIDDEN ROUNDS");
    }
    const Path harmless = padded(arguments[2]);
    const Path forbidden = padded(arguments[3]);
    auto* const shared = static_cast<char*>(
        ::mmap(nullptr, kPathSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (shared == MAP_FAILED) {
        return victim::kUsage;
    }
    std::copy(harmless.begin(), harmless.end(), shared);

    std::atomic<bool> finished{false};
    std::atomic<long> flips{0};
    std::thread flipper([&] {
        while (!finished) {
            std::copy(forbidden.begin(), forbidden.end(), shared);
            std::copy(harmless.begin(), harmless.end(), shared);
            ++flips;
        }
    });
    Counts counts;
    const long rounds = victim::numberOr(arguments[4], 0);
    for (long round = 0; round < rounds; ++round) {
        const long seen = flips;
        once(shared, &counts);
        while (flips == seen) { // on a busy machine all rounds could be over before the other thread runs
            ::sched_yield();
        }
    }
    finished = true;
    flipper.join();
    victim::say({"succeeded ", std::to_string(counts.succeeded)});
    victim::say({"refused ", std::to_string(counts.refused)});
    victim::say({"secrets ", std::to_string(counts.secrets)});
    return counts.secrets > 0 ? victim::kDone : victim::kRefused;
}
