// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/support/golden_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>

namespace revet::test {

namespace {

bool isUpdating = false; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): set once by main()

std::filesystem::path placeOf(const std::string& name)
{
    return std::filesystem::path(REVET_GOLDEN_DIRECTORY) / name;
}

} // namespace

void takeGoldenArgument(int& argc, char** argv)
{
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const auto kept = std::remove_if(arguments.begin(), arguments.end(), [](const char* argument) {
        return std::string_view(argument) == "--update-golden";
    });
    isUpdating = kept != arguments.end();
    argc = static_cast<int>(kept - arguments.begin());
}

bool updatesGolden()
{
    return isUpdating;
}

std::string readGolden(const std::string& name)
{
    std::ifstream file(placeOf(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : std::string();
}

std::string differenceFromGolden(const std::string& name, const std::string& actual)
{
    if (isUpdating) {
        std::ofstream(placeOf(name), std::ios::binary) << actual;
        return {};
    }
    std::istringstream wanted(readGolden(name));
    std::istringstream seen(actual);
    for (int number = 1;; ++number) {
        std::string wantedLine;
        std::string seenLine;
        const bool hasWanted = static_cast<bool>(std::getline(wanted, wantedLine));
        const bool hasSeen = static_cast<bool>(std::getline(seen, seenLine));
        if (!hasWanted && !hasSeen) {
            return {};
        }
        if (hasWanted != hasSeen || wantedLine != seenLine) {
            return name + " line " + std::to_string(number) + "\n  golden: " + (hasWanted ? wantedLine : "-")
                + "\n  now:    " + (hasSeen ? seenLine : "-")
                + "\nIf the change is meant, run the test with --update-golden and review the difference.";
        }
    }
}

} // namespace revet::test
