// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/domain/ask.h"
#include "engine/domain/grant.h"

#include <optional>
#include <string>
#include <vector>

namespace revet::api {

/// All that is kept, oldest first. What a session that has died left open is missed.
[[nodiscard]] Result<std::vector<AskRecord>> asks(Engine& engine);

/// How far an answer goes, as it is written: a scope, or until when in the project.
struct AnswerScope
{
    GrantScope scope = GrantScope::Once;
    std::optional<WallTime> until;
};
/// "once", "process", "session", "project", "7d" or RFC 3339. InvalidArgument; for a time that is over, too.
[[nodiscard]] Result<AnswerScope> parseAnswerScope(std::string_view text, WallTime now);

/// Answers what `record` shows: whatever has become something else by now is a Conflict. Where its session
/// has ended, the answer is the project's.
[[nodiscard]] Result<void> answerAsk(Engine& engine, const AskRecord& record, bool isApproved,
                                     const AnswerScope& scope);

/// Those in force, or all, oldest first.
[[nodiscard]] Result<std::vector<Grant>> grants(Engine& engine, bool isAll);
/// Gives a grant that nobody asked for; its number. At once for new connections of the sessions that it is
/// about. Malformed where it could never match.
[[nodiscard]] Result<std::int64_t> addGrant(Engine& engine, Grant grant);
/// The same backwards. NotFound, Conflict.
[[nodiscard]] Result<void> revokeGrant(Engine& engine, std::int64_t id);

} // namespace revet::api
