// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Runs while Revet is built: writes the compiled filters as C++ arrays.

#include "engine/tiers/filter_compiler.h"

#include <cstdio>
#include <fstream>
#include <string>

namespace {

using namespace revet;

void write(std::ofstream& file, const std::string& name, const std::string& bytes)
{
    file << "alignas(8) constexpr std::array<std::uint8_t, " << bytes.size() << "> " << name << " = {";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        file << (i % 24 == 0 ? "\n    " : "") << static_cast<unsigned>(static_cast<unsigned char>(bytes[i]))
             << ',';
    }
    file << "};\n";
}

} // namespace

int main(int argumentCount, char** arguments)
{
    if (argumentCount != 2) {
        std::fprintf(stderr, "usage: revet-compile-filters FILE\n");
        return 2;
    }
    std::ofstream file(arguments[1]);
    bool isFirst = true;
    for (const auto& [tier, prefix] :
         {std::pair(Tier::Sandbox, "kSandbox"), std::pair(Tier::Container, "kContainer")}) {
        for (const ObserveLevel level : {ObserveLevel::Full, ObserveLevel::Writes, ObserveLevel::Exec}) {
            const auto filters = tiers::compileFilters(tier, level);
            if (!filters) {
                std::fprintf(stderr, "revet-compile-filters: %s\n", toString(filters.error()).c_str());
                return 1;
            }
            if (isFirst) {
                write(file, "kKnown", filters->known);
                isFirst = false;
            }
            write(file, prefix + std::to_string(static_cast<int>(level)), filters->judged);
        }
    }
    file.close();
    return file ? 0 : 1;
}
