// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/build_output.h"

#include "engine/policy/toml_text.h"

#include <algorithm>

namespace revet::policy {

namespace {

constexpr std::string_view kTableName = "build-output.toml";

Result<std::vector<NamePattern>> readNames(const TomlReader& reader, std::string_view key = "names")
{
    REVET_ASSIGN_OR_RETURN(const auto texts, reader.texts(key));
    std::vector<NamePattern> names;
    for (const std::string& text : texts) {
        auto pattern = NamePattern::compile(text);
        if (!pattern || text.find('/') != std::string::npos) {
            return reader.failAt(key, text + ": not a pattern for a name");
        }
        names.push_back(std::move(*pattern));
    }
    return names;
}

bool anyMatches(const std::vector<NamePattern>& patterns, std::string_view name)
{
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const NamePattern& pattern) { return pattern.matches(name); });
}

} // namespace

Result<BuildOutputTable> BuildOutputTable::parse(std::string_view toml)
{
    REVET_ASSIGN_OR_RETURN(const auto root, parseToml(toml, kTableName));
    const TomlReader top(root, kTableName);
    REVET_RETURN_IF_ERROR(top.allowOnly({"names", "files", "inside", "beside"}));
    BuildOutputTable table;
    REVET_ASSIGN_OR_RETURN(table.m_names, readNames(top));
    REVET_ASSIGN_OR_RETURN(table.m_files, readNames(top, "files"));
    REVET_ASSIGN_OR_RETURN(table.m_inside, top.texts("inside"));
    const TomlValue* beside = root.find("beside");
    if (beside != nullptr && beside->kind != TomlValue::Kind::List) {
        return top.failAt("beside", "write [[beside]]");
    }
    for (const TomlValue& part : beside == nullptr ? std::vector<TomlValue>() : beside->list) {
        const TomlReader reader(part, kTableName);
        REVET_RETURN_IF_ERROR(reader.allowOnly({"names", "files"}));
        Beside rule;
        REVET_ASSIGN_OR_RETURN(rule.names, readNames(reader));
        REVET_ASSIGN_OR_RETURN(rule.files, reader.texts("files"));
        if (rule.names.empty() || rule.files.empty()) {
            return reader.failAt("names", "a [[beside]] needs names and files");
        }
        table.m_beside.push_back(std::move(rule));
    }
    return table;
}

bool BuildOutputTable::matchesFile(std::string_view path) const
{
    return anyMatches(m_files, path.substr(path.rfind('/') + 1));
}

bool BuildOutputTable::matches(std::string_view directory,
                               const std::function<bool(const std::string&)>& exists) const
{
    const std::size_t slash = directory.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? directory : directory.substr(slash + 1);
    const std::string above(directory.substr(0, directory.size() - name.size())); // with its slash
    if (anyMatches(m_names, name)) {
        return true;
    }
    for (const Beside& rule : m_beside) {
        if (anyMatches(rule.names, name)
            && std::any_of(rule.files.begin(), rule.files.end(),
                           [&](const std::string& file) { return exists(above + file); })) {
            return true;
        }
    }
    return std::any_of(m_inside.begin(), m_inside.end(),
                       [&](const std::string& file) { return exists(std::string(directory) + '/' + file); });
}

} // namespace revet::policy
