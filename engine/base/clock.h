// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace revet {

/// Wall-clock time as the journal keeps it: microseconds since 1970, UTC.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;
/// Nanoseconds since 1970, as file systems count.
[[nodiscard]] constexpr std::int64_t nanosecondsOf(WallTime time)
{
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
}
/// Time that never jumps, for intervals and deadlines.
using SteadyTime = std::chrono::steady_clock::time_point;

/// Where the time comes from, so that tests can move it.
class Clock
{
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    Clock(Clock&&) = delete;
    Clock& operator=(Clock&&) = delete;
    virtual ~Clock() = default;
    [[nodiscard]] virtual WallTime now() const = 0;
    [[nodiscard]] virtual SteadyTime steadyNow() const = 0;
};

/// The machine's own clocks. Thread-safe.
class SystemClock final : public Clock
{
public:
    [[nodiscard]] WallTime now() const override;
    [[nodiscard]] SteadyTime steadyNow() const override;
};

/// RFC 3339 in UTC with microseconds: "2026-01-02T03:04:05.678901Z".
[[nodiscard]] std::string toRfc3339(WallTime time);
[[nodiscard]] Result<WallTime> parseRfc3339(std::string_view text);

/// "90s", "30m", "2h", "7d"; a bare number is refused.
[[nodiscard]] Result<std::chrono::seconds> parseDuration(std::string_view text);

} // namespace revet
