// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Plants code that git on the host would run later, by one way of the tables of git_deeds.h.

#include "tests/sandboxees/deed.h"
#include "tests/sandboxees/git_deeds.h"

#include <array>

namespace victim = revet::victim;

int main(int argc, char** argv)
{
    const std::array<std::span<const victim::GitDeed>, 3> tables{victim::hookDeeds(), victim::configDeeds(),
                                                                 victim::repositoryDeeds()};
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    for (const std::span<const victim::GitDeed> table : tables) {
        for (const victim::GitDeed& deed : table) {
            if (wanted == "list") {
                victim::say({deed.name});
            } else if (wanted == deed.name && argc == 3) {
                victim::Report report;
                report.attempt(deed.name, deed.plant({argv[2]}));
                return report.status();
            }
        }
    }
    return wanted == "list" ? victim::kDone : victim::usage("plant_hook {list | WAY CANARY-FILE}");
}
