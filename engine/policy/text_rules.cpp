// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/text_rules.h"

#include "engine/policy/path_pattern.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace revet::policy {

namespace {

constexpr std::uint64_t kKibi = 1024;

bool isLower(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

bool isDigit(char byte)
{
    return byte >= '0' && byte <= '9';
}

} // namespace

bool isProfileName(std::string_view text)
{
    return !text.empty() && text.size() <= 64 && isLower(text.front())
        && std::all_of(text.begin(), text.end(),
                       [](char byte) { return isLower(byte) || isDigit(byte) || byte == '-'; });
}

bool isPlainPath(std::string_view text)
{
    if (!text.starts_with('/') && !text.starts_with("~/")) {
        return false;
    }
    const std::vector<std::string_view> components = pathComponents(text);
    const bool hasControl = std::any_of(text.begin(), text.end(),
                                        [](char byte) { return static_cast<unsigned char>(byte) < 0x20; });
    return !hasControl && std::find(components.begin(), components.end(), "..") == components.end();
}

Result<std::uint64_t> parseSize(std::string_view text)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    constexpr std::array<std::pair<std::string_view, std::uint64_t>, 3> kUnits
        = {{{"K", kKibi}, {"M", kKibi * kKibi}, {"G", kKibi * kKibi * kKibi}}};
    for (const auto& [name, factor] : kUnits) {
        if (error == std::errc() && unit == name && number != 0 && number <= (UINT64_MAX >> 1U) / factor) {
            return number * factor;
        }
    }
    return fail(ErrorCode::InvalidArgument, "read the size '" + std::string(text) + "'",
                "write a number and K, M or G, such as 512M");
}

std::string formatSize(std::uint64_t bytes)
{
    const std::uint64_t kibi = bytes / kKibi;
    if (kibi != 0 && kibi % (kKibi * kKibi) == 0) {
        return std::to_string(kibi / (kKibi * kKibi)) + "G";
    }
    if (kibi != 0 && kibi % kKibi == 0) {
        return std::to_string(kibi / kKibi) + "M";
    }
    return std::to_string(kibi) + "K";
}

std::string formatDuration(std::chrono::seconds duration)
{
    const auto seconds = duration.count();
    constexpr std::array<std::pair<char, std::int64_t>, 3> kUnits = {{{'d', 86400}, {'h', 3600}, {'m', 60}}};
    for (const auto& [name, factor] : kUnits) {
        if (seconds != 0 && seconds % factor == 0) {
            return std::to_string(seconds / factor) + name;
        }
    }
    return std::to_string(seconds) + "s";
}

} // namespace revet::policy
