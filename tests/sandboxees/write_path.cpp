// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Appends TEXT to files, making those that are missing.

#include "tests/sandboxees/deed.h"

#include <span>

int main(int argc, char** argv)
{
    if (argc < 3) {
        return revet::victim::usage("write_path TEXT PATH…");
    }
    revet::victim::Report report;
    for (const char* const path : std::span(argv, static_cast<std::size_t>(argc)).subspan(2)) {
        report.attempt(path, revet::victim::appendText(path, argv[1]));
    }
    return report.status();
}
