// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/event.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace revet::observe {

/// Events that still take up repeats of themselves, oldest first. One thread.
class FactWindow
{
public:
    /// The one that this fact repeats, if its window is still open; its count is the caller's to raise.
    [[nodiscard]] Event* find(ProcessNumber process, const Fact& fact, SteadyTime now);
    void push(Event event, SteadyTime until);
    /// The oldest one, if its window ended by `now`.
    [[nodiscard]] std::optional<Event> takeDue(SteadyTime now);
    [[nodiscard]] std::optional<Event> takeOldest();
    [[nodiscard]] std::size_t size() const { return m_entries.size(); }

private:
    struct Entry
    {
        Event event;
        SteadyTime until;
        std::size_t hash = 0;
    };
    std::deque<Entry> m_entries;
    std::uint64_t m_taken = 0; ///< how many have left at the front
    /// Hash of what makes facts equal -> running number of the newest such entry. Without the texts: a clash
    /// only costs one coalescing.
    std::unordered_map<std::size_t, std::uint64_t> m_index;
};

} // namespace revet::observe
