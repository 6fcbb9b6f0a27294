// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/journal_reader.h"

#include "engine/journal/database.h"
#include "engine/journal/event_query.h"
#include "engine/journal/rows.h"
#include "engine/journal/schema.h"
#include "engine/journal/session_rows.h"
#include "engine/journal/summaries.h"
#include "engine/journal/text_table.h"

#include <algorithm>
#include <limits>
#include <map>

namespace revet::journal {

class JournalReader::Private
{
public:
    static Result<std::unique_ptr<Private>> open(const std::filesystem::path& file)
    {
        auto self = std::make_unique<Private>();
        REVET_ASSIGN_OR_RETURN(Database database, Database::open(file, Database::Access::ReadOnly));
        self->m_database.emplace(std::move(database));
        REVET_RETURN_IF_ERROR(checkVersion(self->database(), journalSchema()));
        REVET_ASSIGN_OR_RETURN(TextTable texts, TextTable::open(self->database()));
        self->m_texts.emplace(std::move(texts));
        self->m_statements.emplace(self->database());
        REVET_ASSIGN_OR_RETURN(const SessionInfo session, self->session());
        self->m_sessionStart = session.started;
        return self;
    }

    Database& database() { return *m_database; }
    TextTable& texts() { return *m_texts; }
    [[nodiscard]] WallTime sessionStart() const { return m_sessionStart; }

    Result<std::map<std::string, std::string>> info()
    {
        REVET_ASSIGN_OR_RETURN(Statement statement,
                               database().prepare("SELECT name, value FROM info ORDER BY id"));
        std::map<std::string, std::string> info;
        while (true) {
            REVET_ASSIGN_OR_RETURN(const bool row, statement.next());
            if (!row) {
                return info;
            }
            info.insert_or_assign(std::string(statement.bytes(0)), std::string(statement.bytes(1)));
        }
    }

    Result<SessionInfo> session()
    {
        REVET_ASSIGN_OR_RETURN(const auto entries, info());
        return sessionFromInfo(entries);
    }

    Result<std::vector<Event>> events(Direction direction, std::int64_t from, std::size_t limit,
                                      const EventFilter& filter)
    {
        REVET_ASSIGN_OR_RETURN(const ReadSnapshot snapshot, ReadSnapshot::begin(database()));
        REVET_ASSIGN_OR_RETURN(
            const std::vector<EventRow> rows,
            queryEvents(*m_statements, texts(), m_sessionStart, filter, PageRequest{direction, from, limit}));
        std::vector<Event> events;
        events.reserve(rows.size());
        for (const EventRow& row : rows) {
            Event event = fromRow(row, m_sessionStart);
            REVET_ASSIGN_OR_RETURN(event.target, texts().text(row.target));
            REVET_ASSIGN_OR_RETURN(event.other, texts().text(row.other));
            REVET_ASSIGN_OR_RETURN(event.rule, texts().text(row.rule));
            events.push_back(std::move(event));
        }
        if (direction == Direction::Backward) {
            std::reverse(events.begin(), events.end());
        }
        return events;
    }

    Result<std::vector<ProcessRecord>> processes(Statement& statement)
    {
        std::vector<ProcessRecord> processes;
        while (true) {
            REVET_ASSIGN_OR_RETURN(const bool found, statement.next());
            if (!found) {
                return processes;
            }
            REVET_ASSIGN_OR_RETURN(const ProcessRow row, readProcessRow(statement));
            ProcessRecord process = fromRow(row, m_sessionStart);
            REVET_ASSIGN_OR_RETURN(process.exe, texts().text(row.exe));
            REVET_ASSIGN_OR_RETURN(process.cwd, texts().text(row.cwd));
            REVET_ASSIGN_OR_RETURN(process.argv, texts().arguments(row.command));
            processes.push_back(std::move(process));
        }
    }

private:
    std::optional<Database> m_database;
    // After the database, whose statements they hold.
    std::optional<TextTable> m_texts;
    std::optional<StatementCache> m_statements;
    WallTime m_sessionStart{};
};

JournalReader::JournalReader(std::unique_ptr<Private> priv)
    : d(std::move(priv))
{
}

JournalReader::~JournalReader() = default;
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;

Result<JournalReader> JournalReader::open(const std::filesystem::path& file)
{
    REVET_ASSIGN_OR_RETURN(auto priv, Private::open(file));
    return JournalReader(std::move(priv));
}

Result<SessionInfo> JournalReader::session()
{
    return d->session();
}

Result<bool> JournalReader::isSealed()
{
    REVET_ASSIGN_OR_RETURN(const auto info, d->info());
    return info.count(std::string(kSealedName)) != 0;
}

Result<EventSeq> JournalReader::lastEvent()
{
    REVET_ASSIGN_OR_RETURN(const std::int64_t last,
                           d->database().singleInteger("SELECT ifnull(max(seq), 0) FROM event"));
    return EventSeq(static_cast<std::uint64_t>(last));
}

Result<std::vector<Event>> JournalReader::eventsAfter(EventSeq after, std::size_t limit,
                                                      const EventFilter& filter)
{
    return d->events(Direction::Forward, static_cast<std::int64_t>(after.value()), limit, filter);
}

Result<std::vector<Event>> JournalReader::eventsBefore(EventSeq before, std::size_t limit,
                                                       const EventFilter& filter)
{
    const std::int64_t from = before.isNone() ? std::numeric_limits<std::int64_t>::max()
                                              : static_cast<std::int64_t>(before.value());
    return d->events(Direction::Backward, from, limit, filter);
}

Result<std::vector<ProcessRecord>> JournalReader::processes()
{
    REVET_ASSIGN_OR_RETURN(const ReadSnapshot snapshot, ReadSnapshot::begin(d->database()));
    REVET_ASSIGN_OR_RETURN(Statement statement,
                           d->database().prepare(std::string("SELECT ") + ProcessRow::kColumns + R"sql(
        FROM process WHERE id IN (SELECT max(id) FROM process GROUP BY number) ORDER BY number)sql"));
    return d->processes(statement);
}

Result<std::optional<ProcessRecord>> JournalReader::process(ProcessNumber number)
{
    REVET_ASSIGN_OR_RETURN(const ReadSnapshot snapshot, ReadSnapshot::begin(d->database()));
    REVET_ASSIGN_OR_RETURN(
        Statement statement,
        d->database().prepare(std::string("SELECT ") + ProcessRow::kColumns
                              + " FROM process WHERE number = ? ORDER BY id DESC LIMIT 1"));
    statement.bind(std::int64_t{number.value()});
    REVET_ASSIGN_OR_RETURN(const auto found, d->processes(statement));
    return found.empty() ? std::nullopt : std::optional(found.front());
}

Result<std::vector<Bucket>> JournalReader::buckets()
{
    return readBuckets(d->database(), d->sessionStart());
}

Result<Reach> JournalReader::farthestReach()
{
    REVET_ASSIGN_OR_RETURN(const auto all, buckets());
    Reach farthest = Reach::None;
    for (const Bucket& bucket : all) {
        farthest = std::max(farthest, bucket.reach);
    }
    return farthest;
}

Result<std::array<std::uint64_t, kVerdictCount>> JournalReader::countsByVerdict()
{
    REVET_ASSIGN_OR_RETURN(const auto all, buckets());
    std::array<std::uint64_t, kVerdictCount> counts = {};
    for (const Bucket& bucket : all) {
        counts.at(static_cast<std::size_t>(bucket.verdict)) += bucket.occurrences;
    }
    return counts;
}

Result<std::vector<FileSummary>> JournalReader::files()
{
    REVET_ASSIGN_OR_RETURN(const ReadSnapshot snapshot, ReadSnapshot::begin(d->database()));
    return summarizeFiles(d->database(), d->texts());
}

Result<std::vector<DestinationSummary>> JournalReader::destinations()
{
    REVET_ASSIGN_OR_RETURN(const ReadSnapshot snapshot, ReadSnapshot::begin(d->database()));
    return summarizeDestinations(d->database(), d->texts());
}

} // namespace revet::journal
