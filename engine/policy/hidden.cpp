// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/hidden.h"

#include "engine/policy/path_pattern.h"
#include "engine/policy/toml_text.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace revet::policy {

namespace {

constexpr std::string_view kTableName = "hidden.toml";

struct Glob
{
    std::size_t entry = 0; ///< index into Index::entries
    std::string beginning; ///< every path that matches begins with these bytes
    PathPattern pattern;
};

struct TextHash
{
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

bool isLiteral(std::string_view pattern)
{
    return !hasAnyOf(pattern, "*?[\\");
}

} // namespace

/// Plain paths are found by hash, one look-up a component; only the globs are tried one by one.
struct HiddenTable::Index
{
    std::vector<Entry> entries;
    std::vector<std::shared_ptr<const std::vector<PathPattern>>>
        exceptions; ///< by entry; a group shares its own
    std::unordered_multimap<std::string, std::size_t, TextHash, std::equal_to<>> plain;
    std::vector<Glob> globs;

    [[nodiscard]] bool applies(std::size_t entry, std::string_view path) const
    {
        return std::none_of(exceptions[entry]->begin(), exceptions[entry]->end(),
                            [&](const PathPattern& exception) { return exception.covers(path); });
    }
};

struct HiddenNames::Index
{
    std::vector<PathPattern> patterns;
    std::vector<PathPattern> exceptions;
    /// A path that a pattern covers has a component that the pattern's last one matches: most names of a
    /// project are cleared by this alone.
    std::unordered_set<std::string, TextHash, std::equal_to<>> lastNames;
    std::vector<NamePattern> lastGlobs;

    [[nodiscard]] bool mayHide(std::string_view name) const
    {
        return lastNames.find(name) != lastNames.end()
            || std::any_of(lastGlobs.begin(), lastGlobs.end(),
                           [&](const NamePattern& glob) { return glob.matches(name); });
    }
};

namespace {

/// A path as a pattern for itself.
std::string escaped(std::string_view path)
{
    std::string pattern;
    for (const char byte : path) {
        if (hasAnyOf(std::string_view(&byte, 1), "*?[]{},\\")) {
            pattern.push_back('\\');
        }
        pattern.push_back(byte);
    }
    return pattern;
}

/// Replaces ~ and ${XDG_RUNTIME_DIR} at the beginning by an escaped place; empty where that is not known.
Result<std::string> expand(const std::string& text, const HiddenTable::Place& place, const TomlReader& reader)
{
    constexpr std::string_view kRuntime = "${XDG_RUNTIME_DIR}";
    if (text == "~" || text.starts_with("~/")) {
        return place.home + text.substr(1);
    }
    if (text.starts_with(kRuntime)) {
        return place.runtimeDirectory.empty() ? std::string()
                                              : place.runtimeDirectory + text.substr(kRuntime.size());
    }
    if (!text.starts_with('/') && !text.starts_with("**/")) {
        return reader.failAt("paths", text + ": a path begins with /, ~/, ${XDG_RUNTIME_DIR} or **/");
    }
    return text.starts_with('/') ? text : "/" + text;
}

Result<std::vector<PathPattern>> compileAll(const std::vector<std::string>& texts,
                                            const HiddenTable::Place& place, const TomlReader& reader)
{
    std::vector<PathPattern> patterns;
    for (const std::string& text : texts) {
        REVET_ASSIGN_OR_RETURN(const auto path, expand(text, place, reader));
        if (path.empty()) {
            continue;
        }
        auto pattern = PathPattern::compile(path);
        if (!pattern) {
            return reader.failAt("paths", text + ": " + pattern.error().operation);
        }
        patterns.push_back(std::move(*pattern));
    }
    return patterns;
}

Result<void> readGroup(const TomlReader& reader, const HiddenTable::Place& place, HiddenTable::Index* index)
{
    REVET_RETURN_IF_ERROR(reader.allowOnly({"name", "why", "paths", "except"}));
    REVET_ASSIGN_OR_RETURN(const auto group, reader.text("name"));
    REVET_ASSIGN_OR_RETURN(const auto paths, reader.texts("paths"));
    REVET_ASSIGN_OR_RETURN(const auto excepted, reader.texts("except"));
    if (group.empty() || paths.empty()) {
        return reader.failAt("name", "a group needs a name and paths");
    }
    REVET_ASSIGN_OR_RETURN(auto compiled, compileAll(excepted, place, reader));
    const auto exceptions = std::make_shared<const std::vector<PathPattern>>(std::move(compiled));
    for (const std::string& path : paths) {
        REVET_ASSIGN_OR_RETURN(const auto expanded, expand(path, place, reader));
        auto alternatives = expandBraces(expanded, PathPattern::kMaximumAlternatives);
        if (!alternatives) {
            return reader.failAt("paths", path + ": " + alternatives.error().operation);
        }
        for (std::string& text : *alternatives) {
            if (text.empty()) {
                continue;
            }
            const std::size_t number = index->entries.size();
            index->entries.push_back({group, text});
            index->exceptions.push_back(exceptions);
            if (isLiteral(text)) {
                index->plain.emplace(std::move(text), number);
                continue;
            }
            auto pattern = PathPattern::compile(text);
            if (!pattern) {
                return reader.failAt("paths", path + ": " + pattern.error().operation);
            }
            std::string beginning = text.substr(0, text.find_first_of("*?[\\"));
            index->globs.push_back({number, std::move(beginning), std::move(*pattern)});
        }
    }
    return {};
}

Result<void> readProject(const TomlReader& reader, HiddenNames::Index* index)
{
    REVET_RETURN_IF_ERROR(reader.allowOnly({"why", "paths", "except"}));
    REVET_ASSIGN_OR_RETURN(const auto paths, reader.texts("paths"));
    REVET_ASSIGN_OR_RETURN(const auto excepted, reader.texts("except"));
    const auto compile = [&](const std::string& text) -> Result<PathPattern> {
        auto pattern = PathPattern::compile("**/" + text);
        if (!pattern || text.starts_with('/')) {
            return reader.failAt("paths", text + ": not a pattern for names in a project");
        }
        return pattern;
    };
    for (const std::string& text : paths) {
        REVET_ASSIGN_OR_RETURN(auto pattern, compile(text));
        index->patterns.push_back(std::move(pattern));
        REVET_ASSIGN_OR_RETURN(const auto alternatives,
                               expandBraces(text, PathPattern::kMaximumAlternatives));
        for (const std::string& alternative : alternatives) {
            const std::string_view last = pathComponents(alternative).back();
            if (isLiteral(last)) {
                index->lastNames.emplace(last);
            } else {
                REVET_ASSIGN_OR_RETURN(auto glob, NamePattern::compile(last));
                index->lastGlobs.push_back(std::move(glob));
            }
        }
    }
    for (const std::string& text : excepted) {
        REVET_ASSIGN_OR_RETURN(auto pattern, compile(text));
        index->exceptions.push_back(std::move(pattern));
    }
    return {};
}

} // namespace

HiddenTable::HiddenTable()
    : HiddenTable(std::make_shared<const Index>())
{
}

HiddenTable::HiddenTable(std::shared_ptr<const Index> index)
    : m_index(std::move(index))
{
}

Result<HiddenTable> HiddenTable::parse(std::string_view toml, const Place& place)
{
    const auto isUsable = [](std::string_view path) { return path.starts_with('/') && path.size() > 1; };
    if (!isUsable(place.home) || !(place.runtimeDirectory.empty() || isUsable(place.runtimeDirectory))) {
        return fail(ErrorCode::InvalidArgument, "read the hidden table", "HOME is not an absolute path");
    }
    REVET_ASSIGN_OR_RETURN(const auto root, parseToml(toml, kTableName));
    const TomlReader top(root, kTableName);
    REVET_RETURN_IF_ERROR(top.allowOnly({"group", "project"}));
    const Place escapedPlace{escaped(place.home), escaped(place.runtimeDirectory)};
    auto index = std::make_shared<Index>();
    const TomlValue* groups = root.find("group");
    if (groups == nullptr || groups->kind != TomlValue::Kind::List) {
        return top.failAt("group", "a hidden table has [[group]] parts");
    }
    for (const TomlValue& group : groups->list) {
        REVET_RETURN_IF_ERROR(readGroup(TomlReader(group, kTableName), escapedPlace, index.get()));
    }
    return HiddenTable(std::move(index));
}

std::optional<HiddenTable::Entry> HiddenTable::match(std::string_view absolutePath) const
{
    // The path itself, then each directory above it.
    for (std::string_view path = absolutePath; path.size() > 1; path = path.substr(0, path.rfind('/'))) {
        const auto [first, last] = m_index->plain.equal_range(path);
        for (auto found = first; found != last; ++found) {
            if (m_index->applies(found->second, absolutePath)) {
                return m_index->entries[found->second];
            }
        }
        if (path.find('/') == std::string_view::npos) {
            break;
        }
    }
    for (const Glob& glob : m_index->globs) {
        if (absolutePath.starts_with(glob.beginning) && glob.pattern.covers(absolutePath)
            && m_index->applies(glob.entry, absolutePath)) {
            return m_index->entries[glob.entry];
        }
    }
    return std::nullopt;
}

const std::vector<HiddenTable::Entry>& HiddenTable::entries() const
{
    return m_index->entries;
}

HiddenNames::HiddenNames()
    : HiddenNames(std::make_shared<const Index>())
{
}

HiddenNames::HiddenNames(std::shared_ptr<const Index> index)
    : m_index(std::move(index))
{
}

Result<HiddenNames> HiddenNames::parse(std::string_view toml)
{
    REVET_ASSIGN_OR_RETURN(const auto root, parseToml(toml, kTableName));
    REVET_RETURN_IF_ERROR(TomlReader(root, kTableName).allowOnly({"group", "project"}));
    auto index = std::make_shared<Index>();
    if (const TomlValue* project = root.find("project"); project != nullptr) {
        REVET_RETURN_IF_ERROR(readProject(TomlReader(*project, kTableName), index.get()));
    }
    return HiddenNames(std::move(index));
}

bool HiddenNames::match(std::string_view relative) const
{
    const std::vector<std::string_view> names = pathComponents(relative);
    if (std::none_of(names.begin(), names.end(),
                     [&](std::string_view name) { return m_index->mayHide(name); })) {
        return false;
    }
    const auto covers = [&](const PathPattern& pattern) { return pattern.covers(relative); };
    return std::none_of(m_index->exceptions.begin(), m_index->exceptions.end(), covers)
        && std::any_of(m_index->patterns.begin(), m_index->patterns.end(), covers);
}

} // namespace revet::policy
