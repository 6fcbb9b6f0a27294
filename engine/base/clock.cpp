// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/clock.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <limits>

namespace revet {

namespace {

/// Reads exactly `count` digits at `position`; -1 when they are not digits.
int digits(std::string_view text, std::size_t position, std::size_t count)
{
    if (position + count > text.size()) {
        return -1;
    }
    int value = 0;
    for (const char c : text.substr(position, count)) {
        if (c < '0' || c > '9') {
            return -1;
        }
        value = value * 10 + (c - '0');
    }
    return value;
}

} // namespace

WallTime SystemClock::now() const
{
    return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steadyNow() const
{
    return std::chrono::steady_clock::now();
}

std::string toRfc3339(WallTime time)
{
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto micros = static_cast<int>((time - seconds).count());
    // Not system_clock::to_time_t(): its nanoseconds overflow in the year 2262.
    const std::time_t raw = seconds.time_since_epoch().count();
    std::tm parts{};
    ::gmtime_r(&raw, &parts);
    std::array<char, 64> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
                                     parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                                     parts.tm_min, parts.tm_sec, micros);
    return {buffer.data(), static_cast<std::size_t>(length)};
}

Result<WallTime> parseRfc3339(std::string_view text)
{
    const auto bad = [&] {
        return fail(ErrorCode::InvalidArgument, "read the time '" + std::string(text) + "'",
                    "write it like 2026-01-02T03:04:05Z");
    };
    const bool shaped = text.size() >= 20 && text[4] == '-' && text[7] == '-'
        && (text[10] == 'T' || text[10] == ' ') && text[13] == ':' && text[16] == ':' && text.back() == 'Z';
    if (!shaped) {
        return bad();
    }
    std::tm parts{};
    parts.tm_year = digits(text, 0, 4) - 1900;
    parts.tm_mon = digits(text, 5, 2) - 1;
    parts.tm_mday = digits(text, 8, 2);
    parts.tm_hour = digits(text, 11, 2);
    parts.tm_min = digits(text, 14, 2);
    parts.tm_sec = digits(text, 17, 2);
    const bool inRange = parts.tm_year >= 70 && parts.tm_mon >= 0 && parts.tm_mon < 12 && parts.tm_mday >= 1
        && parts.tm_mday <= 31 && parts.tm_hour >= 0 && parts.tm_hour < 24 && parts.tm_min >= 0
        && parts.tm_min < 60 && parts.tm_sec >= 0 && parts.tm_sec <= 60;
    if (!inRange) {
        return bad();
    }
    std::int64_t micros = 0;
    if (text.size() > 20) {
        const auto fraction = text.substr(20, text.size() - 21);
        if (text[19] != '.' || fraction.empty() || fraction.size() > 6
            || fraction.find_first_not_of("0123456789") != std::string_view::npos) {
            return bad();
        }
        micros = digits(fraction, 0, fraction.size());
        for (std::size_t i = fraction.size(); i < 6; ++i) {
            micros *= 10;
        }
    }
    const int day = parts.tm_mday;
    const std::time_t raw = ::timegm(&parts);
    if (parts.tm_mday != day && parts.tm_sec != 60) {
        return bad(); // timegm() makes 1 March of 30 February
    }
    return WallTime(std::chrono::seconds(raw) + std::chrono::microseconds(micros));
}

Result<std::chrono::seconds> parseDuration(std::string_view text)
{
    const auto bad = [&] {
        return fail(ErrorCode::InvalidArgument, "read the duration '" + std::string(text) + "'",
                    "write it like 90s, 30m, 2h or 7d");
    };
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end + 1 != text.data() + text.size() || number < 0) {
        return bad();
    }
    std::int64_t unit = 0;
    switch (*end) {
    case 's':
        unit = 1;
        break;
    case 'm':
        unit = 60;
        break;
    case 'h':
        unit = 3600;
        break;
    case 'd':
        unit = 86400;
        break;
    default:
        return bad();
    }
    if (number > std::numeric_limits<std::int32_t>::max() / unit) {
        return bad();
    }
    return std::chrono::seconds(number * unit);
}

} // namespace revet
