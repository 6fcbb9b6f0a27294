// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/changed_keys.h"

#include "engine/policy/git_config.h"
#include "engine/policy/json_text.h"
#include "engine/policy/path_pattern.h"
#include "engine/policy/toml_text.h"

#include <algorithm>
#include <map>
#include <set>

namespace revet::policy {

namespace {

constexpr std::size_t kLongestKey = 120;
constexpr std::string_view kWhole = "the whole file";

using Steps = std::vector<std::string>;
/// What a content says, by key. Lists are values: which of their elements is which cannot be said.
using Values = std::map<Steps, std::string>;

std::string asText(const TomlValue& value)
{
    switch (value.kind) {
    case TomlValue::Kind::Text:
        return '"' + std::to_string(value.text.size()) + ':' + value.text;
    case TomlValue::Kind::Integer:
        return std::to_string(value.integer);
    case TomlValue::Kind::Boolean:
        return value.boolean ? "true" : "false";
    case TomlValue::Kind::List: {
        std::string text = "[";
        for (const TomlValue& item : value.list) {
            text += asText(item) + ',';
        }
        return text + ']';
    }
    case TomlValue::Kind::Table: {
        std::string text = "{";
        for (const TomlMember& member : value.table) {
            text += std::to_string(member.key.size()) + ':' + member.key + '=' + asText(member.value) + ',';
        }
        return text + '}';
    }
    }
    return {};
}

void flatten(const TomlValue& value, Steps& at, Values& values)
{
    if (value.kind != TomlValue::Kind::Table) {
        values[at] = asText(value);
        return;
    }
    for (const TomlMember& member : value.table) {
        at.push_back(member.key);
        flatten(member.value, at, values);
        at.pop_back();
    }
}

Result<Values> readGitConfig(std::string_view text)
{
    REVET_ASSIGN_OR_RETURN(const auto entries, parseGitConfig(text));
    Values values;
    for (const GitConfigEntry& entry : entries) {
        const std::size_t first = entry.key.find('.');
        const std::size_t last = entry.key.rfind('.');
        Steps steps{entry.key.substr(0, first)};
        if (first != last) {
            steps.push_back(entry.key.substr(first + 1, last - first - 1));
        }
        steps.push_back(entry.key.substr(last + 1));
        values[std::move(steps)] += entry.value + '\n';
    }
    return values;
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = std::min(text.find_first_not_of(kBlank), text.size());
    const std::size_t last = text.find_last_not_of(kBlank);
    return text.substr(first, last == std::string_view::npos ? 0 : last + 1 - first);
}

/// Names and values of an .env file; a value in quotes may span lines, and then each is kept by itself.
Values readEnvironment(std::string_view text)
{
    Values values;
    std::string name;
    for (std::string_view line : linesOf(text)) {
        line = trimmed(line);
        if (line.starts_with("export ")) {
            line = trimmed(line.substr(7));
        }
        const std::size_t equals = line.find('=');
        if (equals != std::string_view::npos && !line.starts_with('#')) {
            name = trimmed(line.substr(0, equals));
        }
        values[{name}] += std::string(line) + '\n';
    }
    return values;
}

Result<Values> readValues(const std::string& format, std::string_view text)
{
    Values values;
    Steps at;
    if (format == "env") {
        return readEnvironment(text);
    }
    if (format == "ini") {
        return readGitConfig(text);
    }
    if (trimmed(text).empty()) {
        return values;
    }
    REVET_ASSIGN_OR_RETURN(const TomlValue root, format == "json" ? parseJson(text) : parseToml(text, "it"));
    flatten(root, at, values);
    return values;
}

/// "scripts.**" as steps.
Result<std::vector<NamePattern>> compileKey(std::string_view pattern)
{
    std::vector<NamePattern> steps;
    for (;;) {
        const std::size_t dot = std::min(pattern.find('.'), pattern.size());
        REVET_ASSIGN_OR_RETURN(auto step, NamePattern::compile(pattern.substr(0, dot)));
        steps.push_back(std::move(step));
        if (dot == pattern.size()) {
            return steps;
        }
        pattern.remove_prefix(dot + 1);
    }
}

/// Whether a change of this key counts: it fits, or it stands where a key that counts could be.
bool runsCode(const std::vector<std::string>& patterns, const Steps& key)
{
    const std::vector<std::string_view> steps(key.begin(), key.end());
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
        const auto compiled = compileKey(pattern);
        if (!compiled) {
            return true;
        }
        const ComponentMatch match = matchComponents(*compiled, steps);
        return match.isWhole || match.isBelow || match.canContinue;
    });
}

std::string shortened(std::string_view text)
{
    return text.size() <= kLongestKey ? std::string(text) : std::string(text.substr(0, kLongestKey)) + "…";
}

std::string nameOf(const Steps& key)
{
    std::string name;
    for (const std::string& step : key) {
        name += (name.empty() ? "" : ".") + step;
    }
    return shortened(name);
}

std::vector<std::string> changedValues(const RunLaterTable::Check& check, const Values& before,
                                       const Values& after)
{
    std::set<std::string> changed;
    const auto compare = [&](const Values& left, const Values& right) {
        for (const auto& [key, value] : left) {
            const auto other = right.find(key);
            if ((other == right.end() || other->second != value) && runsCode(check.runs, key)) {
                changed.insert(nameOf(key));
            }
        }
    };
    compare(before, after);
    compare(after, before);
    return {changed.begin(), changed.end()};
}

std::vector<std::string> changedLines(const RunLaterTable::Check& check, std::string_view before,
                                      std::string_view after)
{
    const auto relevant = [&](std::string_view text) {
        std::multiset<std::string_view> lines;
        for (const std::string_view line : linesOf(text)) {
            const bool counts = std::ranges::any_of(check.runs, [&](const std::string& part) {
                return line.find(part) != std::string_view::npos;
            });
            if (counts) {
                lines.insert(trimmed(line));
            }
        }
        return lines;
    };
    const auto left = relevant(before);
    const auto right = relevant(after);
    std::vector<std::string_view> different;
    std::ranges::set_symmetric_difference(left, right, std::back_inserter(different));
    std::set<std::string> changed;
    for (const std::string_view line : different) {
        changed.insert(shortened(line));
    }
    return {changed.begin(), changed.end()};
}

} // namespace

std::vector<std::string> changedKeys(const RunLaterTable::Check& check, std::string_view before,
                                     std::string_view after)
{
    if (before == after) {
        return {};
    }
    if (check.format == "lines") {
        return changedLines(check, before, after);
    }
    if (check.format != "any") {
        const auto left = readValues(check.format, before);
        const auto right = readValues(check.format, after);
        if (left && right) {
            return changedValues(check, *left, *right);
        }
    }
    return {std::string(kWhole)};
}

} // namespace revet::policy
