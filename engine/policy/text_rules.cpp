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

bool isPort(std::string_view text)
{
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() && port != 0;
}

bool isLabel(std::string_view label)
{
    const auto isLabelByte = [](char byte) {
        return isLower(byte) || (byte >= 'A' && byte <= 'Z') || isDigit(byte) || byte == '-' || byte == '_';
    };
    return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-'
        && std::all_of(label.begin(), label.end(), isLabelByte);
}

bool isHostName(std::string_view name)
{
    if (name.starts_with("*.")) {
        name.remove_prefix(2);
    }
    if (name.empty() || name.size() > 253) {
        return false;
    }
    while (true) {
        const std::size_t dot = name.find('.');
        if (!isLabel(name.substr(0, dot))) {
            return false;
        }
        if (dot == std::string_view::npos) {
            return true;
        }
        name.remove_prefix(dot + 1);
    }
}

} // namespace

bool isProfileName(std::string_view text)
{
    return !text.empty() && text.size() <= 64 && isLower(text.front())
        && std::all_of(text.begin(), text.end(),
                       [](char byte) { return isLower(byte) || isDigit(byte) || byte == '-'; });
}

bool isHostRule(std::string_view text)
{
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos || close < 3) {
            return false;
        }
        const std::string_view address = text.substr(1, close - 1);
        const std::string_view rest = text.substr(close + 1);
        return address.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos
            && (rest.empty() || (rest.front() == ':' && isPort(rest.substr(1))));
    }
    const std::size_t colon = text.find(':');
    return isHostName(text.substr(0, colon))
        && (colon == std::string_view::npos || isPort(text.substr(colon + 1)));
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
