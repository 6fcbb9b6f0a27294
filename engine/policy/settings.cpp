// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/settings.h"

#include "engine/base/clock.h"
#include "engine/policy/settings_fields.h"
#include "engine/policy/text_rules.h"
#include "engine/policy/toml_text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace revet::policy {

Result<OnAsk> parseOnAsk(std::string_view text)
{
    if (text == "wait") {
        return OnAsk{};
    }
    if (text == "deny") {
        return OnAsk{OnAsk::Kind::Deny, {}};
    }
    const auto deadline = parseDuration(text);
    if (!deadline || deadline->count() <= 0) {
        return fail(ErrorCode::InvalidArgument, "read '" + std::string(text) + "'",
                    "write wait, deny or a duration such as 90s");
    }
    return OnAsk{OnAsk::Kind::Deadline, *deadline};
}

std::string toString(const OnAsk& onAsk)
{
    switch (onAsk.kind) {
    case OnAsk::Kind::Wait:
        return "wait";
    case OnAsk::Kind::Deny:
        return "deny";
    case OnAsk::Kind::Deadline:
        return formatDuration(onAsk.deadline);
    }
    return "deny";
}

namespace {

/// "limits.time" as table and key; no table for "tier".
std::pair<std::string_view, std::string_view> splitKey(std::string_view key)
{
    const std::size_t dot = key.find('.');
    return dot == std::string_view::npos ? std::pair(std::string_view(), key)
                                         : std::pair(key.substr(0, dot), key.substr(dot + 1));
}

} // namespace

Result<Settings> parseSettings(std::string_view toml, std::string_view name)
{
    REVET_ASSIGN_OR_RETURN(const auto root, parseToml(toml, name));
    const TomlReader reader(root, name);
    REVET_RETURN_IF_ERROR(reader.allowOnly({"tier", "profiles", "unhide", "bind_ro", "bind_rw", "allow_hosts",
                                            "deny_hosts", "env", "limits", "undo", "observe", "on_ask"}));
    Settings settings;
    for (const ListField& field : kListFields) {
        REVET_ASSIGN_OR_RETURN(auto values, reader.texts(field.key));
        const auto bad = std::find_if_not(values.begin(), values.end(), field.isValid);
        if (bad != values.end()) {
            return reader.failAt(field.key, "'" + *bad + "': " + std::string(field.rule));
        }
        settings.*field.values = std::move(values);
    }
    for (const std::string_view key : kTables) {
        const TomlValue* const table = root.find(key);
        if (table != nullptr && table->kind != TomlValue::Kind::Table) {
            return reader.failAt(key, "'" + std::string(key) + "' must be a table");
        }
    }
    const TomlValue none;
    const auto tableOf = [&](std::string_view key) {
        const TomlValue* const table = root.find(key);
        return TomlReader(table == nullptr ? none : *table, name);
    };
    REVET_RETURN_IF_ERROR(tableOf("limits").allowOnly({"memory", "processes", "disk", "time"}));
    REVET_RETURN_IF_ERROR(tableOf("undo").allowOnly({"budget", "largest", "brake"}));
    for (const SingleField& field : kSingleFields) {
        const auto [table, key] = splitKey(field.key);
        const TomlReader from = table.empty() ? reader : tableOf(table);
        if (!from.has(key)) {
            continue;
        }
        // A number of processes reads more naturally without quotes.
        const TomlValue* value = (table.empty() ? root : *root.find(table)).find(key);
        const bool isInteger = value->kind == TomlValue::Kind::Integer;
        const std::string text = isInteger ? std::to_string(value->integer) : value->text;
        if (value->kind != TomlValue::Kind::Text && !isInteger) {
            return from.failAt(key, "'" + std::string(key) + "' must be a text");
        }
        if (auto set = field.set(&settings, text); !set) {
            return from.failAt(key, "'" + text + "': " + set.error().context);
        }
    }
    return settings;
}

namespace {

std::string quoted(std::string_view text)
{
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string result = "\"";
    for (const char byte : text) {
        const auto value = static_cast<unsigned char>(byte);
        if (byte == '"' || byte == '\\') {
            result.append(1, '\\').append(1, byte);
        } else if (value < 0x20 || value == 0x7f) {
            result.append("\\u00").append(1, kDigits[value >> 4U]).append(1, kDigits[value & 0xfU]);
        } else {
            result.push_back(byte);
        }
    }
    return result + "\"";
}

std::string assignment(std::string_view key, std::string_view value)
{
    return std::string(key) + " = " + std::string(value) + "\n";
}

} // namespace

std::string toToml(const Settings& settings)
{
    std::string text;
    std::map<std::string_view, std::string> tables;
    for (const SingleField& field : kSingleFields) {
        const std::string value = field.get(settings);
        if (value.empty()) {
            continue;
        }
        const auto [table, key] = splitKey(field.key);
        (table.empty() ? text : tables[table]) += assignment(key, quoted(value));
    }
    for (const ListField& field : kListFields) {
        std::string items;
        for (const std::string& value : settings.*field.values) {
            items += (items.empty() ? "" : ", ") + quoted(value);
        }
        if (!items.empty()) {
            text += assignment(field.key, "[" + items + "]");
        }
    }
    for (const auto& [name, assignments] : tables) {
        text += "\n[" + std::string(name) + "]\n" + assignments;
    }
    return text;
}

Result<void> applyAssignment(Settings* settings, std::string_view assignment)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return fail(ErrorCode::InvalidArgument, "read '" + std::string(assignment) + "'",
                    "write KEY=VALUE, KEY+=VALUE or KEY-=VALUE");
    }
    const char sign = assignment[equals - 1];
    const bool isChange = sign == '+' || sign == '-';
    const std::string_view key = assignment.substr(0, isChange ? equals - 1 : equals);
    const std::string value(assignment.substr(equals + 1));
    const std::string operation = "set '" + std::string(key) + "'";

    for (const SingleField& field : kSingleFields) {
        if (field.key == key) {
            if (isChange) {
                return fail(ErrorCode::InvalidArgument, operation, "it has one value; write KEY=VALUE");
            }
            return field.set(settings, value);
        }
    }
    for (const ListField& field : kListFields) {
        if (field.key != key) {
            continue;
        }
        if (!value.empty() && !field.isValid(value)) {
            return fail(ErrorCode::InvalidArgument, operation, "'" + value + "': " + std::string(field.rule));
        }
        std::vector<std::string>& values = settings->*field.values;
        if (!isChange) {
            values.clear();
        }
        const auto found = std::find(values.begin(), values.end(), value);
        if (sign == '-') {
            if (found == values.end()) {
                return fail(ErrorCode::NotFound, operation, "'" + value + "' is not in the list");
            }
            values.erase(found);
        } else if (found == values.end() && !value.empty()) {
            values.push_back(value);
        }
        return {};
    }
    std::string known;
    for (const SingleField& field : kSingleFields) {
        known.append(field.key).append(", ");
    }
    for (const ListField& field : kListFields) {
        known.append(field.key).append(", ");
    }
    known.resize(known.size() - 2);
    return fail(ErrorCode::InvalidArgument, operation, "the keys are " + known);
}

} // namespace revet::policy
