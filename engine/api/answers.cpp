// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/answers.h"

#include "engine/approval/ask_hash.h"
#include "engine/approval/inbox.h"
#include "engine/policy/network_rules.h"
#include "engine/session/recovery.h"

#include <algorithm>
#include <array>
#include <map>

namespace revet::api {

namespace {

/// Whose session lives. One that has died left its asks as they were.
Result<bool> isServed(Engine& engine, const SessionId& id)
{
    REVET_ASSIGN_OR_RETURN(const auto session, engine.catalogue().session(id));
    return session && isLive(*session) && session::isAlive(*session);
}

/// All that it is for, also where one of them cannot: that goes on with what it knew, which is an error, not
/// a detail.
Result<void> tellSessions(Engine& engine, const Grant& grant)
{
    REVET_ASSIGN_OR_RETURN(const auto sessions, engine.catalogue().openSessions());
    Result<void> ofFirst;
    for (const SessionInfo& session : sessions) {
        const bool isMeant
            = grant.session.isNone() ? session.project == grant.project : session.id == grant.session;
        if (!isMeant || !session::isAlive(session)) {
            continue;
        }
        Result<ipc::Client> client = engine.connect(session.id);
        if (!client && client.error().code == ErrorCode::NotFound) {
            continue; // it is about to begin, and reads them then, or has ended
        }
        const Result<void> told
            = client ? client->tellGrantsChanged(grant.id) : Result<void>(fail(client.error()));
        if (!told && told.error().code != ErrorCode::Closed && ofFirst) {
            ofFirst = fail(told.error().code, "tell the session " + session.id.text() + " of its grants",
                           told.error().context + "; it goes on with what it knew");
        }
    }
    return ofFirst;
}

Result<void> answerForProject(Engine& engine, AskRecord record, bool isApproved, const AnswerScope& scope)
{
    const std::string operation = "answer " + record.ask.id.text();
    const bool isForLater
        = std::ranges::find(record.ask.scopes, GrantScope::Project) != record.ask.scopes.end();
    if (isApproved && scope.scope != GrantScope::Project) {
        return fail(
            ErrorCode::Refused, operation,
            isForLater ? "its session has ended; `--scope project`, or `--scope 7d`, permits it to later ones"
                       : "its session has ended, and with it what it was about");
    }
    if (isApproved) {
        REVET_RETURN_IF_ERROR(approval::Inbox::checkScope(record.ask, {{}, true, scope.scope}));
    }
    if (scope.scope == GrantScope::Project && isForLater) {
        Grant grant;
        grant.kind = record.ask.kind;
        grant.isAllowed = isApproved;
        grant.scope = GrantScope::Project;
        grant.project = record.ask.project;
        grant.target = record.ask.target;
        grant.origin = record.ask.id.text();
        grant.expires = scope.until;
        REVET_RETURN_IF_ERROR(addGrant(engine, std::move(grant)));
    }
    record.state = isApproved ? AskState::Approved : AskState::Denied;
    record.scope = scope.scope;
    record.settled = SystemClock().now();
    return engine.catalogue().answers().saveAsk(record);
}

/// What could never match, or may never be given. A session that it is for looks again, at the time.
Result<void> checkTarget(Engine& engine, const Grant& grant)
{
    if (grant.kind == AskKind::Path || grant.kind == AskKind::PathWrite) {
        return engine.checkGrantable(grant);
    }
    if (grant.kind != AskKind::Destination) {
        return {};
    }
    const std::array<std::string, 1> target{grant.target};
    if (const auto rules = policy::NetworkRules::compile(target); !rules) {
        Error error = rules.error();
        error.code = ErrorCode::InvalidArgument;
        return fail(std::move(error));
    }
    return {};
}

} // namespace

Result<std::vector<AskRecord>> asks(Engine& engine)
{
    REVET_ASSIGN_OR_RETURN(auto records, engine.catalogue().answers().asks());
    std::map<SessionId, bool> served;
    for (AskRecord& record : records) {
        if (record.state != AskState::Waiting) {
            continue;
        }
        const SessionId& session = record.ask.id.session;
        if (!served.contains(session)) {
            REVET_ASSIGN_OR_RETURN(served[session], isServed(engine, session));
        }
        record.state = served[session] ? AskState::Waiting : AskState::Missed;
    }
    return records;
}

Result<AnswerScope> parseAnswerScope(std::string_view text, WallTime now)
{
    if (const auto scope = parseGrantScope(text)) {
        return AnswerScope{*scope, std::nullopt};
    }
    std::optional<WallTime> until;
    if (const auto duration = parseDuration(text)) {
        until = now + *duration;
    } else if (const auto time = parseRfc3339(text)) {
        until = *time;
    }
    if (!until || *until <= now) {
        return fail(ErrorCode::InvalidArgument, "read the scope",
                    until ? "that time is over"
                          : "write once, process, session, project, a time such as 7d, or a date");
    }
    return AnswerScope{GrantScope::Project, until};
}

Result<void> answerAsk(Engine& engine, const AskRecord& record, bool isApproved, const AnswerScope& scope)
{
    const Ask& ask = record.ask;
    if (approval::hashOf(ask) != ask.hash) {
        return fail(ErrorCode::Malformed, "answer " + ask.id.text(), "what is kept of it is damaged");
    }
    if (record.state == AskState::Approved || record.state == AskState::Denied) {
        return fail(ErrorCode::Conflict, "answer " + ask.id.text(),
                    "it has been " + std::string(toString(record.state)) + " already");
    }
    REVET_ASSIGN_OR_RETURN(const bool served, isServed(engine, ask.id.session));
    if (!served) {
        return answerForProject(engine, record, isApproved, scope);
    }
    REVET_ASSIGN_OR_RETURN(ipc::Client client, engine.connect(ask.id.session));
    REVET_RETURN_IF_ERROR(client.answerAsk({ask.id, ask.hash, isApproved, scope.scope, scope.until}));
    // Other sessions of the project have it, too.
    Grant given;
    given.project = ask.project;
    return scope.scope == GrantScope::Project ? tellSessions(engine, given) : Result<void>();
}

Result<std::vector<Grant>> grants(Engine& engine, bool isAll)
{
    REVET_ASSIGN_OR_RETURN(auto grants, engine.catalogue().answers().grants());
    if (isAll) {
        return grants;
    }
    const WallTime now = SystemClock().now();
    std::vector<Grant> inForce;
    for (Grant& grant : grants) {
        if (!grant.isInForce(now)) {
            continue;
        }
        bool isServedNow = grant.session.isNone();
        if (!isServedNow) {
            REVET_ASSIGN_OR_RETURN(isServedNow, isServed(engine, grant.session));
        }
        if (isServedNow) {
            inForce.push_back(std::move(grant));
        }
    }
    return inForce;
}

Result<std::int64_t> addGrant(Engine& engine, Grant grant)
{
    REVET_RETURN_IF_ERROR(checkTarget(engine, grant));
    grant.created = SystemClock().now();
    REVET_ASSIGN_OR_RETURN(const std::int64_t id, engine.catalogue().answers().addGrant(grant));
    grant.id = id;
    const Result<void> told = tellSessions(engine, grant);
    if (!told && !grant.session.isNone()) { // nobody else has it
        REVET_RETURN_IF_ERROR(engine.catalogue().answers().revokeGrant(id, grant.created));
        // It may have been too slow, not unable, and have it still; where it cannot be told, that is said
        // below.
        static_cast<void>(tellSessions(engine, grant).has_value());
    }
    return told ? Result<std::int64_t>(id) : fail(told.error());
}

Result<void> revokeGrant(Engine& engine, std::int64_t id)
{
    journal::Answers answers = engine.catalogue().answers();
    REVET_RETURN_IF_ERROR(answers.revokeGrant(id, SystemClock().now()));
    REVET_ASSIGN_OR_RETURN(const auto grant, answers.grant(id));
    return tellSessions(engine, *grant);
}

} // namespace revet::api
