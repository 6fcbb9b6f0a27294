// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/ask.h"
#include "engine/domain/event.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace revet::session {

/// Who the processes of the box are, for as long as somebody may ask: the living ones, and the last of those
/// that have ended. Thread-safe.
class ProcessBook
{
public:
    void note(const ProcessRecord& process);

    struct Story
    {
        std::vector<AskProcess>
            chain; ///< from the session's first process; each with the program it runs now
        std::string cwd; ///< of the last
    };
    /// As far as it is known.
    [[nodiscard]] Story storyOf(ProcessNumber process) const;

private:
    mutable std::mutex m_mutex;
    std::unordered_map<std::uint32_t, ProcessRecord> m_records;
    std::deque<std::uint32_t> m_ended; ///< oldest first
};

} // namespace revet::session
