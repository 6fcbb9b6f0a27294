// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/environment.h"

#include "engine/policy/toml_text.h"

#include <algorithm>
#include <array>
#include <set>

namespace revet::policy {

namespace {

constexpr std::string_view kTableName = "environment.toml";
constexpr std::array<std::string_view, 3> kGroups = {"control", "injection", "secret"};

Result<std::vector<NamePattern>> readNames(const TomlReader& reader, std::string_view key)
{
    std::vector<NamePattern> names;
    REVET_ASSIGN_OR_RETURN(const auto texts, reader.texts(key));
    for (const std::string& text : texts) {
        auto name = NamePattern::compile(text);
        if (!name || text.empty()) {
            return reader.failAt(key, text + ": not a pattern for a variable's name");
        }
        names.push_back(std::move(*name));
    }
    return names;
}

bool anyMatches(const std::vector<NamePattern>& patterns, std::string_view name)
{
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const NamePattern& pattern) { return pattern.matches(name); });
}

/// Whether a word of `value` begins with one of `forbidden`: "--require" also finds "--require=x".
bool hasForbiddenWord(std::string_view value, const std::vector<std::string>& forbidden)
{
    constexpr std::string_view kBlanks = " \t\n\"'";
    while (!value.empty()) {
        const std::size_t end = std::min(value.find_first_of(kBlanks), value.size());
        const std::string_view word = value.substr(0, end);
        if (std::any_of(forbidden.begin(), forbidden.end(),
                        [&](const std::string& bad) { return word.starts_with(bad); })) {
            return true;
        }
        value.remove_prefix(std::min(end + 1, value.size()));
    }
    return false;
}

} // namespace

Result<EnvironmentTable> EnvironmentTable::parse(std::string_view toml)
{
    REVET_ASSIGN_OR_RETURN(const auto root, parseToml(toml, kTableName));
    const TomlReader reader(root, kTableName);
    REVET_RETURN_IF_ERROR(reader.allowOnly({"pass", "unless", "secret", "control", "injection"}));
    EnvironmentTable table;
    REVET_ASSIGN_OR_RETURN(table.m_pass, readNames(reader, "pass"));
    if (table.m_pass.empty()) {
        return reader.failAt("pass", "an environment table passes something");
    }
    for (const std::string_view group : kGroups) {
        REVET_ASSIGN_OR_RETURN(auto names, readNames(reader, group));
        table.m_withheld.push_back({std::string(group), std::move(names)});
    }
    if (const TomlValue* unless = root.find("unless"); unless != nullptr) {
        const TomlReader conditions(*unless, kTableName);
        for (const auto& [name, value] : unless->table) {
            REVET_ASSIGN_OR_RETURN(auto forbidden, conditions.texts(name));
            table.m_conditions.push_back({name, std::move(forbidden)});
        }
    }
    return table;
}

bool EnvironmentTable::passes(std::string_view name, std::string_view value) const
{
    if (!anyMatches(m_pass, name) || !group(name).empty()) {
        return false;
    }
    return std::none_of(m_conditions.begin(), m_conditions.end(), [&](const Condition& condition) {
        return condition.name == name && hasForbiddenWord(value, condition.forbidden);
    });
}

std::string_view EnvironmentTable::group(std::string_view name) const
{
    // What is passed in full is meant to pass, though a wildcard reaches it: GIT_AUTHOR_NAME and GIT_*.
    if (std::any_of(m_pass.begin(), m_pass.end(), [&](const NamePattern& pattern) {
            return pattern.isLiteral() && pattern.prefix() == name;
        })) {
        return {};
    }
    const auto found = std::find_if(m_withheld.begin(), m_withheld.end(),
                                    [&](const Group& group) { return anyMatches(group.names, name); });
    return found == m_withheld.end() ? std::string_view() : found->name;
}

bool isEnvironmentName(std::string_view name)
{
    const auto isNameByte = [](char byte) {
        return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9')
            || byte == '_';
    };
    return !name.empty() && !(name.front() >= '0' && name.front() <= '9')
        && std::all_of(name.begin(), name.end(), isNameByte);
}

FilteredEnvironment filterEnvironment(const std::vector<std::string>& environment,
                                      const EnvironmentTable& table,
                                      const std::vector<std::string>& extraAllowed)
{
    std::vector<NamePattern> extra;
    for (const std::string& text : extraAllowed) {
        if (auto pattern = NamePattern::compile(text)) {
            extra.push_back(std::move(*pattern));
        }
    }
    const auto isExtra = [&](std::string_view name) {
        return std::any_of(extra.begin(), extra.end(), [&](const NamePattern& pattern) {
            return pattern.matches(name) && (pattern.isLiteral() || table.group(name).empty());
        });
    };
    FilteredEnvironment filtered;
    std::set<std::string_view> seen;
    std::set<std::string_view> withheld;
    for (const std::string& variable : environment) {
        const std::string_view text = variable;
        const std::size_t equals = text.find('=');
        const std::string_view name = text.substr(0, equals);
        // getenv() takes the first of two, so the first is the one that counts.
        if (equals == std::string_view::npos || name.empty() || !seen.insert(name).second) {
            continue;
        }
        const bool crosses = table.passes(name, text.substr(equals + 1)) || isExtra(name);
        if (crosses && isEnvironmentName(name)) {
            filtered.kept.push_back(variable);
        } else {
            withheld.insert(name);
        }
    }
    filtered.withheldNames.assign(withheld.begin(), withheld.end());
    return filtered;
}

} // namespace revet::policy
