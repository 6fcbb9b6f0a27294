// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <iterator>

namespace revet {

/// A range from its end to its beginning, in a range-for. Not std::views::reverse: Clang 14 cannot compile
/// the views of GCC 12's library.
template<typename Range>
class Reversed
{
public:
    explicit Reversed(Range& range)
        : m_range(range)
    {
    }
    [[nodiscard]] auto begin() const { return std::rbegin(m_range); }
    [[nodiscard]] auto end() const { return std::rend(m_range); }

private:
    Range& m_range;
};

} // namespace revet
