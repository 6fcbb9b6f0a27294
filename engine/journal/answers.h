// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/ask.h"
#include "engine/domain/grant.h"
#include "engine/journal/database.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace revet::journal {

/// What people were asked and what they said, in the catalogue; every change is one transaction. Belongs to
/// the Catalogue that it is from, and to its thread.
class Answers
{
public:
    explicit Answers(Database& database)
        : m_database(&database)
    {
    }

    /// Adds an ask or says what has become of it.
    [[nodiscard]] Result<void> saveAsk(const AskRecord& record);
    /// Oldest first; of all sessions, or of one.
    [[nodiscard]] Result<std::vector<AskRecord>> asks(const std::optional<SessionId>& session = {});
    [[nodiscard]] Result<std::optional<AskRecord>> ask(const AskId& id);
    /// Nobody serves this session any more: what still waited is missed.
    [[nodiscard]] Result<void> missAsks(const SessionId& session, WallTime now);

    /// Adds a grant under a new number, which it returns; `grant.id` is ignored.
    [[nodiscard]] Result<std::int64_t> addGrant(const Grant& grant);
    /// Oldest first: all, those that were revoked too.
    [[nodiscard]] Result<std::vector<Grant>> grants();
    [[nodiscard]] Result<std::optional<Grant>> grant(std::int64_t id);
    /// Those of a session and its project that are not revoked.
    [[nodiscard]] Result<std::vector<Grant>> grantsFor(const SessionId& session, const std::string& project);
    [[nodiscard]] Result<void> revokeGrant(std::int64_t id,
                                           WallTime now); ///< NotFound; Conflict: it was before
    /// All of a project's own: another directory has come in its place.
    [[nodiscard]] Result<void> revokeProject(const std::string& project, WallTime now);
    [[nodiscard]] Result<void> noteUse(std::int64_t id, std::uint64_t hits, WallTime last, bool isUsedUp);

    /// Within a transaction of the caller's: all of a session that goes.
    [[nodiscard]] Result<void> forget(const SessionId& session);

private:
    [[nodiscard]] Result<std::vector<Grant>> readGrants(Statement select);

    Database* m_database;
};

} // namespace revet::journal
