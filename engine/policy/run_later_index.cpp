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
    m_dependencyDirectories.insert(name);
    m_names.add(name);
}

void RunLaterTable::Index::add(Entry entry, std::vector<Pattern> patterns)
{
    for (Pattern& pattern : patterns) {
        pattern.entry = static_cast<std::uint32_t>(m_entries.size());
        add(std::move(pattern));
    }
    m_entries.push_back(std::move(entry));
}

void RunLaterTable::Index::add(Pattern pattern)
{
    m_hasEverywhere = m_hasEverywhere || pattern.isEverywhere;
    const NamePattern& first = pattern.names.front();
    const std::size_t dot = first.suffix().rfind('.');
    Row* row = &m_others;
    if (first.isLiteral()) {
        m_names.add(first.prefix());
        row = &m_byName[first.prefix()];
    } else if (first.prefix().size() >= 2) {
        row = &m_byBeginning[beginningOf(first.prefix())];
    } else if (dot != std::string::npos) {
        const std::string ending = first.suffix().substr(dot + 1);
        m_endings.add(ending);
        row = &m_byEnding[ending];
    }
    const auto number = static_cast<std::uint32_t>(m_patterns.size());
    (row->first == kNone ? row->first : m_patterns[row->last].next) = number;
    row->last = number;
    m_patterns.push_back(std::move(pattern));
}

template<typename Visit>
void RunLaterTable::Index::visitRow(const Row& row, Visit visit) const
{
    for (std::uint32_t number = row.first; number != kNone; number = m_patterns[number].next) {
        visit(m_patterns[number]);
    }
}

/// Calls visit(pattern) for those whose first component may match this one.
template<typename Visit>
void RunLaterTable::Index::visitCandidates(std::string_view component, Visit visit) const
{
    if (m_names.mayHold(component)) {
        if (const auto found = m_byName.find(component); found != m_byName.end()) {
            visitRow(found->second, visit);
        }
    }
    if (component.size() >= 2) {
        visitRow(m_byBeginning[beginningOf(component)], [&](const Pattern& pattern) {
            if (component.starts_with(pattern.names.front().prefix())) {
                visit(pattern);
            }
        });
    }
    const std::size_t dot = component.rfind('.');
    if (dot != std::string_view::npos && m_endings.mayHold(component.substr(dot + 1))) {
        if (const auto found = m_byEnding.find(component.substr(dot + 1)); found != m_byEnding.end()) {
            visitRow(found->second, visit);
        }
    }
    visitRow(m_others, visit);
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
        // Most candidates share only a first letter or an ending: that costs no cutting up.
        if (!pattern.names.front().matches(rest.substr(0, rest.find('/')))) {
            return;
        }
        if (matchComponents(pattern.names, pathComponents(rest)).isWhole
            && !isException(entry.exceptions, rest)) {
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
            return matchComponents(pattern.names, std::span(components).subspan(i)).isWhole;
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
            || (entry.cls == RunLaterClass::Pinned
                && matchComponents(pattern.names, pathComponents(rest)).canContinue
                && !isException(entry.exceptions, rest));
    });
    return could;
}

bool RunLaterTable::Index::isDependencyDirectory(std::string_view name) const
{
    return m_dependencyDirectories.contains(name);
}

} // namespace revet::policy
