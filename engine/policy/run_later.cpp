// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/run_later.h"

#include "engine/policy/letter_case.h"
#include "engine/policy/path_pattern.h"
#include "engine/policy/run_later_index.h"
#include "engine/policy/toml_text.h"

#include <algorithm>
#include <array>
#include <utility>

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
constexpr std::string_view kHostsGroup = "the host's configuration";

using Index = RunLaterTable::Index;
using Entry = Index::Entry;
using Pattern = Index::Pattern;

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

/// As vfat, ntfs and folded directories see a path: ASCII case gone, and dots and spaces that end a name.
std::string folded(std::string_view path)
{
    std::string text;
    for (const char byte : path) {
        if (byte == '/') {
            text.resize(text.find_last_not_of(". ") + 1);
        }
        text.push_back(lowered(byte));
    }
    text.resize(text.find_last_not_of(". ") + 1);
    return text;
}

bool mayFold(std::string_view path)
{
    return std::any_of(path.begin(), path.end(), [](char byte) { return byte >= 'A' && byte <= 'Z'; })
        || path.find("./") != std::string_view::npos || path.find(" /") != std::string_view::npos
        || path.ends_with('.') || path.ends_with(' ');
}

const Pattern* findIn(const Index& index, std::string_view path)
{
    const auto isPinned = [&index](const Pattern* pattern) {
        return pattern != nullptr && index.entryOf(*pattern).cls == RunLaterClass::Pinned;
    };
    const Pattern* const found = index.strictest(path);
    if (isPinned(found) || !mayFold(path)) {
        return found;
    }
    const Pattern* const other = index.strictest(folded(path));
    return isPinned(other) ? other : found;
}

/// The components of `text`, one way to spell the pattern `written`, which has been added as `whole`.
Result<Index::Text> addSpelling(Index& index, std::string_view text, std::string_view written,
                                const Index::Text& whole)
{
    const std::vector<std::string_view> components = pathComponents(text);
    std::string spelled;
    for (const std::string_view component : components) {
        if (NameText(component).isSpecial()) {
            REVET_RETURN_IF_ERROR(NamePattern::compile(component));
        }
        spelled.append(spelled.empty() ? "" : "/").append(component);
    }
    if (components.empty() || components.size() > kMaximumPatternComponents
        || NameText(components.front()).isAnyDepth()) {
        return fail(ErrorCode::Malformed, "a pattern begins with a name, and floats by itself");
    }
    const std::size_t place = written.find(spelled); // nearly always there
    return place == std::string_view::npos ? index.addText(spelled)
                                           : Index::Text{whole.begin + static_cast<std::uint32_t>(place),
                                                         static_cast<std::uint32_t>(spelled.size())};
}

Result<void> readPatterns(const TomlReader& reader, RunLaterClass cls, std::uint32_t entry, Index& index)
{
    REVET_ASSIGN_OR_RETURN(const auto paths, reader.texts("paths"));
    if (paths.empty()) {
        return reader.failAt("paths", "an entry needs paths");
    }
    for (const std::string& path : paths) {
        auto texts = expandBraces(path, PathPattern::kMaximumAlternatives);
        if (!texts) {
            return reader.failAt("paths", path + ": " + texts.error().operation);
        }
        const std::size_t written = texts->size();
        for (std::size_t i = 0; cls == RunLaterClass::Pinned && i < written; ++i) {
            if (mayFold((*texts)[i])) {
                texts->push_back(folded((*texts)[i]));
            }
        }
        const Index::Text whole = index.addText(path);
        for (const std::string& text : *texts) {
            const auto spelled = addSpelling(index, text, path, whole);
            if (!spelled) {
                return reader.failAt("paths", path + ": " + spelled.error().operation);
            }
            index.add({entry, Index::kNone, whole, *spelled, text.starts_with('/'), false});
        }
    }
    return {};
}

/// A pattern that only this name matches.
std::string literal(std::string_view name)
{
    std::string text;
    for (const char byte : name) {
        text.append(hasAnyOf({&byte, 1}, "*?[\\") ? 1 : 0, '\\').append(1, byte);
    }
    return text;
}

} // namespace

RunLaterTable::RunLaterTable()
    : RunLaterTable(std::make_shared<Index>())
{
}

RunLaterTable::RunLaterTable(std::shared_ptr<Index> index)
    : m_index(std::move(index))
{
}

std::string RunLaterTable::compiled() const
{
    return m_index->compiled();
}

Result<RunLaterTable> RunLaterTable::parse(std::string_view bytes)
{
    if (isCompiledRunLater(bytes)) {
        auto read = std::make_shared<Index>();
        REVET_RETURN_IF_ERROR(read->read(bytes));
        return RunLaterTable(std::move(read));
    }
    REVET_ASSIGN_OR_RETURN(const auto root, parseToml(bytes, kTableName));
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
        const RunLaterClass cls = entry.cls;
        REVET_RETURN_IF_ERROR(readPatterns(reader, cls, index->addEntry(std::move(entry)), *index));
    }
    return RunLaterTable(std::move(index));
}

RunLaterTable RunLaterTable::with(const ProjectPins& project) &&
{
    auto index = m_index.use_count() == 1 ? m_index : std::make_shared<Index>(*m_index);
    enum class Where : std::uint8_t { AtRoot, Anywhere };
    const auto forEachPattern = [&index](std::vector<std::string> paths, Where where, bool isFile,
                                         std::string_view below, const auto& add) {
        for (std::size_t i = paths.size(); i-- > 0;) {
            if (mayFold(paths[i])) {
                paths.push_back(folded(paths[i]));
            }
        }
        for (const std::string& path : paths) {
            std::string spelled;
            const std::vector<std::string_view> components = pathComponents(path);
            for (const std::string_view component : components) {
                spelled.append(spelled.empty() ? "" : "/").append(literal(component));
            }
            if (components.empty() || components.size() >= kMaximumPatternComponents) {
                continue; // the project itself, or deeper than anything is found
            }
            Pattern pattern;
            pattern.isRooted = where == Where::AtRoot;
            pattern.isEverywhere = !pattern.isRooted;
            pattern.text = index->addText(path);
            pattern.spelled = index->addText(spelled);
            if (isFile) {
                add(pattern);
            }
            pattern.spelled = index->addText(spelled.append("/").append(below));
            add(pattern);
        }
    };
    const std::uint32_t entry
        = index->addEntry(Entry{RunLaterClass::Pinned, std::string(kHostsGroup), {}, {}});
    const auto add = [&](Pattern pattern) {
        pattern.entry = entry;
        index->add(pattern);
    };
    forEachPattern(project.pinned, Where::AtRoot, true, "**", add);
    forEachPattern(project.anywhere, Where::Anywhere, true, "**", add);
    // No entry has that name: only that something could be below matters.
    forEachPattern(project.workTrees, Where::AtRoot, false, ".", add);
    forEachPattern(project.inGitdirs, Where::Anywhere, true, "**",
                   [&index](const Pattern& pattern) { index->addInGitdir(pattern); });
    for (const std::string& repository : project.repositories) {
        index->addRepository(repository);
    }
    return RunLaterTable(std::move(index));
}

std::optional<RunLaterTable::Match> RunLaterTable::match(std::string_view relative) const
{
    const Pattern* pattern = findIn(*m_index, relative);
    if (pattern == nullptr) {
        return std::nullopt;
    }
    const Entry& entry = m_index->entryOf(*pattern);
    return Match{entry.cls, entry.group + ": " + std::string(m_index->bytesOf(pattern->text))};
}

std::optional<RunLaterTable::Match> RunLaterTable::matchInGitdir(std::string_view inside) const
{
    // Names of branches, which only git's own files have there.
    if (inside.starts_with("refs/") || inside.starts_with("logs/")) {
        return std::nullopt;
    }
    const Pattern* pattern = m_index->inGitdir(inside);
    if (pattern == nullptr && mayFold(inside)) {
        pattern = m_index->inGitdir(folded(inside));
    }
    if (pattern == nullptr) {
        return std::nullopt;
    }
    return Match{RunLaterClass::Pinned,
                 std::string(kHostsGroup) + ": " + std::string(m_index->bytesOf(pattern->text))};
}

bool RunLaterTable::couldHoldPinned(std::string_view relativeDirectory) const
{
    return m_index->couldHoldPinned(relativeDirectory)
        || (mayFold(relativeDirectory) && m_index->couldHoldPinned(folded(relativeDirectory)));
}

bool RunLaterTable::isForDependencies(std::string_view relativeDirectory) const
{
    const std::vector<std::string_view> components = pathComponents(relativeDirectory);
    return std::any_of(components.begin(), components.end(), [this](std::string_view component) {
        return m_index->isDependencyDirectory(component);
    });
}

std::optional<RunLaterTable::Check> RunLaterTable::check(std::string_view relative) const
{
    const Pattern* pattern = findIn(*m_index, relative);
    if (pattern == nullptr || m_index->entryOf(*pattern).cls != RunLaterClass::Checked) {
        return std::nullopt;
    }
    return m_index->entryOf(*pattern).check;
}

} // namespace revet::policy
