// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/program.h"

int main(int argc, char** argv)
{
    return revet::cli::runProgram(argc, argv);
}
