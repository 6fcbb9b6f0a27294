// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/run_later_index.h"

#include <algorithm>
#include <span>
#include <utility>

namespace revet::policy {

namespace {

/// `rest` begins with the component that the pattern began with, and so do exceptions.
bool isException(const std::vector<PathPattern>& exceptions, std::string_view rest)
{
    return std::any_of(exceptions.begin(), exceptions.end(),
                       [&](const PathPattern& exception) { return exception.covers(rest); });
}

constexpr std::size_t kUsualNames = 8; ///< components
constexpr std::size_t kBeginning = 2; ///< bytes that m_byBeginning goes by

} // namespace

void RunLaterTable::Index::addDependencyDirectory(const std::string& name)
{
    m_dependencyDirectories.insert(name);
    m_names.add(name);
}

std::uint32_t RunLaterTable::Index::addEntry(Entry entry)
{
    m_entries.push_back(std::move(entry));
    return static_cast<std::uint32_t>(m_entries.size() - 1);
}

RunLaterTable::Index::Text RunLaterTable::Index::addText(std::string_view text)
{
    const Text added{static_cast<std::uint32_t>(m_texts.size()), static_cast<std::uint32_t>(text.size())};
    m_texts += text;
    return added;
}

void RunLaterTable::Index::add(Pattern pattern)
{
    m_hasEverywhere = m_hasEverywhere || pattern.isEverywhere;
    const NameText first = firstNameOf(pattern);
    const std::size_t dot = first.suffix().rfind('.');
    Row* row = &m_others;
    if (first.isLiteral()) {
        m_names.add(first.prefix());
        row = &rowOf(m_byName, first.prefix());
    } else if (first.prefix().size() >= kBeginning) {
        row = &rowOf(m_byBeginning, first.prefix().substr(0, kBeginning));
    } else if (dot != std::string_view::npos) {
        const std::string_view ending = first.suffix().substr(dot + 1);
        m_endings.add(ending);
        row = &rowOf(m_byEnding, ending);
    }
    const auto number = static_cast<std::uint32_t>(m_patterns.size());
    (row->first == kNone ? row->first : m_patterns[row->last].next) = number;
    row->last = number;
    m_patterns.push_back(pattern);
}

NameText RunLaterTable::Index::firstNameOf(const Pattern& pattern) const
{
    const std::string_view spelled = bytesOf(pattern.spelled);
    return NameText(spelled.substr(0, spelled.find('/')));
}

ComponentMatch RunLaterTable::Index::matched(const Pattern& pattern,
                                             std::span<const std::string_view> components) const
{
    std::string_view spelled = bytesOf(pattern.spelled);
    std::vector<NameText> names;
    names.reserve(kUsualNames);
    for (std::size_t end = spelled.find('/'); end != std::string_view::npos; end = spelled.find('/')) {
        names.emplace_back(spelled.substr(0, end));
        spelled.remove_prefix(end + 1);
    }
    names.emplace_back(spelled);
    return matchComponents(names, components);
}

/// Calls visit(pattern) for those of the row whose first component matches this one.
template<typename Visit>
void RunLaterTable::Index::visitRow(const Row& row, std::string_view component, Visit visit) const
{
    for (std::uint32_t number = row.first; number != kNone; number = m_patterns[number].next) {
        if (firstNameOf(m_patterns[number]).matches(component)) {
            visit(m_patterns[number]);
        }
    }
}

/// Calls visit(pattern) for those whose first component matches this one.
template<typename Visit>
void RunLaterTable::Index::visitCandidates(std::string_view component, Visit visit) const
{
    if (m_names.mayHold(component)) {
        visitRow(rowOf(m_byName, component), component, visit);
    }
    if (component.size() >= kBeginning) {
        visitRow(rowOf(m_byBeginning, component.substr(0, kBeginning)), component, visit);
    }
    const std::size_t dot = component.rfind('.');
    if (dot != std::string_view::npos && m_endings.mayHold(component.substr(dot + 1))) {
        visitRow(rowOf(m_byEnding, component.substr(dot + 1)), component, visit);
    }
    visitRow(m_others, component, visit);
}

/// Calls visit(pattern, rest) wherever a pattern may begin; `rest` are the bytes from that component on.
template<typename Visit>
void RunLaterTable::Index::visitBeginnings(std::string_view relative, Visit visit) const
{
    const std::string_view whole = relative;
    bool isFirst = true;
    bool isForDependencies = false;
    while (!relative.empty()) {
        const std::size_t end = std::min(relative.find('/'), relative.size());
        const std::string_view component = relative.substr(0, end);
        if (!component.empty() && component != ".") {
            visitCandidates(component, [&](const Pattern& pattern) {
                if (isForDependencies && !pattern.isEverywhere) {
                    return;
                }
                if (isFirst || !pattern.isRooted
                    || (!m_repositories.empty()
                        && m_repositories.contains(whole.substr(0, whole.size() - relative.size() - 1)))) {
                    visit(pattern, relative);
                }
            });
            if (m_names.mayHold(component) && m_dependencyDirectories.contains(component)) {
                if (!m_hasEverywhere) {
                    return;
                }
                isForDependencies = true;
            }
            isFirst = false;
        }
        relative.remove_prefix(std::min(end + 1, relative.size()));
    }
}

const RunLaterTable::Index::Pattern* RunLaterTable::Index::strictest(std::string_view relative) const
{
    const Pattern* best = nullptr;
    visitBeginnings(relative, [&](const Pattern& pattern, std::string_view rest) {
        const Entry& entry = m_entries[pattern.entry];
        if (best != nullptr && m_entries[best->entry].cls <= entry.cls) {
            return;
        }
        if (matched(pattern, pathComponents(rest)).isWhole && !isException(entry.exceptions, rest)) {
            best = &pattern;
        }
    });
    return best;
}

const RunLaterTable::Index::Pattern* RunLaterTable::Index::inGitdir(std::string_view inside) const
{
    if (m_inGitdirs.empty()) {
        return nullptr;
    }
    const std::vector<std::string_view> components = pathComponents(inside);
    for (std::size_t i = 0; i < components.size(); ++i) {
        const auto found = std::find_if(m_inGitdirs.begin(), m_inGitdirs.end(), [&](const Pattern& pattern) {
            return matched(pattern, std::span(components).subspan(i)).isWhole;
        });
        if (found != m_inGitdirs.end()) {
            return &*found;
        }
    }
    return nullptr;
}

bool RunLaterTable::Index::couldHoldPinned(std::string_view relativeDirectory) const
{
    bool could = false;
    visitBeginnings(relativeDirectory, [&](const Pattern& pattern, std::string_view rest) {
        const Entry& entry = m_entries[pattern.entry];
        could = could
            || (entry.cls == RunLaterClass::Pinned && matched(pattern, pathComponents(rest)).canContinue
                && !isException(entry.exceptions, rest));
    });
    return could;
}

bool RunLaterTable::Index::isDependencyDirectory(std::string_view name) const
{
    return m_dependencyDirectories.contains(name);
}

} // namespace revet::policy
