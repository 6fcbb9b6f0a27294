// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/bench/reviews.h"

#include "tests/bench/timing.h"
#include "tests/support/session_runner.h"
#include "tests/support/temp_home.h"

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace revet::bench {

namespace {

struct Review
{
    const char* name;
    /// What the box does to 100,000 files of a few lines, 1,000 in each directory.
    const char* deeds;
};

constexpr std::array kReviews{
    Review{"diff, 100,000 edited files", "for f in */*; do echo more >> $f; done"},
    Review{"diff, 50,000 files moved and edited",
           "for d in $(seq 50); do mv $d new$d; for f in new$d/*; do echo more >> $f; done; done"},
};

void print(const Review& review)
{
    const test::TempHome home;
    const auto run = [&home](const std::vector<std::string>& command) {
        return timeProgram(command, home.project(), home.environment());
    };
    const std::string revet = test::SessionRunner::program("revet");
    const bool isReady
        = run({"/bin/sh", "-ec",
               "for d in $(seq 100); do mkdir $d; for f in $(seq 1000); do "
               "printf 'one %s\ntwo %s\nthree %s\nfour %s\n' $d $f $d$f $f$d > $d/$f; done; done"})
        && run({revet, "run", "--tier", "container", "--observe", "exec", "--", "/bin/sh", "-ec",
                review.deeds});
    std::printf("%-38s", review.name);
    for (const char* const option : {"--stat", "--json", ""}) {
        const auto timed = isReady ? run(*option == '\0' ? std::vector<std::string>{revet, "diff"}
                                                         : std::vector<std::string>{revet, "diff", option})
                                   : std::nullopt;
        timed ? std::printf(" %8.2f s", timed->wall.count()) : std::printf(" %10s", "-");
    }
    std::puts("   goal <= 5 s each");
    static_cast<void>(std::fflush(stdout));
}

} // namespace

void printReviews(const std::string& word)
{
    bool isFirst = true;
    for (const Review& review : kReviews) {
        if (std::string(review.name).find(word) == std::string::npos) {
            continue;
        }
        if (std::exchange(isFirst, false)) {
            std::printf("\n%-38s %10s %10s %10s\n", "Once, in seconds", "--stat", "--json", "patch");
        }
        print(review);
    }
}

} // namespace revet::bench
