// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/run_later.h"

#include "engine/policy/path_pattern.h"
#include "engine/policy/toml_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace revet::policy {

std::string_view toString(RunLaterClass cls)
{
    switch (cls) {
    case RunLaterClass::Pinned:
        return "pinned";
    case RunLaterClass::Checked:
        return "checked";
    case RunLaterClass::Shown:
        return "shown";
    }
    return "unknown";
}

namespace {

constexpr std::string_view kTableName = "run-later.toml";

struct Entry
{
    RunLaterClass cls = RunLaterClass::Shown;
    std::string group;
    RunLaterTable::Check check;
    std::vector<PathPattern> exceptions;
};

/// One way to spell one pattern of an entry.
struct Pattern
{
    std::uint32_t entry = 0; ///< index into Index::entries
    bool isRooted = false; ///< began with a slash: at the project's root only
    std::string text; ///< as the table has it
    std::vector<NamePattern> names;
};

/// `rest` begins with the component that the pattern began with, and so do exceptions.
bool isException(const Entry& entry, std::string_view rest)
{
    return std::any_of(entry.exceptions.begin(), entry.exceptions.end(),
                       [&](const PathPattern& exception) { return exception.covers(rest); });
}

struct TextHash
{
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
/// Says of most texts that are not in a set that they are not, by first byte and length, without hashing.
class Sieve
{
public:
    void add(std::string_view text) { m_lengths[firstOf(text)] |= bitOf(text); }
    [[nodiscard]] bool mayHold(std::string_view text) const
    {
        return (m_lengths[firstOf(text)] & bitOf(text)) != 0;
    }

private:
    static std::size_t firstOf(std::string_view text)
    {
        return text.empty() ? 0 : static_cast<unsigned char>(text.front());
    }
    static std::uint64_t bitOf(std::string_view text) { return std::uint64_t{1} << (text.size() & 63U); }

    std::array<std::uint64_t, 256> m_lengths{};
};

using Places = std::unordered_map<std::string, std::vector<std::uint32_t>, TextHash, std::equal_to<>>;

} // namespace

/// The patterns, found by their first component: this is asked on every changing call of a box, and nearly
/// every path has no component that begins a pattern.
struct RunLaterTable::Index
{
    std::vector<Entry> entries;
    std::vector<Pattern> patterns;
    Places byName; ///< the first component is a plain name
    Places byEnding; ///< "*.service": by what follows the last dot
    std::array<std::vector<std::uint32_t>, 256> byBeginning; ///< "Dockerfile*": by beginningOf()
    std::vector<std::uint32_t> others;
    std::unordered_set<std::string, TextHash, std::equal_to<>> dependencyDirectories;
    Sieve names; ///< of byName and dependencyDirectories
    Sieve endings; ///< of byEnding

    void addDependencyDirectory(const std::string& name);
    void add(Pattern pattern);
    template<typename Visit>
    void visitCandidates(std::string_view component, Visit visit) const;
    template<typename Visit>
    void visitBeginnings(std::string_view relative, Visit visit) const;
    [[nodiscard]] const Pattern* strictest(std::string_view relative) const;
};

namespace {

/// A bucket for the first two bytes.
std::size_t beginningOf(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text[0]);
    const auto second = static_cast<unsigned char>(text[1]);
    return (first * 31U + second) & 0xffU;
}

} // namespace

void RunLaterTable::Index::addDependencyDirectory(const std::string& name)
{
    dependencyDirectories.insert(name);
    names.add(name);
}

void RunLaterTable::Index::add(Pattern pattern)
{
    const auto number = static_cast<std::uint32_t>(patterns.size());
    const NamePattern& first = pattern.names.front();
    const std::size_t dot = first.suffix().rfind('.');
    if (first.isLiteral()) {
        byName[first.prefix()].push_back(number);
        names.add(first.prefix());
    } else if (first.prefix().size() >= 2) {
        byBeginning[beginningOf(first.prefix())].push_back(number);
    } else if (dot != std::string::npos) {
        const std::string ending = first.suffix().substr(dot + 1);
        byEnding[ending].push_back(number);
        endings.add(ending);
    } else {
        others.push_back(number);
    }
    patterns.push_back(std::move(pattern));
}

/// Calls visit(pattern) for those whose first component may match this one.
template<typename Visit>
void RunLaterTable::Index::visitCandidates(std::string_view component, Visit visit) const
{
    const auto visitAll = [&](const std::vector<std::uint32_t>& numbers) {
        for (const std::uint32_t number : numbers) {
            visit(patterns[number]);
        }
    };
    if (names.mayHold(component)) {
        if (const auto found = byName.find(component); found != byName.end()) {
            visitAll(found->second);
        }
    }
    if (component.size() >= 2) {
        for (const std::uint32_t number : byBeginning[beginningOf(component)]) {
            if (component.starts_with(patterns[number].names.front().prefix())) {
                visit(patterns[number]);
            }
        }
    }
    const std::size_t dot = component.rfind('.');
    if (dot != std::string_view::npos && endings.mayHold(component.substr(dot + 1))) {
        if (const auto found = byEnding.find(component.substr(dot + 1)); found != byEnding.end()) {
            visitAll(found->second);
        }
    }
    visitAll(others);
}

/// Calls visit(pattern, rest) wherever a pattern may begin; `rest` are the bytes from that component on.
template<typename Visit>
void RunLaterTable::Index::visitBeginnings(std::string_view relative, Visit visit) const
{
    bool isFirst = true;
    while (!relative.empty()) {
        const std::size_t end = std::min(relative.find('/'), relative.size());
        const std::string_view component = relative.substr(0, end);
        if (!component.empty() && component != ".") {
            visitCandidates(component, [&](const Pattern& pattern) {
                if (isFirst || !pattern.isRooted) {
                    visit(pattern, relative);
                }
            });
            if (names.mayHold(component) && dependencyDirectories.contains(component)) {
                return;
            }
            isFirst = false;
        }
        relative.remove_prefix(std::min(end + 1, relative.size()));
    }
}

const Pattern* RunLaterTable::Index::strictest(std::string_view relative) const
{
    const Pattern* best = nullptr;
    visitBeginnings(relative, [&](const Pattern& pattern, std::string_view rest) {
        const Entry& entry = entries[pattern.entry];
        if (best != nullptr && entries[best->entry].cls <= entry.cls) {
            return;
        }
        // Most candidates share only a first letter or an ending: that costs no cutting up.
        if (!pattern.names.front().matches(rest.substr(0, rest.find('/')))) {
            return;
        }
        if (matchComponents(pattern.names, pathComponents(rest)).isWhole && !isException(entry, rest)) {
            best = &pattern;
        }
    });
    return best;
}

namespace {

constexpr std::array<std::string_view, 6> kFormats = {"json", "toml", "ini", "env", "lines", "any"};

Result<Entry> readEntry(const TomlReader& reader)
{
    REVET_RETURN_IF_ERROR(reader.allowOnly({"group", "class", "why", "paths", "except", "format", "runs"}));
    Entry entry;
    REVET_ASSIGN_OR_RETURN(entry.group, reader.text("group"));
    if (entry.group.empty()) {
        return reader.failAt("group", "an entry needs a group");
    }
    REVET_ASSIGN_OR_RETURN(const auto cls, reader.text("class"));
    bool isKnown = false;
    for (const RunLaterClass known : {RunLaterClass::Pinned, RunLaterClass::Checked, RunLaterClass::Shown}) {
        if (toString(known) == cls) {
            entry.cls = known;
            isKnown = true;
        }
    }
    if (!isKnown) {
        return reader.failAt("class", "the classes are pinned, checked and shown");
    }
    REVET_ASSIGN_OR_RETURN(entry.check.format, reader.text("format"));
    REVET_ASSIGN_OR_RETURN(entry.check.runs, reader.texts("runs"));
    const bool isChecked = entry.cls == RunLaterClass::Checked;
    if (isChecked != reader.has("format")) {
        return reader.failAt("format", "checked entries need a format, and only they have one");
    }
    if (isChecked && std::find(kFormats.begin(), kFormats.end(), entry.check.format) == kFormats.end()) {
        return reader.failAt("format", "the formats are json, toml, ini, env, lines and any");
    }
    if ((isChecked && entry.check.format != "any") == entry.check.runs.empty()) {
        return reader.failAt("runs", "'runs' belongs to every format but any, and to no other class");
    }
    REVET_ASSIGN_OR_RETURN(const auto exceptions, reader.texts("except"));
    for (const std::string& text : exceptions) {
        auto exception = PathPattern::compile(text);
        if (!exception) {
            return reader.failAt("except", exception.error().operation);
        }
        entry.exceptions.push_back(std::move(*exception));
    }
    return entry;
}

Result<std::vector<Pattern>> readPatterns(const TomlReader& reader)
{
    REVET_ASSIGN_OR_RETURN(const auto paths, reader.texts("paths"));
    if (paths.empty()) {
        return reader.failAt("paths", "an entry needs paths");
    }
    std::vector<Pattern> patterns;
    for (const std::string& path : paths) {
        const auto alternatives = expandBraces(path, PathPattern::kMaximumAlternatives);
        if (!alternatives) {
            return reader.failAt("paths", path + ": " + alternatives.error().operation);
        }
        for (const std::string& text : *alternatives) {
            Pattern pattern;
            pattern.isRooted = text.starts_with('/');
            pattern.text = path;
            for (const std::string_view component : pathComponents(text)) {
                auto name = NamePattern::compile(component);
                if (!name) {
                    return reader.failAt("paths", path + ": " + name.error().operation);
                }
                pattern.names.push_back(std::move(*name));
            }
            if (pattern.names.empty() || pattern.names.size() > kMaximumPatternComponents
                || pattern.names.front().isAnyDepth()) {
                return reader.failAt("paths", path + ": a pattern begins with a name, and floats by itself");
            }
            patterns.push_back(std::move(pattern));
        }
    }
    return patterns;
}

} // namespace

RunLaterTable::RunLaterTable()
    : RunLaterTable(std::make_shared<const Index>())
{
}

RunLaterTable::RunLaterTable(std::shared_ptr<const Index> index)
    : m_index(std::move(index))
{
}

Result<RunLaterTable> RunLaterTable::parse(std::string_view toml)
{
    REVET_ASSIGN_OR_RETURN(const auto root, parseToml(toml, kTableName));
    const TomlReader top(root, kTableName);
    REVET_RETURN_IF_ERROR(top.allowOnly({"dependency_directories", "entry"}));
    auto index = std::make_shared<Index>();
    REVET_ASSIGN_OR_RETURN(const auto directories, top.texts("dependency_directories"));
    for (const std::string& directory : directories) {
        index->addDependencyDirectory(directory);
    }
    const TomlValue* list = root.find("entry");
    if (list == nullptr || list->kind != TomlValue::Kind::List) {
        return top.failAt("entry", "a table of run-later files has [[entry]] parts");
    }
    for (const TomlValue& item : list->list) {
        const TomlReader reader(item, kTableName);
        REVET_ASSIGN_OR_RETURN(auto entry, readEntry(reader));
        REVET_ASSIGN_OR_RETURN(auto patterns, readPatterns(reader));
        for (Pattern& pattern : patterns) {
            pattern.entry = static_cast<std::uint32_t>(index->entries.size());
            index->add(std::move(pattern));
        }
        index->entries.push_back(std::move(entry));
    }
    return RunLaterTable(std::move(index));
}

std::optional<RunLaterTable::Match> RunLaterTable::match(std::string_view relative) const
{
    const Pattern* pattern = m_index->strictest(relative);
    if (pattern == nullptr) {
        return std::nullopt;
    }
    const Entry& entry = m_index->entries[pattern->entry];
    return Match{entry.cls, entry.group + ": " + pattern->text};
}

bool RunLaterTable::couldHoldPinned(std::string_view relativeDirectory) const
{
    bool could = false;
    m_index->visitBeginnings(relativeDirectory, [&](const Pattern& pattern, std::string_view rest) {
        const Entry& entry = m_index->entries[pattern.entry];
        could = could
            || (entry.cls == RunLaterClass::Pinned
                && matchComponents(pattern.names, pathComponents(rest)).canContinue
                && !isException(entry, rest));
    });
    return could;
}

bool RunLaterTable::isInDependencies(std::string_view relative) const
{
    std::vector<std::string_view> components = pathComponents(relative);
    if (!components.empty()) {
        components.pop_back();
    }
    return std::any_of(components.begin(), components.end(), [&](std::string_view component) {
        return m_index->dependencyDirectories.contains(component);
    });
}

std::optional<RunLaterTable::Check> RunLaterTable::check(std::string_view relative) const
{
    const Pattern* pattern = m_index->strictest(relative);
    if (pattern == nullptr || m_index->entries[pattern->entry].cls != RunLaterClass::Checked) {
        return std::nullopt;
    }
    return m_index->entries[pattern->entry].check;
}

} // namespace revet::policy
