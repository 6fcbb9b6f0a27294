// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Renames COUNT directories that were there before and hold a file each, and says how many arrived whole.

#include "tests/sandboxees/deed.h"

#include <cstdio>

namespace victim = revet::victim;

int main(int argc, char** argv)
{
    if (argc != 4) {
        return victim::usage("rename_storm PREFIX NEW-PREFIX COUNT (PREFIX0/file, PREFIX1/file … exist)");
    }
    const long count = victim::numberOr(argv[3], 0);
    long arrived = 0;
    int refusal = 0;
    for (long number = 0; number < count; ++number) {
        const std::string from = argv[1] + std::to_string(number);
        const std::string to = argv[2] + std::to_string(number);
        if (std::rename(from.c_str(), to.c_str()) != 0) {
            refusal = errno;
            continue;
        }
        std::string text;
        arrived += victim::readText(to + "/file", &text) == 0 && !text.empty() ? 1 : 0;
    }
    victim::say({"arrived ", std::to_string(arrived), " ", victim::errnoName(refusal)});
    return arrived == count ? victim::kDone : victim::kRefused;
}
