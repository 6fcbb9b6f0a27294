// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"

namespace revet::test {

/// Stands still until it is moved.
class FakeClock final : public Clock
{
public:
    [[nodiscard]] WallTime now() const override { return m_wall; }
    [[nodiscard]] SteadyTime steadyNow() const override { return m_steady; }
    void advance(std::chrono::microseconds by)
    {
        m_wall += by;
        m_steady += by;
    }

private:
    WallTime m_wall{std::chrono::hours(24 * 365 * 50)};
    SteadyTime m_steady{std::chrono::hours(1)};
};

} // namespace revet::test
