// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace revet::cli {

/// Lays rows out in columns for a person. Columns that may give way are shortened in their middle so
/// that a row fits the terminal, the widest first; the others keep their width.
class TextTable
{
public:
    enum class Align : std::uint8_t { Left, Right };
    struct Column
    {
        std::string title;
        Align align = Align::Left;
        bool givesWay = false;
    };

    explicit TextTable(std::vector<Column> columns);
    /// Cells are already fit for a screen; missing ones are empty.
    void addRow(std::vector<std::string> cells);
    [[nodiscard]] bool isEmpty() const { return m_rows.empty(); }
    /// 0 columns: nothing is shortened.
    [[nodiscard]] std::string toText(std::size_t columns) const;

private:
    [[nodiscard]] std::vector<std::size_t> widths(std::size_t columns) const;

    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace revet::cli
