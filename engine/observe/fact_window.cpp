// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/observe/fact_window.h"

#include <functional>
#include <string_view>
#include <utility>

namespace revet::observe {
namespace {

/// Of an Event or a Fact: both name what makes them equal alike.
template<typename Record>
[[nodiscard]] std::size_t hashOf(ProcessNumber process, const Record& record)
{
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;
    const auto small = (static_cast<std::size_t>(process.value()) << 16U)
        | (static_cast<std::size_t>(record.kind) << 8U) | static_cast<std::size_t>(record.verdict);
    std::size_t hash = small * kOdd + static_cast<std::size_t>(record.errnoValue);
    for (const std::string_view text :
         {std::string_view(record.target), std::string_view(record.other), std::string_view(record.rule)}) {
        hash = (hash ^ (hash >> 32U)) * kOdd + std::hash<std::string_view>()(text);
    }
    return hash;
}

[[nodiscard]] bool isRepeat(const Event& event, ProcessNumber process, const Fact& fact)
{
    return event.process == process && event.kind == fact.kind && event.verdict == fact.verdict
        && event.errnoValue == fact.errnoValue && event.target == fact.target && event.other == fact.other
        && event.rule == fact.rule;
}

} // namespace

Event* FactWindow::find(ProcessNumber process, const Fact& fact, SteadyTime now)
{
    const auto known = m_index.find(hashOf(process, fact));
    if (known == m_index.end()) {
        return nullptr;
    }
    Entry& entry = m_entries.at(known->second - m_taken);
    return now < entry.until && isRepeat(entry.event, process, fact) ? &entry.event : nullptr;
}

void FactWindow::push(Event event, SteadyTime until)
{
    const std::size_t hash = hashOf(event.process, event);
    m_index[hash] = m_taken + m_entries.size();
    m_entries.push_back({std::move(event), until, hash});
}

std::optional<Event> FactWindow::takeDue(SteadyTime now)
{
    return !m_entries.empty() && m_entries.front().until <= now ? takeOldest() : std::nullopt;
}

std::optional<Event> FactWindow::takeOldest()
{
    if (m_entries.empty()) {
        return std::nullopt;
    }
    Entry& oldest = m_entries.front();
    const auto indexed = m_index.find(oldest.hash);
    if (indexed != m_index.end() && indexed->second == m_taken) {
        m_index.erase(indexed);
    }
    std::optional<Event> event(std::move(oldest.event));
    m_entries.pop_front();
    ++m_taken;
    return event;
}

} // namespace revet::observe
