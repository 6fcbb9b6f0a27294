// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Runs while Revet is built: compiles one of its tables or profiles.

#include "engine/policy/compiled_toml.h"
#include "engine/policy/run_later.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using namespace revet;

Result<std::string> compile(const std::filesystem::path& source, std::string_view text)
{
    if (source.stem() == "run-later") {
        REVET_ASSIGN_OR_RETURN(const auto table, policy::RunLaterTable::parse(text));
        return table.compiled();
    }
    REVET_ASSIGN_OR_RETURN(const auto root, policy::parseToml(text, source.string()));
    return policy::compileToml(root);
}

} // namespace

int main(int argumentCount, char** arguments)
{
    if (argumentCount != 3) {
        std::fprintf(stderr, "usage: revet-compile-toml FROM TO\n");
        return 2;
    }
    std::ifstream source(arguments[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(source), {}};
    const auto compiled = compile(arguments[1], text);
    if (!compiled || text.empty()) {
        std::fprintf(stderr, "revet-compile-toml: %s\n",
                     compiled ? "nothing to compile" : toString(compiled.error()).c_str());
        return 1;
    }
    std::ofstream file(arguments[2], std::ios::binary);
    file << *compiled;
    file.close();
    return file ? 0 : 1;
}
