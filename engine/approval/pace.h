// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"

#include <cstdint>

namespace revet::approval {

/// How fast something may come, new questions unless said otherwise: some at once, then one after the other.
/// One thread.
class Pace
{
public:
    static constexpr std::uint32_t kBurst = 8;
    static constexpr std::chrono::milliseconds kEach{1000};

    explicit Pace(std::uint32_t burst = kBurst, std::chrono::milliseconds each = kEach)
        : m_burst(burst)
        , m_each(each)
        , m_left(burst)
    {
    }

    /// Whether one more may come now; it has come then.
    [[nodiscard]] bool take(SteadyTime now);

private:
    std::uint32_t m_burst;
    std::chrono::milliseconds m_each;
    std::uint32_t m_left;
    SteadyTime m_filledAt{};
};

} // namespace revet::approval
