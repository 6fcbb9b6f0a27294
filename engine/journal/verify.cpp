// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/verify.h"

#include "engine/journal/bucket.h"
#include "engine/journal/database.h"
#include "engine/journal/rows.h"
#include "engine/journal/schema.h"
#include "engine/journal/session_rows.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>

namespace revet::journal {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

tl::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::Malformed, std::move(what));
}

struct Tally
{
    std::int64_t events = 0;
    std::int64_t occurrences = 0;
    std::int64_t reach = 0;
    friend bool operator==(const Tally&, const Tally&) = default;
};

class Verifier
{
public:
    explicit Verifier(Database& database)
        : m_database(&database)
    {
    }

    Result<void> run(VerifyReport& report)
    {
        REVET_RETURN_IF_ERROR(checkDefinitions(*m_database, journalSchema()));
        REVET_RETURN_IF_ERROR(prepare());
        REVET_RETURN_IF_ERROR(checkChain(report));
        report.badBatch = 0;
        report.firstBadEvent = 0;
        report.lastBadEvent = 0;
        report.isSealed = m_sealed;
        REVET_RETURN_IF_ERROR(checkNothingBehind());
        REVET_RETURN_IF_ERROR(checkBuckets());
        return checkPages();
    }

private:
    Result<void> prepare()
    {
        const std::string event = std::string("SELECT ") + EventRow::kColumns + " FROM event";
        const std::string process = std::string("SELECT ") + ProcessRow::kColumns + " FROM process";
        // Each in the order of its key, whole: the ends of the batches tell the rows apart.
        const std::array<std::pair<Statement*, std::string>, 6> wanted
            = {{{&m_chain,
                 "SELECT batch, events, texts, commands, processes, infos, hash FROM chain"
                 " ORDER BY batch"},
                {&m_events, event + " ORDER BY seq"},
                {&m_texts, "SELECT id, bytes FROM text ORDER BY id"},
                {&m_commands, "SELECT id, arguments FROM command ORDER BY id"},
                {&m_processes, process + " ORDER BY id"},
                {&m_infos, "SELECT id, name, value FROM info ORDER BY id"}}};
        for (const auto& [statement, sql] : wanted) {
            REVET_ASSIGN_OR_RETURN(*statement, m_database->prepare(sql));
        }
        return {};
    }

    Result<void> checkChain(VerifyReport& report)
    {
        ChainLink before;
        while (true) {
            report.badBatch = static_cast<std::uint64_t>(before.batch) + 1;
            report.firstBadEvent = 0;
            report.lastBadEvent = 0;
            REVET_ASSIGN_OR_RETURN(const bool row, m_chain.next());
            if (!row) {
                return before.batch == 0 ? Result<void>(bad("the hash chain is missing")) : Result<void>();
            }
            RowCursor cursor(m_chain);
            ChainLink link;
            link.batch = cursor.integer(before.batch + 1, before.batch + 1);
            link.events = cursor.integer(before.events, kMost);
            link.texts = cursor.integer(before.texts, kMost);
            link.commands = cursor.integer(before.commands, kMost);
            link.processes = cursor.integer(before.processes, kMost);
            link.infos = cursor.integer(before.infos, kMost);
            const std::string stored = cursor.bytes();
            if (!cursor.isValid()) {
                return bad("a link of the hash chain is damaged or missing");
            }
            if (link.events > before.events) {
                report.firstBadEvent = static_cast<std::uint64_t>(before.events) + 1;
                report.lastBadEvent = static_cast<std::uint64_t>(link.events);
            }
            REVET_RETURN_IF_ERROR(digestRows(before, link));
            const ChainHash computed = m_digest.finish(report.head, link);
            if (asBytes(computed) != stored) {
                return bad("the rows do not match their hash");
            }
            report.head = computed;
            report.batches += 1;
            report.events = static_cast<std::uint64_t>(link.events);
            before = link;
        }
    }

    Result<void> digestRows(const ChainLink& before, const ChainLink& link)
    {
        for (std::int64_t id = before.texts + 1; id <= link.texts; ++id) {
            REVET_ASSIGN_OR_RETURN(const std::string bytes, bytesRow(m_texts, id, "text"));
            m_digest.text(id, bytes);
        }
        for (std::int64_t id = before.commands + 1; id <= link.commands; ++id) {
            REVET_ASSIGN_OR_RETURN(const std::string bytes, bytesRow(m_commands, id, "command"));
            m_digest.command(id, bytes);
        }
        for (std::int64_t id = before.infos + 1; id <= link.infos; ++id) {
            REVET_ASSIGN_OR_RETURN(const std::string name, bytesRow(m_infos, id, "info"));
            if (!m_infos.isBytes(2)) {
                return bad("a row of the table info is damaged");
            }
            m_digest.info(id, name, m_infos.bytes(2));
            m_sealed = m_sealed || name == kSealedName;
        }
        for (std::int64_t id = before.processes + 1; id <= link.processes; ++id) {
            REVET_RETURN_IF_ERROR(expectRow(m_processes, id, "process"));
            REVET_ASSIGN_OR_RETURN(const ProcessRow row, readProcessRow(m_processes));
            m_digest.process(row);
        }
        for (std::int64_t seq = before.events + 1; seq <= link.events; ++seq) {
            REVET_RETURN_IF_ERROR(expectRow(m_events, seq, "event"));
            REVET_ASSIGN_OR_RETURN(const EventRow row, readEventRow(m_events));
            m_digest.event(row);
            Tally& tally = m_tallies[bucketSlot(row.time, row.kind, row.verdict)];
            tally.events += 1;
            tally.occurrences += row.count;
            tally.reach = std::max(tally.reach, row.reach);
        }
        return {};
    }

    static Result<void> expectRow(Statement& rows, std::int64_t id, const char* table)
    {
        REVET_ASSIGN_OR_RETURN(const bool row, rows.next());
        if (!row || !rows.isInteger(0) || rows.integer(0) != id) {
            return bad(std::string("row ") + std::to_string(id) + " of the table " + table + " is missing");
        }
        return {};
    }

    static Result<std::string> bytesRow(Statement& rows, std::int64_t id, const char* table)
    {
        REVET_RETURN_IF_ERROR(expectRow(rows, id, table));
        if (!rows.isBytes(1)) {
            return bad(std::string("a row of the table ") + table + " is damaged");
        }
        return std::string(rows.bytes(1));
    }

    Result<void> checkNothingBehind()
    {
        for (Statement* rows : {&m_events, &m_texts, &m_commands, &m_processes, &m_infos}) {
            REVET_ASSIGN_OR_RETURN(const bool row, rows->next());
            if (row) {
                return bad("there are rows that no batch wrote");
            }
        }
        return {};
    }

    Result<void> checkBuckets()
    {
        REVET_ASSIGN_OR_RETURN(
            Statement buckets,
            m_database->prepare("SELECT slot, events, occurrences, reach FROM bucket ORDER BY slot"));
        std::map<std::int64_t, Tally> stored;
        while (true) {
            REVET_ASSIGN_OR_RETURN(const bool row, buckets.next());
            if (!row) {
                break;
            }
            RowCursor cursor(buckets);
            const std::int64_t slot = cursor.integer();
            Tally tally;
            tally.events = cursor.integer();
            tally.occurrences = cursor.integer();
            tally.reach = cursor.integer();
            if (!cursor.isValid()) {
                return bad("a row of the table bucket is damaged");
            }
            stored[slot] = tally;
        }
        if (stored != m_tallies) {
            return bad("the timeline's counts do not match the events");
        }
        return {};
    }

    Result<void> checkPages()
    {
        REVET_ASSIGN_OR_RETURN(Statement check,
                               m_database->prepare("SELECT CAST(integrity_check AS BLOB)"
                                                   " FROM pragma_integrity_check(1)"));
        REVET_ASSIGN_OR_RETURN(const bool row, check.next());
        if (!row || check.bytes(0) != "ok") {
            return bad("SQLite finds damage: " + std::string(check.bytes(0)));
        }
        return {};
    }

    Database* m_database;
    Statement m_chain;
    Statement m_events;
    Statement m_texts;
    Statement m_commands;
    Statement m_processes;
    Statement m_infos;
    BatchDigest m_digest;
    std::map<std::int64_t, Tally> m_tallies;
    bool m_sealed = false;
};

} // namespace

Result<VerifyReport> verify(const std::filesystem::path& file)
{
    REVET_ASSIGN_OR_RETURN(Database database, Database::open(file, Database::Access::ReadOnly));
    REVET_RETURN_IF_ERROR(checkVersion(database, journalSchema()));
    REVET_ASSIGN_OR_RETURN(const ReadSnapshot snapshot, ReadSnapshot::begin(database));
    VerifyReport report;
    Verifier verifier(database);
    if (const Result<void> result = verifier.run(report); !result) {
        const Error& error = result.error();
        if (error.code != ErrorCode::Malformed) {
            return fail(error);
        }
        report.problem = error.context.empty() ? error.operation : error.operation + ": " + error.context;
        return report;
    }
    report.isIntact = true;
    return report;
}

} // namespace revet::journal
