// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Runs on the host, beside sessions that start: keeps exchanging a directory of the project and a symbolic
// link that points out of it, so that a launcher which makes or mounts anything by name would do so outside.

#include "tests/sandboxees/deed.h"

#include <cstdio>
#include <ctime>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace victim = revet::victim;

int main(int argc, char** argv)
{
    if (argc != 4) {
        return victim::usage("setup_race DIRECTORY OUTSIDE MILLISECONDS");
    }
    const std::string directory = argv[1];
    const std::string link = directory + ".link";
    static_cast<void>(::mkdir(directory.c_str(), 0755));
    if (::symlink(argv[2], link.c_str()) != 0) {
        return victim::usage("setup_race (DIRECTORY.link exists)");
    }
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    constexpr long kMillisecondsPerSecond = 1000;
    constexpr long kNanosecondsPerMillisecond = 1'000'000;
    const auto milliseconds = [](const timespec& time) {
        return time.tv_sec * kMillisecondsPerSecond + time.tv_nsec / kNanosecondsPerMillisecond;
    };
    const long end = milliseconds(now) + victim::numberOr(argv[3], 0);
    long rounds = 0;
    while (milliseconds(now) < end) {
        static_cast<void>(::renameat2(AT_FDCWD, link.c_str(), AT_FDCWD, directory.c_str(), RENAME_EXCHANGE));
        ++rounds;
        ::clock_gettime(CLOCK_MONOTONIC, &now);
    }
    victim::say({"rounds ", std::to_string(rounds)});
    return victim::kDone;
}
