// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace revet {

/// A number that cannot be mistaken for another kind of number. 0 means none.
template<typename Tag, typename Number = std::uint64_t>
class StrongId
{
public:
    using Value = Number;

    constexpr StrongId() = default;
    constexpr explicit StrongId(Number value)
        : m_value(value)
    {
    }
    [[nodiscard]] constexpr Number value() const { return m_value; }
    [[nodiscard]] constexpr bool isNone() const { return m_value == 0; }
    friend constexpr auto operator<=>(StrongId, StrongId) = default;

private:
    Number m_value = 0;
};

} // namespace revet

template<typename Tag, typename Number>
struct std::hash<revet::StrongId<Tag, Number>>
{
    std::size_t operator()(revet::StrongId<Tag, Number> id) const noexcept
    {
        return std::hash<Number>{}(id.value());
    }
};
