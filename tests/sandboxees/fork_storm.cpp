// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Starts COUNT processes, each of which lives until all are there or one could not be.

#include "tests/sandboxees/deed.h"

#include <csignal>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace victim = revet::victim;

int main(int argc, char** argv)
{
    if (argc != 2) {
        return victim::usage("fork_storm COUNT");
    }
    const long wanted = victim::numberOr(argv[1], 0);
    std::vector<pid_t> children;
    int refusal = 0;
    for (long count = 0; count < wanted && refusal == 0; ++count) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::pause();
            ::_exit(0);
        }
        if (child < 0) {
            refusal = errno;
        } else {
            children.push_back(child);
        }
    }
    victim::say({"forked ", std::to_string(children.size()), " ", victim::errnoName(refusal)});
    for (const pid_t child : children) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    return victim::kDone;
}
