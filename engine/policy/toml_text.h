// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::policy {

struct TomlMember;

/// One value of a parsed TOML text, with its line. Kinds that no file of ours uses (dates, floating point)
/// are refused when parsing.
struct TomlValue
{
    enum class Kind : std::uint8_t { Text, Integer, Boolean, List, Table };
    Kind kind = Kind::Table;
    std::size_t line = 0; ///< from 1
    std::string text;
    std::int64_t integer = 0;
    bool boolean = false;
    std::vector<TomlValue> list;
    std::vector<TomlMember> table; ///< in the order of their keys

    [[nodiscard]] const TomlValue* find(std::string_view key) const;
};

struct TomlMember
{
    std::string key;
    TomlValue value;
};

/// The table of a whole text, or of a compiled one. Errors read "NAME:LINE: why". At most 1 MiB.
[[nodiscard]] Result<TomlValue> parseToml(std::string_view toml, std::string_view name);

/// Reads values out of a table and names file and line when they are not what they should be.
class TomlReader
{
public:
    /// `name` is the file as errors call it; both outlive the reader.
    TomlReader(const TomlValue& table, std::string_view name)
        : m_table(table)
        , m_name(name)
    {
    }
    [[nodiscard]] Result<void> allowOnly(std::initializer_list<std::string_view> keys) const;
    /// Empty where the key is absent.
    [[nodiscard]] Result<std::string> text(std::string_view key) const;
    /// A list of texts; one text alone counts as a list of one; empty where the key is absent.
    [[nodiscard]] Result<std::vector<std::string>> texts(std::string_view key) const;
    /// Pairs of a table of texts; empty where the key is absent.
    [[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> pairs(std::string_view key) const;
    [[nodiscard]] bool has(std::string_view key) const { return m_table.find(key) != nullptr; }
    /// A failure at the key's line, or at the table's where it is absent.
    [[nodiscard]] tl::unexpected<Error> failAt(std::string_view key, std::string_view why) const;

private:
    const TomlValue& m_table;
    std::string_view m_name;
};

/// A failure in a file at a line: "NAME:LINE: why".
[[nodiscard]] tl::unexpected<Error> failAtLine(std::string_view name, std::size_t line, std::string_view why);

} // namespace revet::policy
