// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/answers.h"

#include "engine/journal/rows.h"

#include <charconv>
#include <limits>

namespace revet::journal {

namespace {

constexpr std::int64_t kMostCount = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr const char* kAskColumns
    = "session, number, state, kind, project, tier, target, chain, cwd, why, lane, origin, goal, scopes, "
      "created, deadline, hash, count, leaving, settled, scope, claim";
constexpr const char* kGrantColumns = "id, kind, allowed, scope, project, session, target, chain, origin, "
                                      "created, expires, used, hits, revoked";
constexpr std::int64_t kNoScope = kGrantScopeCount;

std::int64_t micros(WallTime time)
{
    return time.time_since_epoch().count();
}

std::int64_t micros(const std::optional<WallTime>& time)
{
    return time ? micros(*time) : 0; // nothing was asked in 1970
}

std::optional<WallTime> timeOf(std::int64_t micros)
{
    return micros == 0 ? std::nullopt : std::optional(WallTime(std::chrono::microseconds(micros)));
}

std::int64_t bitOf(GrantScope scope)
{
    return std::int64_t{1} << static_cast<unsigned>(scope);
}

/// pid, start, program, number of arguments, arguments; and so on for each.
std::string packChain(const std::vector<AskProcess>& chain)
{
    std::vector<std::string> words;
    for (const AskProcess& process : chain) {
        words.push_back(std::to_string(process.pid));
        words.push_back(std::to_string(process.startTicks));
        words.push_back(process.exe);
        words.push_back(std::to_string(process.argv.size()));
        words.insert(words.end(), process.argv.begin(), process.argv.end());
    }
    return packArguments(words);
}

template<typename Number>
bool readNumber(const std::vector<std::string>& words, std::size_t& at, Number& number)
{
    if (at >= words.size()) {
        return false;
    }
    const std::string& word = words[at++];
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    return problem == std::errc{} && end == word.data() + word.size();
}

std::optional<std::vector<AskProcess>> unpackChain(std::string_view packed)
{
    const std::vector<std::string> words = unpackArguments(packed);
    std::vector<AskProcess> chain;
    for (std::size_t at = 0; at < words.size();) {
        AskProcess process;
        std::size_t arguments = 0;
        if (!readNumber(words, at, process.pid) || !readNumber(words, at, process.startTicks)
            || at >= words.size()) {
            return std::nullopt;
        }
        process.exe = words[at++];
        if (!readNumber(words, at, arguments) || arguments > words.size() - at) {
            return std::nullopt;
        }
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
        process.argv.assign(first, first + static_cast<std::ptrdiff_t>(arguments));
        at += arguments;
        chain.push_back(std::move(process));
    }
    return chain;
}

Result<AskRecord> askOfRow(const Statement& statement)
{
    RowCursor cursor(statement);
    AskRecord record;
    Ask& ask = record.ask;
    const auto session = SessionId::parse(cursor.bytes());
    ask.id.number = static_cast<std::uint32_t>(cursor.integer(1, kMostCount));
    record.state = static_cast<AskState>(cursor.integer(0, kAskStateCount - 1));
    ask.kind = static_cast<AskKind>(cursor.integer(0, kAskKindCount - 1));
    ask.project = cursor.bytes();
    ask.tier = static_cast<Tier>(cursor.integer(0, kAllTiers.size() - 1));
    ask.target = cursor.bytes();
    auto chain = unpackChain(cursor.bytes());
    ask.cwd = cursor.bytes();
    ask.why = cursor.bytes();
    ask.lane = static_cast<Lane>(cursor.integer(0, kLaneCount - 1));
    ask.from = static_cast<Reach>(cursor.integer(0, kReachCount - 1));
    ask.to = static_cast<Reach>(cursor.integer(0, kReachCount - 1));
    const std::int64_t scopes = cursor.integer(0, bitOf(static_cast<GrantScope>(kGrantScopeCount)) - 1);
    ask.created = timeOf(cursor.integer()).value_or(WallTime());
    ask.deadline = timeOf(cursor.integer());
    ask.hash = cursor.bytes();
    record.count = static_cast<std::uint32_t>(cursor.integer(0, kMostCount));
    record.hasGivenUp = cursor.integer(0, 1) == 1;
    record.settled = timeOf(cursor.integer());
    const std::int64_t scope = cursor.integer(0, kNoScope);
    ask.claim = cursor.bytes();
    if (!cursor.isValid() || !session || !chain) {
        return fail(ErrorCode::Malformed, "read an ask");
    }
    ask.id.session = *session;
    ask.chain = *std::move(chain);
    for (const GrantScope offered : kAllGrantScopes) {
        if ((scopes & bitOf(offered)) != 0) {
            ask.scopes.push_back(offered);
        }
    }
    if (scope != kNoScope) {
        record.scope = static_cast<GrantScope>(scope);
    }
    return record;
}

Result<Grant> grantOfRow(const Statement& statement)
{
    RowCursor cursor(statement);
    Grant grant;
    grant.id = cursor.integer(1, kMost);
    grant.kind = static_cast<AskKind>(cursor.integer(0, kAskKindCount - 1));
    grant.isAllowed = cursor.integer(0, 1) == 1;
    grant.scope = static_cast<GrantScope>(cursor.integer(0, kGrantScopeCount - 1));
    grant.project = cursor.bytes();
    const std::string session = cursor.bytes();
    grant.target = cursor.bytes();
    grant.chain = cursor.bytes();
    grant.origin = cursor.bytes();
    grant.created = timeOf(cursor.integer()).value_or(WallTime());
    grant.expires = timeOf(cursor.integer());
    grant.lastUse = timeOf(cursor.integer());
    grant.hits = static_cast<std::uint64_t>(cursor.integer(0, kMost));
    grant.revoked = timeOf(cursor.integer());
    if (!cursor.isValid()) {
        return fail(ErrorCode::Malformed, "read a grant");
    }
    if (!session.empty()) {
        REVET_ASSIGN_OR_RETURN(grant.session, SessionId::parse(session));
    }
    return grant;
}

} // namespace

Result<void> Answers::saveAsk(const AskRecord& record)
{
    const Ask& ask = record.ask;
    std::int64_t scopes = 0;
    for (const GrantScope scope : ask.scopes) {
        scopes |= bitOf(scope);
    }
    const std::string chain = packChain(ask.chain);
    REVET_ASSIGN_OR_RETURN(
        Statement insert,
        m_database->prepare(std::string("INSERT INTO ask (") + kAskColumns
                            + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                              "ON CONFLICT (session, number) DO UPDATE SET state = excluded.state, "
                              "count = excluded.count, leaving = excluded.leaving, "
                              "settled = excluded.settled, scope = excluded.scope"));
    return insert.bind(ask.id.session.text())
        .bind(std::int64_t{ask.id.number})
        .bind(static_cast<std::int64_t>(record.state))
        .bind(static_cast<std::int64_t>(ask.kind))
        .bind(ask.project)
        .bind(static_cast<std::int64_t>(ask.tier))
        .bind(ask.target)
        .bind(chain)
        .bind(ask.cwd)
        .bind(ask.why)
        .bind(static_cast<std::int64_t>(ask.lane))
        .bind(static_cast<std::int64_t>(ask.from))
        .bind(static_cast<std::int64_t>(ask.to))
        .bind(scopes)
        .bind(micros(ask.created))
        .bind(micros(ask.deadline))
        .bind(ask.hash)
        .bind(std::int64_t{record.count})
        .bind(std::int64_t{record.hasGivenUp})
        .bind(micros(record.settled))
        .bind(record.scope ? static_cast<std::int64_t>(*record.scope) : kNoScope)
        .bind(ask.claim)
        .run();
}

Result<std::vector<AskRecord>> Answers::asks(const std::optional<SessionId>& session)
{
    REVET_ASSIGN_OR_RETURN(Statement select,
                           m_database->prepare(std::string("SELECT ") + kAskColumns + " FROM ask "
                                               + (session ? "WHERE session = ? " : "")
                                               + "ORDER BY created, session, number"));
    if (session) {
        select.bind(session->text());
    }
    std::vector<AskRecord> records;
    while (true) {
        REVET_ASSIGN_OR_RETURN(const bool row, select.next());
        if (!row) {
            return records;
        }
        REVET_ASSIGN_OR_RETURN(AskRecord record, askOfRow(select));
        records.push_back(std::move(record));
    }
}

Result<std::optional<AskRecord>> Answers::ask(const AskId& id)
{
    REVET_ASSIGN_OR_RETURN(Statement select,
                           m_database->prepare(std::string("SELECT ") + kAskColumns
                                               + " FROM ask WHERE session = ? AND number = ?"));
    REVET_ASSIGN_OR_RETURN(const bool row,
                           select.bind(id.session.text()).bind(std::int64_t{id.number}).next());
    if (!row) {
        return std::optional<AskRecord>();
    }
    REVET_ASSIGN_OR_RETURN(AskRecord record, askOfRow(select));
    return std::optional(std::move(record));
}

Result<void> Answers::missAsks(const SessionId& session, WallTime now)
{
    REVET_ASSIGN_OR_RETURN(
        Statement update,
        m_database->prepare("UPDATE ask SET state = ?, settled = ? WHERE session = ? AND state = 0"));
    return update.bind(static_cast<std::int64_t>(AskState::Missed))
        .bind(micros(now))
        .bind(session.text())
        .run();
}

Result<std::int64_t> Answers::addGrant(const Grant& grant)
{
    std::int64_t id = 0;
    const Result<void> added = inTransaction(*m_database, [&]() -> Result<void> {
        REVET_ASSIGN_OR_RETURN(
            Statement insert,
            m_database->prepare("INSERT INTO answer (kind, allowed, scope, project, session, target, chain, "
                                "origin, created, expires, used, hits, revoked) "
                                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)"));
        REVET_RETURN_IF_ERROR(insert.bind(static_cast<std::int64_t>(grant.kind))
                                  .bind(std::int64_t{grant.isAllowed})
                                  .bind(static_cast<std::int64_t>(grant.scope))
                                  .bind(grant.project)
                                  .bind(grant.session.text())
                                  .bind(grant.target)
                                  .bind(grant.chain)
                                  .bind(grant.origin)
                                  .bind(micros(grant.created))
                                  .bind(micros(grant.expires))
                                  .run());
        REVET_ASSIGN_OR_RETURN(id, m_database->singleInteger("SELECT last_insert_rowid()"));
        return {};
    });
    return added ? Result<std::int64_t>(id) : fail(added.error());
}

Result<std::vector<Grant>> Answers::readGrants(Statement select)
{
    std::vector<Grant> grants;
    while (true) {
        REVET_ASSIGN_OR_RETURN(const bool row, select.next());
        if (!row) {
            return grants;
        }
        REVET_ASSIGN_OR_RETURN(Grant grant, grantOfRow(select));
        grants.push_back(std::move(grant));
    }
}

Result<std::vector<Grant>> Answers::grants()
{
    REVET_ASSIGN_OR_RETURN(
        Statement select,
        m_database->prepare(std::string("SELECT ") + kGrantColumns + " FROM answer ORDER BY id"));
    return readGrants(std::move(select));
}

Result<std::optional<Grant>> Answers::grant(std::int64_t id)
{
    REVET_ASSIGN_OR_RETURN(
        Statement select,
        m_database->prepare(std::string("SELECT ") + kGrantColumns + " FROM answer WHERE id = ?"));
    select.bind(id);
    REVET_ASSIGN_OR_RETURN(auto grants, readGrants(std::move(select)));
    return grants.empty() ? std::nullopt : std::optional(std::move(grants.front()));
}

Result<std::vector<Grant>> Answers::grantsFor(const SessionId& session, const std::string& project)
{
    REVET_ASSIGN_OR_RETURN(Statement select,
                           m_database->prepare(std::string("SELECT ") + kGrantColumns
                                               + " FROM answer WHERE revoked = 0 AND project = ? "
                                                 "AND session IN (x'', ?) ORDER BY id"));
    select.bind(project).bind(session.text());
    return readGrants(std::move(select));
}

Result<void> Answers::revokeGrant(std::int64_t id, WallTime now)
{
    return inTransaction(*m_database, [&]() -> Result<void> {
        REVET_ASSIGN_OR_RETURN(const auto known, grant(id));
        const std::string operation = "revoke g" + std::to_string(id);
        if (!known) {
            return fail(ErrorCode::NotFound, operation, "there is no such grant; `revet grants` lists them");
        }
        if (known->revoked) {
            return fail(ErrorCode::Conflict, operation, "it does not hold any more");
        }
        REVET_ASSIGN_OR_RETURN(Statement update,
                               m_database->prepare("UPDATE answer SET revoked = ? WHERE id = ?"));
        return update.bind(micros(now)).bind(id).run();
    });
}

Result<void> Answers::revokeProject(const std::string& project, WallTime now)
{
    REVET_ASSIGN_OR_RETURN(
        Statement update,
        m_database->prepare(
            "UPDATE answer SET revoked = ? WHERE revoked = 0 AND project = ? AND session = x''"));
    return update.bind(micros(now)).bind(project).run();
}

Result<void> Answers::noteUse(std::int64_t id, std::uint64_t hits, WallTime last, bool isUsedUp)
{
    REVET_ASSIGN_OR_RETURN(
        Statement update,
        m_database->prepare("UPDATE answer SET hits = hits + ?, used = max(used, ?), "
                            "revoked = CASE WHEN revoked = 0 THEN ? ELSE revoked END WHERE id = ?"));
    return update.bind(static_cast<std::int64_t>(hits))
        .bind(micros(last))
        .bind(isUsedUp ? micros(last) : 0)
        .bind(id)
        .run();
}

Result<void> Answers::forget(const SessionId& session)
{
    for (const char* const sql :
         {"DELETE FROM ask WHERE session = ?", "DELETE FROM answer WHERE session = ?"}) {
        REVET_ASSIGN_OR_RETURN(Statement remove, m_database->prepare(sql));
        REVET_RETURN_IF_ERROR(remove.bind(session.text()).run());
    }
    return {};
}

} // namespace revet::journal
