// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/event.h"
#include "engine/domain/session_info.h"
#include "engine/journal/batch_store.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace revet::journal {

/// Rows on their way to the writer's thread. Bounded in rows and bytes: who adds to a full queue waits. Every
/// function is for any thread, but take(), done() and fail() are the writer's.
class BatchQueue
{
public:
    void add(Event event);
    void add(const ProcessRecord& process);
    void add(const SessionInfo& session);
    /// Has all that was added so far written at once, and does not wait for it.
    void hurry();
    /// Waits until all that was added so far is written. False after a failure.
    [[nodiscard]] bool flush();
    /// Nothing more is taken in; take() gives what is left, sealed.
    void close();

    /// Waits for the next batch, due 50 ms after its first row, or at 4096 rows, or at once when somebody
    /// flushes. False after the last one. Takes the old batch's storage back for reuse.
    [[nodiscard]] bool take(Batch& batch);
    void done(); ///< the batch that take() gave is committed
    void fail(); ///< wakes everybody; rows are ignored from now on
    [[nodiscard]] bool takesRows() const { return m_takesRows.load(std::memory_order_acquire); }

    [[nodiscard]] std::uint64_t eventCount() const { return m_events.load(std::memory_order_relaxed); }
    /// Of what the box did or tried; the session's own notes are left out.
    [[nodiscard]] std::uint64_t eventCount(Verdict verdict) const
    {
        return m_verdicts.at(static_cast<std::size_t>(verdict)).load(std::memory_order_relaxed);
    }
    [[nodiscard]] Reach farthestReach() const { return m_reach.load(std::memory_order_relaxed); }

private:
    [[nodiscard]] bool waitForRoom(std::unique_lock<std::mutex>& lock);
    void added(std::unique_lock<std::mutex>& lock, std::size_t bytes);

    std::mutex m_mutex;
    std::condition_variable m_work; // for the writer
    std::condition_variable m_room; // for who adds
    std::condition_variable m_progress; // for who flushes
    Batch m_pending;
    std::size_t m_rows = 0;
    std::size_t m_bytes = 0;
    std::uint64_t m_added = 0; // rows ever
    std::uint64_t m_taken = 0;
    std::uint64_t m_written = 0;
    std::uint64_t m_wanted = 0; // a flush waits for this many
    bool m_closed = false;
    bool m_sealed = false;
    bool m_failed = false;
    std::atomic<bool> m_takesRows{true}; // not after close() and fail()
    std::atomic<std::uint64_t> m_events{0};
    std::array<std::atomic<std::uint64_t>, kVerdictCount> m_verdicts{};
    std::atomic<Reach> m_reach{Reach::None};
};

} // namespace revet::journal
