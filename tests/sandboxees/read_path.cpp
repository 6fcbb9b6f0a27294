// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Reads files by name; says what it found, so that a test can look for a canary in it.

#include "tests/sandboxees/deed.h"

#include <span>

int main(int argc, char** argv)
{
    if (argc < 2) {
        return revet::victim::usage("read_path PATH…");
    }
    revet::victim::Report report;
    for (const char* const path : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
        std::string text;
        report.attempt(path, revet::victim::readText(path, &text));
        if (!text.empty()) {
            revet::victim::say({"content ", text});
        }
    }
    return report.status();
}
