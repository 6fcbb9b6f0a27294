// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/batch_store.h"

#include "engine/journal/empty_journal.h"
#include "engine/journal/journal_writer.h"
#include "engine/journal/schema.h"
#include "engine/journal/session_rows.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>

#include <fcntl.h>

namespace revet::journal {

namespace {

// One execution for several rows saves a third of the time of an insertion.
constexpr std::size_t kRowsTogether = 16;

// A full queue of creations with long paths takes some 10 MiB of log.
constexpr std::uintmax_t kLeastRoom = std::uintmax_t{12} << 20U;

// OR ROLLBACK spares the copies that SQLite would keep to undo half of a statement.
std::string insertEvents(std::size_t rows)
{
    std::string sql = std::string("INSERT OR ROLLBACK INTO event (") + EventRow::kColumns + ") VALUES ";
    for (std::size_t i = 0; i < rows; ++i) {
        sql += i == 0 ? "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" : ", (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    }
    return sql;
}

} // namespace

Result<void> BatchStore::createFile(const std::filesystem::path& file)
{
    return Database::createFile(file, emptyJournal());
}

Result<BatchStore> BatchStore::begin(const std::filesystem::path& file, const SessionInfo& session)
{
    REVET_ASSIGN_OR_RETURN(Database database, Database::open(file, Database::Access::New));
    BatchStore store(std::move(database), session.started);
    REVET_RETURN_IF_ERROR(store.prepareFirst());
    REVET_RETURN_IF_ERROR(store.m_database.useWal());
    Batch first;
    first.session = session;
    REVET_RETURN_IF_ERROR(
        inTransaction(store.m_database, [&store, &first] { return store.writeRows(first); }));
    REVET_RETURN_IF_ERROR(store.m_database.syncLog());
    REVET_ASSIGN_OR_RETURN(WatchedFile watched, WatchedFile::open(file));
    REVET_ASSIGN_OR_RETURN(WatchedFile log, WatchedFile::open(file.string() + "-wal"));
    store.m_log.reset(::open((file.string() + "-wal").c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!store.m_log) {
        return failErrno("open " + file.string() + "-wal");
    }
    store.m_watched.push_back(std::move(watched));
    store.m_watched.push_back(std::move(log));
    return store;
}

Result<BatchStore> BatchStore::reopen(const std::filesystem::path& file, const SessionInfo& session)
{
    if (!std::filesystem::exists(file)) {
        return fail(ErrorCode::NotFound, "open " + file.string());
    }
    REVET_ASSIGN_OR_RETURN(Database database, Database::open(file, Database::Access::CreateOrOpen));
    BatchStore store(std::move(database), session.started);
    REVET_RETURN_IF_ERROR(migrate(store.m_database, journalSchema()));
    REVET_ASSIGN_OR_RETURN(Statement last, store.m_database.prepare(R"sql(
        SELECT batch, events, texts, commands, processes, infos, hash FROM chain ORDER BY batch DESC LIMIT 1)sql"));
    REVET_ASSIGN_OR_RETURN(const bool isThere, last.next());
    RowCursor cursor(last);
    for (std::int64_t* const value : {&store.m_link.batch, &store.m_link.events, &store.m_link.texts,
                                      &store.m_link.commands, &store.m_link.processes, &store.m_link.infos}) {
        *value = isThere ? cursor.integer(0, std::numeric_limits<std::int64_t>::max()) : 0;
    }
    const std::string hash = isThere ? cursor.bytes() : std::string();
    if (!isThere || !cursor.isValid() || hash.size() != store.m_hash.size()) {
        return fail(ErrorCode::Malformed, "read " + file.string());
    }
    std::ranges::copy(hash, reinterpret_cast<char*>(store.m_hash.data())); // NOLINT(*-reinterpret-cast)
    store.m_texts = Interner(kMostTextBytes, store.m_link.texts);
    store.m_commands = Interner(kMostCommandBytes, store.m_link.commands);
    last.rewind();
    REVET_RETURN_IF_ERROR(store.prepareFirst());
    REVET_RETURN_IF_ERROR(store.m_database.useWal());
    return store;
}

Result<void> BatchStore::prepareFirst()
{
    REVET_ASSIGN_OR_RETURN(m_statements.info,
                           m_database.prepare("INSERT INTO info (id, name, value) VALUES (?, ?, ?)"));
    REVET_ASSIGN_OR_RETURN(m_statements.chain, m_database.prepare(R"sql(
        INSERT INTO chain (batch, events, texts, commands, processes, infos, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?))sql"));
    return {};
}

Result<void> BatchStore::prepare()
{
    if (m_isPrepared) {
        return {};
    }
    const auto insert = [this](Statement& statement, const std::string& sql) -> Result<void> {
        REVET_ASSIGN_OR_RETURN(statement, m_database.prepare(sql));
        return {};
    };
    REVET_RETURN_IF_ERROR(insert(m_statements.event, insertEvents(1)));
    REVET_RETURN_IF_ERROR(insert(m_statements.text, "INSERT INTO text (id, bytes) VALUES (?, ?)"));
    REVET_RETURN_IF_ERROR(insert(m_statements.command, "INSERT INTO command (id, arguments) VALUES (?, ?)"));
    REVET_RETURN_IF_ERROR(insert(m_statements.process,
                                 std::string("INSERT INTO process (") + ProcessRow::kColumns
                                     + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    REVET_RETURN_IF_ERROR(insert(m_statements.bucket, R"sql(
        INSERT INTO bucket (slot, events, occurrences, reach) VALUES (?, ?, ?, ?)
        ON CONFLICT (slot) DO UPDATE SET events = events + excluded.events,
            occurrences = occurrences + excluded.occurrences, reach = max(reach, excluded.reach))sql"));
    REVET_RETURN_IF_ERROR(insert(m_statements.events, insertEvents(kRowsTogether)));
    m_isPrepared = true;
    return {};
}

Result<void> BatchStore::write(const Batch& batch)
{
    REVET_RETURN_IF_ERROR(prepare());
    REVET_RETURN_IF_ERROR(inTransaction(m_database, [&] { return writeRows(batch); }));
    for (const WatchedFile& file : m_watched) {
        REVET_RETURN_IF_ERROR(file.check());
    }
    return {};
}

Result<void> BatchStore::keepRoom()
{
    const std::uintmax_t size = m_database.logBytes();
    if (m_room >= size + kLeastRoom) {
        return {};
    }
    // Behind the end of the file: a reader sees nothing of it, and the log's end gives it back.
    while (::fallocate(m_log.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(size), kJournalRoom) != 0) {
        if (errno == ENOSPC || errno == EDQUOT) {
            const auto failure = failErrno("keep room for " + m_database.file().string());
            m_database.stopCheckpoints(); // they would want room elsewhere
            return failure;
        }
        if (errno != EINTR) {
            break; // a file system that cannot keep any
        }
    }
    m_room = size + kJournalRoom;
    return {};
}

Result<void> BatchStore::finish()
{
    return m_database.checkpoint();
}

Result<void> BatchStore::writeRows(const Batch& batch)
{
    if (batch.session) {
        REVET_RETURN_IF_ERROR(writeSession(*batch.session));
    }
    for (const ProcessRecord& process : batch.processes) {
        REVET_RETURN_IF_ERROR(writeProcess(process));
    }
    for (const Event& event : batch.events) {
        REVET_RETURN_IF_ERROR(writeEvent(event));
    }
    REVET_RETURN_IF_ERROR(writeEventRows());
    if (batch.sealed) {
        REVET_RETURN_IF_ERROR(writeInfo(kSealedName, "1"));
    }
    REVET_RETURN_IF_ERROR(writeBuckets());
    return writeChain();
}

Result<std::int64_t> BatchStore::textNumber(std::string_view bytes)
{
    const Interner::Number number = m_texts.numberOf(bytes);
    if (number.isNew) {
        REVET_RETURN_IF_ERROR(m_statements.text.bind(number.id).bind(bytes).run());
        m_digest.text(number.id, bytes);
        m_link.texts = number.id;
    }
    return number.id;
}

Result<void> BatchStore::writeEvent(const Event& event)
{
    EventRow row = toRow(event, m_sessionStart);
    REVET_ASSIGN_OR_RETURN(row.target, textNumber(event.target));
    REVET_ASSIGN_OR_RETURN(row.other, textNumber(event.other));
    REVET_ASSIGN_OR_RETURN(row.rule, textNumber(event.rule));
    m_digest.event(row);
    m_link.events = row.seq;
    m_rows.push_back(row);
    Tally& tally = m_tallies[bucketSlot(row.time, row.kind, row.verdict)];
    tally.events += 1;
    tally.occurrences += row.count;
    tally.reach = std::max(tally.reach, row.reach);
    return m_rows.size() == kRowsTogether ? writeEventRows() : Result<void>();
}

Result<void> BatchStore::writeEventRows()
{
    const auto bindRow = [](Statement& statement, const EventRow& row) {
        for (const std::int64_t value : row.values()) {
            statement.bind(value);
        }
    };
    if (m_rows.size() == kRowsTogether) {
        for (const EventRow& row : m_rows) {
            bindRow(m_statements.events, row);
        }
        m_rows.clear();
        return m_statements.events.run();
    }
    for (const EventRow& row : m_rows) {
        bindRow(m_statements.event, row);
        REVET_RETURN_IF_ERROR(m_statements.event.run());
    }
    m_rows.clear();
    return {};
}

Result<void> BatchStore::writeProcess(const ProcessRecord& process)
{
    ProcessRow row = toRow(process, m_sessionStart);
    row.id = m_link.processes + 1;
    REVET_ASSIGN_OR_RETURN(row.exe, textNumber(process.exe));
    REVET_ASSIGN_OR_RETURN(row.cwd, textNumber(process.cwd));
    const std::string arguments = packArguments(process.argv);
    const Interner::Number command = m_commands.numberOf(arguments);
    if (command.isNew) {
        REVET_RETURN_IF_ERROR(m_statements.command.bind(command.id).bind(arguments).run());
        m_digest.command(command.id, arguments);
        m_link.commands = command.id;
    }
    row.command = command.id;
    for (const std::int64_t value : row.values()) {
        m_statements.process.bind(value);
    }
    REVET_RETURN_IF_ERROR(m_statements.process.run());
    m_digest.process(row);
    m_link.processes = row.id;
    return {};
}

Result<void> BatchStore::writeSession(const SessionInfo& session)
{
    for (const auto& [name, value] : sessionToInfo(session)) {
        REVET_RETURN_IF_ERROR(writeInfo(name, value));
    }
    return {};
}

Result<void> BatchStore::writeInfo(std::string_view name, std::string_view value)
{
    m_link.infos += 1;
    REVET_RETURN_IF_ERROR(m_statements.info.bind(m_link.infos).bind(name).bind(value).run());
    m_digest.info(m_link.infos, name, value);
    return {};
}

Result<void> BatchStore::writeBuckets()
{
    for (const auto& [slot, tally] : m_tallies) {
        REVET_RETURN_IF_ERROR(m_statements.bucket.bind(slot)
                                  .bind(tally.events)
                                  .bind(tally.occurrences)
                                  .bind(tally.reach)
                                  .run());
    }
    m_tallies.clear();
    return {};
}

Result<void> BatchStore::writeChain()
{
    m_link.batch += 1;
    m_hash = m_digest.finish(m_hash, m_link);
    for (const std::int64_t value : m_link.values()) {
        m_statements.chain.bind(value);
    }
    return m_statements.chain.bind(asBytes(m_hash)).run();
}

} // namespace revet::journal
