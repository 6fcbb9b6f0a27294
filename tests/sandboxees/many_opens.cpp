// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Opens FILES files of the current directory ROUNDS times and prints what one open and close took, in ns.
// With "distinct" the files are made first; else one existing file is opened by different spellings of its
// name.

#include "tests/sandboxees/deed.h"

#include <ctime>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace victim = revet::victim;

int main(int argc, char** argv)
{
    if (argc < 3) {
        return victim::usage("many_opens FILES ROUNDS [write]");
    }
    const long files = victim::numberOr(argv[1], 1);
    const long rounds = victim::numberOr(argv[2], 1);
    const int flags = (argc > 3 ? O_WRONLY : O_RDONLY) | O_CLOEXEC;
    std::vector<std::string> names;
    for (long file = 0; file < files; ++file) {
        names.push_back("many-opens-" + std::to_string(file));
        if (const int failed = victim::appendText(names.back(), ""); failed != 0) {
            victim::say({"prepare ", victim::errnoName(failed)});
            return victim::kRefused;
        }
    }
    timespec start{};
    timespec end{};
    long failures = 0;
    ::clock_gettime(CLOCK_MONOTONIC, &start);
    for (long round = 0; round < rounds; ++round) {
        for (const std::string& name : names) {
            const int fd = ::open(name.c_str(), flags);
            failures += fd < 0 ? 1 : 0;
            ::close(fd);
        }
    }
    ::clock_gettime(CLOCK_MONOTONIC, &end);
    constexpr long kNanosecondsPerSecond = 1'000'000'000;
    const long taken = (end.tv_sec - start.tv_sec) * kNanosecondsPerSecond + (end.tv_nsec - start.tv_nsec);
    const long opens = files * rounds;
    victim::say({"opens ", std::to_string(opens), " failures ", std::to_string(failures), " ns-per-open ",
                 std::to_string(opens > 0 ? taken / opens : 0)});
    return failures == 0 ? victim::kDone : victim::kRefused;
}
