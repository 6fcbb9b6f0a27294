// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/domain/event.h"
#include "engine/domain/session_info.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace revet::journal {

/// That much room on the disk is kept ahead.
inline constexpr std::uintmax_t kJournalRoom = std::uintmax_t{16} << 20U;

/// The only writer of one session's journal.db. Rows are queued, numbered in order and written by its own
/// thread in batches (50 ms or 4096 rows). The queue is bounded: a full queue makes append() wait, so nothing
/// is lost. Room on the disk for a full queue is kept ahead. When there is none, or a batch cannot be written
/// the failure callback is called once, on the writer's thread; the owner must then stop the box, since an
/// unrecorded box must not run.
class JournalWriter
{
public:
    using Failure = std::function<void(const Error&)>;
    /// Called on the writer's thread for every batch: the events up to this one can be read.
    using Committed = std::function<void(EventSeq last)>;

    /// Creates the file and its tables (mode 0600) or fails; never waits for the disk. Times are kept
    /// relative to session.started.
    [[nodiscard]] static Result<std::unique_ptr<JournalWriter>> create(const std::filesystem::path& file,
                                                                       const SessionInfo& session,
                                                                       Failure failure,
                                                                       Committed committed = {});
    /// The same, but no row is written, and the queue not emptied, before the first hurry(), flush() or
    /// close() starts the thread. What fails then is told by `failure`.
    [[nodiscard]] static Result<std::unique_ptr<JournalWriter>> createIdle(const std::filesystem::path& file,
                                                                           const SessionInfo& session,
                                                                           Failure failure,
                                                                           Committed committed = {});
    ~JournalWriter();
    JournalWriter(const JournalWriter&) = delete;
    JournalWriter& operator=(const JournalWriter&) = delete;
    JournalWriter(JournalWriter&&) = delete;
    JournalWriter& operator=(JournalWriter&&) = delete;

    void append(Event event); ///< any thread; ignored after a failure and after close()
    [[nodiscard]] bool takesRows() const; ///< false once append() ignores what it is given; any thread
    void update(const ProcessRecord& process); ///< any thread; insert or change
    void update(const SessionInfo& session); ///< any thread; the session's own record: its state, its end
    /// Begins what flush() waits for. Any thread.
    void hurry();
    /// Waits until everything appended so far is committed (not necessarily on the disk). False after a
    /// failure. Any thread but the writer's own.
    [[nodiscard]] bool flush();
    /// Commits, marks the journal as complete, checkpoints (which waits for the disk) and closes; the
    /// session's end. Idempotent; not from the failure callback.
    [[nodiscard]] Result<void> close();
    [[nodiscard]] std::uint64_t eventCount() const; ///< appended so far; any thread
    /// The same of one verdict, without the session's own notes (a hidden file, say, that nothing asked for).
    [[nodiscard]] std::uint64_t eventCount(Verdict verdict) const;
    [[nodiscard]] Reach farthestReach() const; ///< any thread

private:
    class Private;
    explicit JournalWriter(std::unique_ptr<Private> priv);
    std::unique_ptr<Private> d;
};

} // namespace revet::journal
