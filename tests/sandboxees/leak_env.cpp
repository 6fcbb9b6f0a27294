// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Looks for environment variables that should not have crossed: in its own environment and in what other
// processes of the box were started with.

#include "tests/sandboxees/deed.h"

#include <array>
#include <span>

#include <unistd.h>

namespace victim = revet::victim;

namespace {

bool holds(std::string_view block, std::string_view assignment)
{
    return block.starts_with(assignment)
        || block.find(std::string(1, '\0').append(assignment)) != std::string_view::npos;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        return victim::usage("leak_env NAME…");
    }
    std::string own;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        own.append(*variable).push_back('\0');
    }
    std::string initial;
    std::string pidOne;
    std::string parent;
    const int initialError = victim::readText("/proc/self/environ", &initial);
    const int pidOneError = victim::readText("/proc/1/environ", &pidOne);
    const int parentError = victim::readText("/proc/" + std::to_string(::getppid()) + "/environ", &parent);

    bool found = false;
    for (const char* const name : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
        const std::string assignment = std::string(name) + "=";
        const std::array<std::pair<std::string_view, const std::string*>, 4> blocks{
            {{"own", &own}, {"self", &initial}, {"pid1", &pidOne}, {"parent", &parent}}};
        for (const auto& [where, block] : blocks) {
            if (holds(*block, assignment)) {
                found = true;
                victim::say({"leaked ", where, " ", name});
            }
        }
    }
    victim::say({"environ self ", victim::errnoName(initialError), " pid1 ", victim::errnoName(pidOneError),
                 " parent ", victim::errnoName(parentError)});
    return found ? victim::kDone : victim::kRefused;
}
