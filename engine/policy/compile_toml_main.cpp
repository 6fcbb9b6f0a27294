// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Runs while Revet is built: compiles one of its tables or profiles.

#include "engine/policy/compiled_toml.h"

#include <cstdio>
#include <fstream>
#include <iterator>

int main(int argumentCount, char** arguments)
{
    if (argumentCount != 3) {
        std::fprintf(stderr, "usage: revet-compile-toml FROM TO\n");
        return 2;
    }
    std::ifstream source(arguments[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(source), {}};
    const auto root = revet::policy::parseToml(text, arguments[1]);
    if (!root || text.empty()) {
        std::fprintf(stderr, "revet-compile-toml: %s\n",
                     root ? "nothing to compile" : toString(root.error()).c_str());
        return 1;
    }
    std::ofstream file(arguments[2], std::ios::binary);
    file << revet::policy::compileToml(*root);
    file.close();
    return file ? 0 : 1;
}
