// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/journal/database.h"
#include "engine/journal/path_glob.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace revet::journal {

/// A reader's view of the interned byte strings. One thread.
class TextTable
{
public:
    [[nodiscard]] static Result<TextTable> open(Database& database);
    /// Empty for 0; fails for a number that the table does not have.
    [[nodiscard]] Result<std::string> text(std::int64_t id);
    [[nodiscard]] Result<std::vector<std::string>> arguments(std::int64_t id);
    /// Fills temp.matching with the numbers of the texts that match, new ones since the last call included.
    /// Gives how many there are.
    [[nodiscard]] Result<std::int64_t> match(const std::string& pattern);

private:
    TextTable(Statement text, Statement arguments, Statement scan, Statement remember)
        : m_text(std::move(text))
        , m_arguments(std::move(arguments))
        , m_scan(std::move(scan))
        , m_remember(std::move(remember))
    {
    }
    Statement m_text;
    Statement m_arguments;
    Statement m_scan;
    Statement m_remember;
    std::unordered_map<std::int64_t, std::string> m_cache;
    std::optional<PathGlob> m_glob;
    std::int64_t m_scannedTo = 0;
    std::int64_t m_matching = 0;
    Database* m_database = nullptr;
};

} // namespace revet::journal
