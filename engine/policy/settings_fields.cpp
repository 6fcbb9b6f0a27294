// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/settings_fields.h"

#include "engine/base/clock.h"
#include "engine/policy/environment.h"
#include "engine/policy/network_rules.h"
#include "engine/policy/path_pattern.h"
#include "engine/policy/text_rules.h"

#include <charconv>

namespace revet::policy {

namespace {

bool isProjectPath(std::string_view text)
{
    return !text.empty() && !text.starts_with('/') && !text.starts_with("~")
        && isPlainPath("/" + std::string(text)) && PathPattern::compile(text).has_value();
}

/// "*.com" is none, nor what no connection can be made to.
bool isAllowable(std::string_view text)
{
    const std::string rule(text);
    return NetworkRules::compile({&rule, 1}).has_value();
}

bool isDeniable(std::string_view text)
{
    const std::string rule(text);
    return NetworkRules::compile({}, {&rule, 1}).has_value();
}

bool isVariable(std::string_view text)
{
    return isEnvironmentName(text.substr(0, text.find('='))) && text.find('\0') == std::string_view::npos;
}

Result<std::uint64_t> parseCount(std::string_view text)
{
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0) {
        return fail(ErrorCode::InvalidArgument, "read '" + std::string(text) + "'", "write a number above 0");
    }
    return count;
}

Result<std::chrono::seconds> parseTime(std::string_view text)
{
    auto duration = parseDuration(text);
    if (!duration || duration->count() <= 0) {
        return fail(ErrorCode::InvalidArgument, "read '" + std::string(text) + "'",
                    "write a duration such as 30m");
    }
    return duration;
}

std::string formatCount(std::uint64_t count)
{
    return std::to_string(count);
}

std::string formatTier(Tier tier)
{
    return std::string(toString(tier));
}

std::string formatLevel(ObserveLevel level)
{
    return std::string(toString(level));
}

template<auto parse, typename T>
Result<void> setOptional(std::optional<T>* place, std::string_view text)
{
    if (text.empty()) {
        place->reset();
        return {};
    }
    REVET_ASSIGN_OR_RETURN(*place, parse(text));
    return {};
}

template<auto member, auto parse>
Result<void> set(Settings* settings, std::string_view text)
{
    return setOptional<parse>(&(settings->*member), text);
}

template<auto table, auto member, auto parse>
Result<void> setOf(Settings* settings, std::string_view text)
{
    return setOptional<parse>(&(settings->*table.*member), text);
}

template<auto member, auto format>
std::string get(const Settings& settings)
{
    const auto& value = settings.*member;
    return value ? format(*value) : std::string();
}

template<auto table, auto member, auto format>
std::string getOf(const Settings& settings)
{
    const auto& value = settings.*table.*member;
    return value ? format(*value) : std::string();
}

std::string formatOnAsk(const OnAsk& onAsk)
{
    return toString(onAsk);
}

Result<std::uint64_t> parseBrake(std::string_view text)
{
    return text == "0" ? Result<std::uint64_t>(0U) : parseCount(text);
}

constexpr auto kLimits = &Settings::limits;
constexpr auto kUndo = &Settings::undo;
constexpr std::string_view kPathRule = "write / or ~/ and a path without ..";

} // namespace

const std::array<ListField, 7> kListFields = {{
    {"profiles", &Settings::profiles, isProfileName, "write the name of a profile"},
    {"unhide", &Settings::unhide, isProjectPath, "write a path relative to the project"},
    {"bind_ro", &Settings::bindRo, isPlainPath, kPathRule},
    {"bind_rw", &Settings::bindRw, isPlainPath, kPathRule},
    {"allow_hosts", &Settings::allowHosts, isAllowable,
     "write HOST[:PORT], an address or a network to reach"},
    {"deny_hosts", &Settings::denyHosts, isDeniable,
     "write HOST[:PORT], an address or a network that could be reached"},
    {"env", &Settings::env, isVariable, "write NAME or NAME=value"},
}};

const std::array<SingleField, 10> kSingleFields = {{
    {"tier", set<&Settings::tier, parseTier>, get<&Settings::tier, formatTier>},
    {"observe", set<&Settings::observe, parseObserveLevel>, get<&Settings::observe, formatLevel>},
    {"on_ask", set<&Settings::onAsk, parseOnAsk>, get<&Settings::onAsk, formatOnAsk>},
    {"limits.memory", setOf<kLimits, &Limits::memoryBytes, parseSize>,
     getOf<kLimits, &Limits::memoryBytes, formatSize>},
    {"limits.processes", setOf<kLimits, &Limits::processes, parseCount>,
     getOf<kLimits, &Limits::processes, formatCount>},
    {"limits.disk", setOf<kLimits, &Limits::diskBytes, parseSize>,
     getOf<kLimits, &Limits::diskBytes, formatSize>},
    {"limits.time", setOf<kLimits, &Limits::time, parseTime>, getOf<kLimits, &Limits::time, formatDuration>},
    {"undo.budget", setOf<kUndo, &UndoSettings::budgetBytes, parseSize>,
     getOf<kUndo, &UndoSettings::budgetBytes, formatSize>},
    {"undo.largest", setOf<kUndo, &UndoSettings::largestBytes, parseSize>,
     getOf<kUndo, &UndoSettings::largestBytes, formatSize>},
    {"undo.brake", setOf<kUndo, &UndoSettings::brake, parseBrake>,
     getOf<kUndo, &UndoSettings::brake, formatCount>},
}};

} // namespace revet::policy
