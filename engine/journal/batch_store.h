// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/domain/event.h"
#include "engine/domain/session_info.h"
#include "engine/journal/bucket.h"
#include "engine/journal/database.h"
#include "engine/journal/hash_chain.h"
#include "engine/journal/interner.h"
#include "engine/journal/rows.h"
#include "engine/journal/watched_file.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace revet::journal {

/// What is written together.
struct Batch
{
    std::vector<Event> events; ///< numbered
    std::vector<ProcessRecord> processes; ///< in order; of one number the last counts
    std::optional<SessionInfo> session; ///< the newest state
    bool sealed = false; ///< the last batch of the journal
};

/// Turns batches into rows, each batch in one transaction with its link of the hash chain. One thread.
class BatchStore
{
public:
    /// Creates the file; nothing is synced, so that a session's start does not wait for the disk.
    [[nodiscard]] static Result<void> createFile(const std::filesystem::path& file);
    /// The first writer of a file that is created.
    [[nodiscard]] static Result<BatchStore> begin(const std::filesystem::path& file,
                                                  const SessionInfo& session);
    /// Goes on with a journal that was closed. One writer at a time: a second one's rows have numbers that
    /// are taken, and fail.
    [[nodiscard]] static Result<BatchStore> reopen(const std::filesystem::path& file,
                                                   const SessionInfo& session);
    [[nodiscard]] std::uint64_t lastEvent() const { return static_cast<std::uint64_t>(m_link.events); }
    /// Makes ready for write(), which otherwise does it: a session's start does not wait for this either.
    [[nodiscard]] Result<void> prepare();
    [[nodiscard]] Result<void> write(const Batch& batch);
    /// Keeps room on the disk for what a full queue needs. A failure: there is no more than was kept before.
    [[nodiscard]] Result<void> keepRoom();
    /// Moves everything into the one file and on the disk.
    [[nodiscard]] Result<void> finish();

private:
    static constexpr std::size_t kMostTextBytes = std::size_t{64} << 20U;
    static constexpr std::size_t kMostCommandBytes = std::size_t{16} << 20U;
    struct Tally
    {
        std::int64_t events = 0;
        std::int64_t occurrences = 0;
        std::int64_t reach = 0;
    };
    struct Statements
    {
        Statement event;
        Statement events; // kRowsTogether at once
        Statement text;
        Statement command;
        Statement process;
        Statement info;
        Statement bucket;
        Statement chain;
    };

    BatchStore(Database database, WallTime sessionStart)
        : m_database(std::move(database))
        , m_sessionStart(sessionStart)
    {
    }
    [[nodiscard]] Result<void> prepareFirst(); // what a batch without events needs
    [[nodiscard]] Result<void> writeRows(const Batch& batch);
    [[nodiscard]] Result<std::int64_t> textNumber(std::string_view bytes);
    [[nodiscard]] Result<void> writeEvent(const Event& event);
    [[nodiscard]] Result<void> writeEventRows();
    [[nodiscard]] Result<void> writeProcess(const ProcessRecord& process);
    [[nodiscard]] Result<void> writeSession(const SessionInfo& session);
    [[nodiscard]] Result<void> writeInfo(std::string_view name, std::string_view value);
    [[nodiscard]] Result<void> writeBuckets();
    [[nodiscard]] Result<void> writeChain();

    Database m_database;
    Statements m_statements; // after the database, so that they go first
    bool m_isPrepared = false;
    std::vector<WatchedFile> m_watched;
    UniqueFd m_log; // the log may be opened and closed: SQLite has no locks on it
    std::uintmax_t m_room = 0; // how far it has blocks, beyond its end
    WallTime m_sessionStart;
    Interner m_texts{kMostTextBytes};
    Interner m_commands{kMostCommandBytes};
    ChainLink m_link; // how far each table reaches
    ChainHash m_hash = {};
    BatchDigest m_digest;
    std::vector<EventRow> m_rows; // not yet inserted
    std::unordered_map<std::int64_t, Tally> m_tallies; // by bucket slot
};

} // namespace revet::journal
