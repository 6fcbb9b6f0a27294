// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/text_table.h"

#include "engine/domain/display_escape.h"

#include <algorithm>
#include <numeric>

namespace revet::cli {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kWidestPadding = 100; ///< columns; where there is no terminal no cell is cut
/// Below this a shortened cell says nothing; then the line may rather be too long.
constexpr std::size_t kNarrowest = 8;

} // namespace

TextTable::TextTable(std::vector<Column> columns)
    : m_columns(std::move(columns))
{
}

void TextTable::addRow(std::vector<std::string> cells)
{
    cells.resize(m_columns.size());
    m_rows.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths(std::size_t columns) const
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        std::size_t width = displayColumns(m_columns[i].title);
        for (const std::vector<std::string>& row : m_rows) {
            width = std::max(width, displayColumns(row[i]));
        }
        widths.push_back(width);
    }
    const std::size_t needed = std::accumulate(widths.begin(), widths.end(), kGap * (m_columns.size() - 1));
    std::size_t excess = columns == 0 ? 0 : needed - std::min(needed, columns);
    for (; excess > 0; --excess) {
        // The widest one gives way, until all that may are as wide as one another.
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (m_columns[i].givesWay && widths[i] > kNarrowest
                && (widest == nullptr || widths[i] > *widest)) {
                widest = &widths[i];
            }
        }
        if (widest == nullptr) {
            break;
        }
        --*widest;
    }
    return widths;
}

std::string TextTable::toText(std::size_t columns) const
{
    const std::vector<std::size_t> widths = this->widths(columns);
    std::string text;
    const auto addLine = [&](const auto& cellAt) {
        std::string line;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::string cell = elideMiddle(cellAt(i), widths[i]);
            // One long cell does not move all others out of sight.
            const std::size_t shown = displayColumns(cell);
            const std::string padding(std::max(std::min(widths[i], kWidestPadding), shown) - shown, ' ');
            line += m_columns[i].align == Align::Right ? padding + cell : cell + padding;
            line.append(kGap, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    };
    addLine([this](std::size_t i) -> const std::string& { return m_columns[i].title; });
    for (const std::vector<std::string>& row : m_rows) {
        addLine([&row](std::size_t i) -> const std::string& { return row[i]; });
    }
    return text;
}

} // namespace revet::cli
