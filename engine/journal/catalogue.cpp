// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/catalogue.h"

#include "engine/journal/rows.h"
#include "engine/journal/schema.h"

#include <limits>

namespace revet::journal {

namespace {

// The next process reads what the log holds before anything else, a page in 5 us; to empty it takes the disk
// a while. This many bytes hold three or four sessions.
constexpr std::uintmax_t kLongLogBytes = 150'000;
constexpr int kMostTries = 64; // of a random id among 900 million
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr const char* kSessionColumns = "id, label, state, project, tier, observe, command, started, ending, "
                                        "ended, status, reason, pid, reached, events, asks";
constexpr const char* kProjectColumns = "id, path, device, inode, created, seen, settings, trusted";

std::int64_t micros(WallTime time)
{
    return time.time_since_epoch().count();
}

WallTime timeOf(std::int64_t micros)
{
    return WallTime(std::chrono::microseconds(micros));
}

Result<SessionInfo> sessionOfRow(const Statement& statement)
{
    constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max();
    RowCursor cursor(statement);
    SessionInfo session;
    const std::string id = cursor.bytes();
    session.label = cursor.bytes();
    session.state = static_cast<SessionState>(cursor.integer(0, kSessionStateCount - 1));
    session.project = cursor.bytes();
    session.tier = static_cast<Tier>(cursor.integer(0, kAllTiers.size() - 1));
    session.observe = static_cast<ObserveLevel>(cursor.integer(0, 2));
    session.command = unpackArguments(cursor.bytes());
    session.started = timeOf(cursor.integer());
    const std::int64_t ending = cursor.integer(0, kEndedKnown | kStatusKnown);
    const std::int64_t ended = cursor.integer();
    const std::int64_t status = cursor.integer(-kMostInt - 1, kMostInt);
    session.endReason = cursor.bytes();
    session.sessionPid = static_cast<std::int32_t>(cursor.integer(0, kMostInt));
    session.reached = static_cast<Reach>(cursor.integer(0, kReachCount - 1));
    session.events = static_cast<std::uint64_t>(cursor.integer(0, kMost));
    session.asksPending = static_cast<std::uint32_t>(cursor.integer(0, kMostInt));
    if (!cursor.isValid()) {
        return fail(ErrorCode::Malformed, "read a session");
    }
    REVET_ASSIGN_OR_RETURN(session.id, SessionId::parse(id));
    if ((ending & kEndedKnown) != 0) {
        session.ended = timeOf(ended);
    }
    if ((ending & kStatusKnown) != 0) {
        session.waitStatus = static_cast<std::int32_t>(status);
    }
    return session;
}

Result<ProjectRecord> projectOfRow(const Statement& statement)
{
    RowCursor cursor(statement);
    ProjectRecord project;
    project.id = cursor.integer(1, kMost);
    project.path = cursor.bytes();
    project.device = static_cast<std::uint64_t>(cursor.integer());
    project.inode = static_cast<std::uint64_t>(cursor.integer());
    project.created = timeOf(cursor.integer());
    project.seen = timeOf(cursor.integer());
    project.settingsFile = cursor.bytes();
    project.trustedHash = cursor.bytes();
    if (!cursor.isValid()) {
        return fail(ErrorCode::Malformed, "read a project");
    }
    return project;
}

} // namespace

tl::unexpected<Error> Catalogue::explain(Error error) const
{
    if (error.code == ErrorCode::Malformed || error.code == ErrorCode::InvalidArgument) {
        return fail(ErrorCode::Malformed, "read the list of sessions " + m_database.file().string(),
                    "the file is damaged; move it away and Revet starts a new one, the journals stay");
    }
    return fail(std::move(error));
}

Result<Catalogue> Catalogue::open(const std::filesystem::path& file)
{
    // Nothing in open() reads the file's content, so damage shows further down.
    REVET_ASSIGN_OR_RETURN(Database database, Database::open(file, Database::Access::CreateOrOpen));
    Catalogue catalogue(std::move(database));
    // A session's start writes here: it must not wait for the disk.
    catalogue.m_database.keepLogOnClose();
    if (const Result<void> logged = catalogue.m_database.useWal(); !logged) {
        return catalogue.explain(logged.error());
    }
    REVET_RETURN_IF_ERROR(catalogue.m_database.syncLog());
    if (const Result<void> migrated = migrate(catalogue.m_database, catalogueSchema()); !migrated) {
        return catalogue.explain(migrated.error());
    }
    return catalogue;
}

Result<void> Catalogue::emptyLog()
{
    return m_database.logBytes() < kLongLogBytes ? Result<void>() : m_database.checkpoint();
}

Result<ProjectRecord> Catalogue::addProject(const ProjectRecord& project)
{
    ProjectRecord added;
    const Result<void> result = inTransaction(m_database, [&]() -> Result<void> {
        REVET_ASSIGN_OR_RETURN(Statement insert, m_database.prepare(R"sql(
            INSERT INTO project (path, device, inode, created, seen, settings, trusted)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO NOTHING)sql"));
        REVET_RETURN_IF_ERROR(insert.bind(project.path)
                                  .bind(static_cast<std::int64_t>(project.device))
                                  .bind(static_cast<std::int64_t>(project.inode))
                                  .bind(micros(project.created))
                                  .bind(micros(project.seen))
                                  .bind(project.settingsFile)
                                  .bind(project.trustedHash)
                                  .run());
        REVET_ASSIGN_OR_RETURN(const auto found, readProjects("WHERE path = ?", project.path));
        added = found.at(0);
        return {};
    });
    if (!result) {
        return explain(result.error());
    }
    return added;
}

Result<void> Catalogue::updateProject(const ProjectRecord& project)
{
    const Result<void> result = inTransaction(m_database, [&]() -> Result<void> {
        REVET_ASSIGN_OR_RETURN(Statement update, m_database.prepare(R"sql(
            UPDATE project SET path = ?, device = ?, inode = ?, seen = ?, settings = ?, trusted = ?
            WHERE id = ?)sql"));
        REVET_RETURN_IF_ERROR(update.bind(project.path)
                                  .bind(static_cast<std::int64_t>(project.device))
                                  .bind(static_cast<std::int64_t>(project.inode))
                                  .bind(micros(project.seen))
                                  .bind(project.settingsFile)
                                  .bind(project.trustedHash)
                                  .bind(project.id)
                                  .run());
        if (m_database.changes() != 1) {
            return fail(ErrorCode::NotFound, "update a project");
        }
        return {};
    });
    return result ? result : Result<void>(explain(result.error()));
}

Result<std::vector<ProjectRecord>> Catalogue::projects()
{
    return readProjects("ORDER BY path", std::nullopt);
}

Result<std::optional<ProjectRecord>> Catalogue::projectAt(std::string_view path)
{
    REVET_ASSIGN_OR_RETURN(const auto found, readProjects("WHERE path = ?", path));
    return found.empty() ? std::nullopt : std::optional(found.front());
}

Result<std::vector<ProjectRecord>> Catalogue::readProjects(const std::string& where,
                                                           std::optional<std::string_view> parameter)
{
    const auto read = [&]() -> Result<std::vector<ProjectRecord>> {
        REVET_ASSIGN_OR_RETURN(
            Statement select,
            m_database.prepare(std::string("SELECT ") + kProjectColumns + " FROM project " + where));
        if (parameter) {
            select.bind(*parameter);
        }
        std::vector<ProjectRecord> projects;
        while (true) {
            REVET_ASSIGN_OR_RETURN(const bool row, select.next());
            if (!row) {
                return projects;
            }
            REVET_ASSIGN_OR_RETURN(ProjectRecord project, projectOfRow(select));
            projects.push_back(std::move(project));
        }
    };
    Result<std::vector<ProjectRecord>> result = read();
    if (!result) {
        return explain(result.error());
    }
    return result;
}

Result<void> Catalogue::writeSession(Statement& statement, const SessionInfo& session)
{
    const std::string command = packArguments(session.command);
    return statement.bind(session.label)
        .bind(static_cast<std::int64_t>(session.state))
        .bind(session.project)
        .bind(static_cast<std::int64_t>(session.tier))
        .bind(static_cast<std::int64_t>(session.observe))
        .bind(command)
        .bind(micros(session.started))
        .bind((session.ended ? kEndedKnown : 0) | (session.waitStatus ? kStatusKnown : 0))
        .bind(session.ended ? micros(*session.ended) : 0)
        .bind(std::int64_t{session.waitStatus.value_or(0)})
        .bind(session.endReason)
        .bind(std::int64_t{session.sessionPid})
        .bind(static_cast<std::int64_t>(session.reached))
        .bind(static_cast<std::int64_t>(session.events))
        .bind(std::int64_t{session.asksPending})
        .bind(session.id.text())
        .run();
}

Result<SessionId> Catalogue::addSession(SessionInfo session)
{
    const Result<void> result = inTransaction(m_database, [&]() -> Result<void> {
        // The id comes last, as in updateSession().
        REVET_ASSIGN_OR_RETURN(Statement insert, m_database.prepare(R"sql(
            INSERT INTO session (label, state, project, tier, observe, command, started, ending, ended, status,
                reason, pid, reached, events, asks, id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING)sql"));
        for (int i = 0; i < kMostTries; ++i) {
            session.id = SessionId::generate();
            REVET_RETURN_IF_ERROR(writeSession(insert, session));
            if (m_database.changes() == 1) {
                return {};
            }
        }
        return fail(ErrorCode::LimitExceeded, "find a free session id", "remove old sessions: revet prune");
    });
    if (!result) {
        return explain(result.error());
    }
    return session.id;
}

Result<void> Catalogue::updateSession(const SessionInfo& session)
{
    const Result<void> result = inTransaction(m_database, [&]() -> Result<void> {
        REVET_ASSIGN_OR_RETURN(Statement update, m_database.prepare(R"sql(
            UPDATE session SET label = ?, state = ?, project = ?, tier = ?, observe = ?, command = ?,
                started = ?, ending = ?, ended = ?, status = ?, reason = ?, pid = ?, reached = ?, events = ?,
                asks = ?
            WHERE id = ?)sql"));
        REVET_RETURN_IF_ERROR(writeSession(update, session));
        if (m_database.changes() != 1) {
            return fail(ErrorCode::NotFound, "update the session " + session.id.text());
        }
        return {};
    });
    return result ? result : Result<void>(explain(result.error()));
}

Result<void> Catalogue::removeSession(const SessionId& id)
{
    const Result<void> result = inTransaction(m_database, [&]() -> Result<void> {
        REVET_ASSIGN_OR_RETURN(Statement remove, m_database.prepare("DELETE FROM session WHERE id = ?"));
        REVET_RETURN_IF_ERROR(remove.bind(id.text()).run());
        if (m_database.changes() != 1) {
            return fail(ErrorCode::NotFound, "remove the session " + id.text());
        }
        return answers().forget(id);
    });
    return result ? result : Result<void>(explain(result.error()));
}

Result<std::vector<SessionInfo>> Catalogue::readSessions(const std::string& where,
                                                         std::optional<std::string_view> parameter)
{
    const auto read = [&]() -> Result<std::vector<SessionInfo>> {
        REVET_ASSIGN_OR_RETURN(Statement select,
                               m_database.prepare(std::string("SELECT ") + kSessionColumns + " FROM session "
                                                  + where + " ORDER BY started, id"));
        if (parameter) {
            select.bind(*parameter);
        }
        std::vector<SessionInfo> sessions;
        while (true) {
            REVET_ASSIGN_OR_RETURN(const bool row, select.next());
            if (!row) {
                return sessions;
            }
            REVET_ASSIGN_OR_RETURN(SessionInfo session, sessionOfRow(select));
            sessions.push_back(std::move(session));
        }
    };
    Result<std::vector<SessionInfo>> result = read();
    if (!result) {
        return explain(result.error());
    }
    return result;
}

Result<std::vector<SessionInfo>> Catalogue::sessions(std::optional<std::string> project)
{
    if (project) {
        return readSessions("WHERE project = ?", *project);
    }
    return readSessions("", std::nullopt);
}

Result<std::vector<SessionInfo>> Catalogue::openSessions()
{
    // Ended, Review and Closed, as the enumeration numbers them.
    return readSessions("WHERE state NOT IN (3, 4, 5)", std::nullopt);
}

Result<std::vector<SessionInfo>> Catalogue::waitingSessions(const std::string& project)
{
    return readSessions("WHERE state = 4 AND project = ?", project); // Review
}

Result<std::optional<SessionInfo>> Catalogue::session(const SessionId& id)
{
    REVET_ASSIGN_OR_RETURN(const auto found, readSessions("WHERE id = ?", id.text()));
    return found.empty() ? std::nullopt : std::optional(found.front());
}

} // namespace revet::journal
