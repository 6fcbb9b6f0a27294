// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace revet::supervisor {

/// Counts what may have moved directories or links under anybody's feet: a path remembered before a change
/// is not one to use after it. Shared by all threads of a supervisor.
class TreeGeneration
{
public:
    /// How long a call that was let go may take until its effect shows.
    static constexpr std::chrono::milliseconds kUnsettledFor{5};

    [[nodiscard]] std::uint64_t value() const { return m_value.load(std::memory_order_acquire); }
    /// False while a change may be under way: what is read now must not be remembered.
    [[nodiscard]] bool isSettled() const
    {
        return ticks(std::chrono::steady_clock::now()) >= m_settledFrom.load(std::memory_order_acquire);
    }
    /// After a change that was performed here.
    void advance() { m_value.fetch_add(1, std::memory_order_acq_rel); }
    /// Before a change that the kernel makes once the call is let go.
    void advanceSoon()
    {
        m_settledFrom.store(ticks(std::chrono::steady_clock::now() + kUnsettledFor),
                            std::memory_order_release);
        advance();
    }

private:
    [[nodiscard]] static std::int64_t ticks(std::chrono::steady_clock::time_point time)
    {
        return time.time_since_epoch().count();
    }

    std::atomic<std::uint64_t> m_value{1};
    std::atomic<std::int64_t> m_settledFrom{0};
};

} // namespace revet::supervisor
