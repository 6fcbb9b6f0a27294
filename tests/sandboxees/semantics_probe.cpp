// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Prints how the file system behaves, line by line, to be compared between a box and no box.

#include "tests/sandboxees/semantics/probe.h"

int main()
{
    namespace semantics = revet::victim::semantics;
    semantics::probeCreation();
    semantics::probeNames();
    semantics::probeMetadata();
    semantics::probeSpecialFiles();
    semantics::probeLimits();
    return 0;
}
