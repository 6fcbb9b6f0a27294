// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/domain/event.h"
#include "engine/domain/session_info.h"
#include "engine/journal/bucket.h"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace revet::journal {

/// Which events are wanted; an empty part means all.
struct EventFilter
{
    std::vector<ActionKind> kinds;
    std::vector<Verdict> verdicts;
    std::string path; ///< a PathGlob over target and other
    std::optional<WallTime> since;
    std::optional<ProcessNumber> process;
};

/// What became of one path over the whole session. Counts are occurrences, repeats included.
struct FileSummary
{
    std::string path;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0; ///< changes of mode, owner, times included
    std::uint64_t created = 0; ///< renamed or linked to this name included
    std::uint64_t deleted = 0; ///< renamed to another name included
    std::uint64_t refused = 0; ///< withheld, denied, failed, or asked and not answered
    Verdict lastVerdict = Verdict::Permitted;
    Reach reach = Reach::None; ///< the farthest
    EventSeq last; ///< the newest event of the path
    /// An effect on it stayed: it was not on a device or a pipe, and it was not made and removed again.
    bool isChanged = false;
};

/// What became of one destination: a host and port, a name, a local socket.
struct DestinationSummary
{
    ActionKind kind = ActionKind::Connect;
    std::string target;
    std::uint64_t permitted = 0;
    std::uint64_t refused = 0;
    Verdict lastVerdict = Verdict::Permitted;
    Reach reach = Reach::None;
    EventSeq last;
};

/// Reads one journal, while it is written and afterwards, and never makes the writer wait. One thread. Every
/// call sees the newest committed state; a damaged row is an error, not a guess.
class JournalReader
{
public:
    [[nodiscard]] static Result<JournalReader> open(const std::filesystem::path& file);
    ~JournalReader();
    JournalReader(JournalReader&&) noexcept;
    JournalReader& operator=(JournalReader&&) noexcept;
    JournalReader(const JournalReader&) = delete;
    JournalReader& operator=(const JournalReader&) = delete;

    /// The session as its newest record has it; pid, reach, counts are not part of that record.
    [[nodiscard]] Result<SessionInfo> session();
    /// Whether the writer closed the journal; false while it runs and after it was killed.
    [[nodiscard]] Result<bool> isSealed();
    [[nodiscard]] Result<EventSeq> lastEvent();
    /// At most `limit` events behind `after` (none: from the start), oldest first.
    [[nodiscard]] Result<std::vector<Event>> eventsAfter(EventSeq after, std::size_t limit,
                                                         const EventFilter& filter = {});
    /// The `limit` events next before `before` (none: from the end), oldest first.
    [[nodiscard]] Result<std::vector<Event>> eventsBefore(EventSeq before, std::size_t limit,
                                                          const EventFilter& filter = {});
    /// All processes by number, each in its newest state.
    [[nodiscard]] Result<std::vector<ProcessRecord>> processes();
    [[nodiscard]] Result<std::optional<ProcessRecord>> process(ProcessNumber number);

    [[nodiscard]] Result<std::vector<Bucket>> buckets(); ///< by time
    [[nodiscard]] Result<Reach> farthestReach();
    /// Occurrences, by Verdict as index.
    [[nodiscard]] Result<std::array<std::uint64_t, kVerdictCount>> countsByVerdict();
    [[nodiscard]] Result<std::vector<FileSummary>> files(); ///< by path
    [[nodiscard]] Result<std::vector<DestinationSummary>> destinations(); ///< by kind and target

private:
    class Private;
    explicit JournalReader(std::unique_ptr<Private> priv);
    std::unique_ptr<Private> d;
};

} // namespace revet::journal
