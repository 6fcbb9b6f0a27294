// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/schema.h"

#include <array>
#include <vector>

namespace revet::journal {

namespace {

// event_target begins with the segment of 8192 events, so that a batch changes the few pages of the last
// segment only: an index by target alone would rewrite one page of the log for nearly every event. The price
// is a seek for each segment when all events of one path are asked for. Every table but bucket is written
// once and never changed, so that the hash chain can cover it; the newest row of a process or of an info name
// counts. Times are microseconds since the start of the session, which take 4 to 6 bytes where those since
// 1970 take 8. 0 is "none" for every reference.
constexpr const char* kJournalVersion1 = R"sql(
CREATE TABLE event (
    seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, process INTEGER NOT NULL, kind INTEGER NOT NULL,
    verdict INTEGER NOT NULL, reach INTEGER NOT NULL, target INTEGER NOT NULL, other INTEGER NOT NULL,
    rule INTEGER NOT NULL, count INTEGER NOT NULL, errno INTEGER NOT NULL, detail INTEGER NOT NULL);
CREATE INDEX event_target ON event (seq >> 13, target);
CREATE INDEX event_other ON event (other) WHERE other <> 0;
CREATE INDEX event_security ON event (verdict) WHERE verdict BETWEEN 2 AND 5;
CREATE TABLE text (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE command (id INTEGER PRIMARY KEY, arguments BLOB NOT NULL);
CREATE TABLE process (
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, parent INTEGER NOT NULL, pid INTEGER NOT NULL,
    start_ticks INTEGER NOT NULL, started INTEGER NOT NULL, exe INTEGER NOT NULL, command INTEGER NOT NULL,
    cwd INTEGER NOT NULL, ending INTEGER NOT NULL, ended INTEGER NOT NULL, status INTEGER NOT NULL);
CREATE INDEX process_number ON process (number);
CREATE TABLE info (id INTEGER PRIMARY KEY, name BLOB NOT NULL, value BLOB NOT NULL);
CREATE TABLE bucket (
    slot INTEGER PRIMARY KEY, events INTEGER NOT NULL, occurrences INTEGER NOT NULL, reach INTEGER NOT NULL);
CREATE TABLE chain (
    batch INTEGER PRIMARY KEY, events INTEGER NOT NULL, texts INTEGER NOT NULL, commands INTEGER NOT NULL,
    processes INTEGER NOT NULL, infos INTEGER NOT NULL, hash BLOB NOT NULL);
)sql";

constexpr const char* kCatalogueVersion1 = R"sql(
CREATE TABLE project (
    id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, device INTEGER NOT NULL, inode INTEGER NOT NULL,
    created INTEGER NOT NULL, seen INTEGER NOT NULL, settings BLOB NOT NULL, trusted BLOB NOT NULL);
CREATE TABLE session (
    id BLOB NOT NULL PRIMARY KEY, label BLOB NOT NULL, state INTEGER NOT NULL, project BLOB NOT NULL,
    tier INTEGER NOT NULL, observe INTEGER NOT NULL, command BLOB NOT NULL, started INTEGER NOT NULL,
    ending INTEGER NOT NULL, ended INTEGER NOT NULL, status INTEGER NOT NULL, reason BLOB NOT NULL,
    pid INTEGER NOT NULL, reached INTEGER NOT NULL, events INTEGER NOT NULL, asks INTEGER NOT NULL);
CREATE INDEX session_project ON session (project, started);
)sql";

// Every start asks for the open ones, however many have ended.
constexpr const char* kCatalogueVersion2
    = "CREATE INDEX session_open ON session (started) WHERE state NOT IN (3, 4, 5)";

// And for those of its project whose changes wait.
constexpr const char* kCatalogueVersion3
    = "CREATE INDEX session_waiting ON session (project, started) WHERE state = 4";

// What people were asked and what they said. A grant's id is never given again: people write it down.
constexpr const char* kCatalogueVersion4 = R"sql(
CREATE TABLE ask (
    session BLOB NOT NULL, number INTEGER NOT NULL, state INTEGER NOT NULL, kind INTEGER NOT NULL,
    project BLOB NOT NULL, tier INTEGER NOT NULL, target BLOB NOT NULL, chain BLOB NOT NULL, cwd BLOB NOT NULL,
    why BLOB NOT NULL, lane INTEGER NOT NULL, origin INTEGER NOT NULL, goal INTEGER NOT NULL,
    scopes INTEGER NOT NULL, created INTEGER NOT NULL, deadline INTEGER NOT NULL, hash BLOB NOT NULL,
    count INTEGER NOT NULL, leaving INTEGER NOT NULL, settled INTEGER NOT NULL, scope INTEGER NOT NULL,
    PRIMARY KEY (session, number)) WITHOUT ROWID;
CREATE TABLE answer (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, allowed INTEGER NOT NULL,
    scope INTEGER NOT NULL, project BLOB NOT NULL, session BLOB NOT NULL, target BLOB NOT NULL,
    chain BLOB NOT NULL, origin BLOB NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL,
    used INTEGER NOT NULL, hits INTEGER NOT NULL, revoked INTEGER NOT NULL);
CREATE INDEX answer_project ON answer (project) WHERE revoked = 0;
)sql";

// Why the box says that it wants what it asks for.
constexpr const char* kCatalogueVersion5 = "ALTER TABLE ask ADD COLUMN claim BLOB NOT NULL DEFAULT x''";

constexpr std::array kJournalMigrations = {kJournalVersion1};
constexpr std::array kCatalogueMigrations
    = {kCatalogueVersion1, kCatalogueVersion2, kCatalogueVersion3, kCatalogueVersion4, kCatalogueVersion5};

Error unreadable(const Database& database, std::string context)
{
    return {ErrorCode::Malformed, "read " + database.file().string(), 0, std::move(context)};
}

Result<std::size_t> versionOf(Database& database, const Schema& schema)
{
    REVET_ASSIGN_OR_RETURN(const std::int64_t application, database.singleInteger("PRAGMA application_id"));
    REVET_ASSIGN_OR_RETURN(const std::int64_t version, database.singleInteger("PRAGMA user_version"));
    if (application == 0 && version == 0) {
        return std::size_t{0};
    }
    if (application != schema.applicationId || version < 1) {
        return fail(unreadable(database, "the file is not one of Revet's"));
    }
    if (static_cast<std::size_t>(version) > schema.migrations.size()) {
        return fail(ErrorCode::Refused, "read " + database.file().string(),
                    "a newer Revet wrote this file; use that version");
    }
    return static_cast<std::size_t>(version);
}

Result<std::vector<std::string>> definitions(Database& database)
{
    REVET_ASSIGN_OR_RETURN(Statement statement, database.prepare(R"sql(
        SELECT CAST(type || '|' || name || '|' || tbl_name || '|' || ifnull(sql, '') AS BLOB)
        FROM sqlite_master ORDER BY name)sql"));
    std::vector<std::string> found;
    while (true) {
        REVET_ASSIGN_OR_RETURN(const bool row, statement.next());
        if (!row) {
            return found;
        }
        found.emplace_back(statement.bytes(0));
    }
}

} // namespace

const Schema& journalSchema()
{
    static const Schema schema = {0x52765431, kJournalMigrations};
    return schema;
}

const Schema& catalogueSchema()
{
    static const Schema schema = {0x52765443, kCatalogueMigrations};
    return schema;
}

Result<void> migrate(Database& database, const Schema& schema)
{
    // Two reads, and another process may migrate in between: only the transaction judges what does not fit.
    if (const auto seen = versionOf(database, schema); seen && *seen == schema.migrations.size()) {
        return {};
    }
    return inTransaction(database, [&]() -> Result<void> {
        // Another process may have migrated while this one waited for the lock.
        REVET_ASSIGN_OR_RETURN(const std::size_t version, versionOf(database, schema));
        for (const char* migration : schema.migrations.subspan(version)) {
            REVET_RETURN_IF_ERROR(database.execute(migration));
        }
        const std::string marks = "PRAGMA application_id = " + std::to_string(schema.applicationId)
            + "; PRAGMA user_version = " + std::to_string(schema.migrations.size());
        return database.execute(marks.c_str());
    });
}

Result<void> checkVersion(Database& database, const Schema& schema)
{
    REVET_ASSIGN_OR_RETURN(const std::size_t version, versionOf(database, schema));
    if (version != schema.migrations.size()) {
        return fail(unreadable(database, "the file is empty or of an older version"));
    }
    return {};
}

Result<void> checkDefinitions(Database& database, const Schema& schema)
{
    REVET_ASSIGN_OR_RETURN(Database model, Database::open({}, Database::Access::InMemory));
    REVET_RETURN_IF_ERROR(migrate(model, schema));
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> expected, definitions(model));
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> found, definitions(database));
    if (expected != found) {
        return fail(unreadable(database, "its tables are not those that Revet makes"));
    }
    return {};
}

} // namespace revet::journal
