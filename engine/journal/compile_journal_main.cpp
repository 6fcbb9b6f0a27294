// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Runs while Revet is built: writes a journal without rows as a C++ array.

#include "engine/journal/database.h"
#include "engine/journal/schema.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace revet;

Result<void> makeJournal(const std::filesystem::path& file)
{
    std::filesystem::remove(file);
    REVET_RETURN_IF_ERROR(journal::Database::createFile(file));
    REVET_ASSIGN_OR_RETURN(auto database, journal::Database::open(file, journal::Database::Access::New));
    REVET_RETURN_IF_ERROR(journal::migrate(database, journal::journalSchema()));
    return database.useWal();
}

} // namespace

int main(int argumentCount, char** arguments)
{
    if (argumentCount != 2) {
        static_cast<void>(std::fprintf(stderr, "usage: revet-compile-journal FILE\n"));
        return 2;
    }
    const std::string target = arguments[1];
    const std::string journal = target + ".db";
    if (const auto made = makeJournal(journal); !made) {
        static_cast<void>(
            std::fprintf(stderr, "revet-compile-journal: %s\n", toString(made.error()).c_str()));
        return 1;
    }
    std::string bytes(std::filesystem::file_size(journal), '\0');
    std::ifstream source(journal, std::ios::binary);
    source.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    std::ofstream file(target);
    file << "constexpr std::array<std::uint8_t, " << bytes.size() << "> kEmptyJournal = {";
    for (const char byte : bytes) {
        file << static_cast<unsigned>(static_cast<unsigned char>(byte)) << ',';
    }
    file << "};\n";
    file.close();
    std::filesystem::remove(journal);
    return source && file ? 0 : 1;
}
