// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/toml_text.h"

#include "engine/policy/compiled_toml.h"

#include <algorithm>
#include <exception>

#include <toml++/toml.h>

namespace revet::policy {

namespace {

constexpr std::size_t kMaximumSize = 1024 * 1024;

/// Copies a node of the library into our own tree; false with the line for a kind that we do not take.
bool copyNode(const toml::node& node, TomlValue* value)
{
    value->line = node.source().begin.line;
    if (const auto* table = node.as_table()) {
        value->kind = TomlValue::Kind::Table;
        for (const auto& [key, child] : *table) {
            TomlValue copy;
            const bool isTaken = copyNode(child, &copy);
            // A key's own line is where a person looks; a value may begin further down.
            copy.line = isTaken && key.source().begin ? key.source().begin.line : copy.line;
            value->table.push_back({std::string(key.str()), std::move(copy)});
            if (!isTaken) {
                value->line = value->table.back().value.line;
                return false;
            }
        }
        return true;
    }
    if (const auto* array = node.as_array()) {
        value->kind = TomlValue::Kind::List;
        for (const auto& child : *array) {
            value->list.emplace_back();
            if (!copyNode(child, &value->list.back())) {
                value->line = value->list.back().line;
                return false;
            }
        }
        return true;
    }
    if (const auto* text = node.as_string()) {
        value->kind = TomlValue::Kind::Text;
        value->text = text->get();
        return true;
    }
    if (const auto* integer = node.as_integer()) {
        value->kind = TomlValue::Kind::Integer;
        value->integer = integer->get();
        return true;
    }
    if (const auto* boolean = node.as_boolean()) {
        value->kind = TomlValue::Kind::Boolean;
        value->boolean = boolean->get();
        return true;
    }
    return false;
}

} // namespace

tl::unexpected<Error> failAtLine(std::string_view name, std::size_t line, std::string_view why)
{
    return fail(ErrorCode::Malformed, std::string(name) + ":" + std::to_string(line), std::string(why));
}

const TomlValue* TomlValue::find(std::string_view key) const
{
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const TomlMember& member) { return member.key == key; });
    return found == table.end() ? nullptr : &found->value;
}

Result<TomlValue> parseToml(std::string_view toml, std::string_view name)
{
    if (toml.size() > kMaximumSize) {
        return failAtLine(name, 1, "the file is larger than 1 MiB");
    }
    if (isCompiledToml(toml)) {
        auto root = readCompiledToml(toml);
        return root ? std::move(root) : failAtLine(name, 1, toString(root.error()));
    }
    // The library as Debian builds it reports errors by exceptions; none leaves this function.
    try {
        TomlValue root;
        if (!copyNode(toml::parse(toml), &root)) {
            return failAtLine(name, root.line, "dates and floating point numbers mean nothing here");
        }
        return root;
    } catch (const toml::parse_error& error) {
        return failAtLine(name, error.source().begin.line, error.description());
    } catch (const std::exception& error) {
        return failAtLine(name, 1, error.what());
    }
}

Result<void> TomlReader::allowOnly(std::initializer_list<std::string_view> keys) const
{
    for (const auto& [key, value] : m_table.table) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            std::string known;
            for (const std::string_view allowed : keys) {
                known.append(known.empty() ? "" : ", ").append(allowed);
            }
            return failAtLine(m_name, value.line, "unknown key '" + key + "'; the keys are " + known);
        }
    }
    return {};
}

Result<std::string> TomlReader::text(std::string_view key) const
{
    const TomlValue* value = m_table.find(key);
    if (value == nullptr) {
        return std::string();
    }
    if (value->kind != TomlValue::Kind::Text) {
        return failAt(key, "'" + std::string(key) + "' must be a text");
    }
    return value->text;
}

Result<std::vector<std::string>> TomlReader::texts(std::string_view key) const
{
    std::vector<std::string> texts;
    const TomlValue* value = m_table.find(key);
    if (value == nullptr) {
        return texts;
    }
    if (value->kind == TomlValue::Kind::Text) {
        texts.push_back(value->text);
        return texts;
    }
    if (value->kind != TomlValue::Kind::List) {
        return failAt(key, "'" + std::string(key) + "' must be a list of texts");
    }
    for (const TomlValue& item : value->list) {
        if (item.kind != TomlValue::Kind::Text) {
            return failAtLine(m_name, item.line, "'" + std::string(key) + "' must be a list of texts");
        }
        texts.push_back(item.text);
    }
    return texts;
}

Result<std::vector<std::pair<std::string, std::string>>> TomlReader::pairs(std::string_view key) const
{
    std::vector<std::pair<std::string, std::string>> pairs;
    const TomlValue* value = m_table.find(key);
    if (value == nullptr) {
        return pairs;
    }
    if (value->kind != TomlValue::Kind::Table) {
        return failAt(key, "'" + std::string(key) + "' must be a table");
    }
    for (const auto& [name, item] : value->table) {
        if (item.kind != TomlValue::Kind::Text) {
            return failAtLine(m_name, item.line, "'" + name + "' must be a text");
        }
        pairs.emplace_back(name, item.text);
    }
    return pairs;
}

tl::unexpected<Error> TomlReader::failAt(std::string_view key, std::string_view why) const
{
    const TomlValue* value = m_table.find(key);
    return failAtLine(m_name, value == nullptr ? m_table.line : value->line, why);
}

} // namespace revet::policy
