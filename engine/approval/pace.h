// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"

#include <cstdint>

namespace revet::approval {

/// How fast new questions may come: some at once, then one a second. One thread.
class Pace
{
public:
    static constexpr std::uint32_t kBurst = 8;
    static constexpr std::chrono::seconds kEach{1};

    /// Whether one more may come now; it has come then.
    [[nodiscard]] bool take(SteadyTime now);

private:
    std::uint32_t m_left = kBurst;
    SteadyTime m_filledAt{};
};

} // namespace revet::approval
