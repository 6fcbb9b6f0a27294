// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/domain/session_info.h"
#include "engine/journal/answers.h"
#include "engine/journal/database.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::journal {

/// A directory that the user works in.
struct ProjectRecord
{
    std::int64_t id = 0; ///< given by the catalogue
    std::string path; ///< absolute, bytes
    std::uint64_t device = 0; ///< of the root directory when it was registered
    std::uint64_t inode = 0;
    WallTime created{};
    WallTime seen{}; ///< last use
    std::string settingsFile; ///< name under the configuration's projects/
    std::string trustedHash; ///< of the .revet.toml that the user trusts; empty for none
};

/// The one list of projects and sessions, shared by all of the user's Revet processes: every change is one
/// transaction, and a busy file is waited for. One thread per object.
class Catalogue
{
public:
    /// Creates the file (mode 0600) when there is none. A damaged one is an error that names it and the
    /// remedy.
    [[nodiscard]] static Result<Catalogue> open(const std::filesystem::path& file);

    /// Registers a project, or gives the one that has this path already; `id` is ignored.
    [[nodiscard]] Result<ProjectRecord> addProject(const ProjectRecord& project);
    [[nodiscard]] Result<void> updateProject(const ProjectRecord& project); ///< by id; NotFound
    [[nodiscard]] Result<std::vector<ProjectRecord>> projects(); ///< by path
    [[nodiscard]] Result<std::optional<ProjectRecord>> projectAt(std::string_view path);

    /// Adds a session under a new random id, which it returns; `session.id` is ignored.
    [[nodiscard]] Result<SessionId> addSession(SessionInfo session);
    [[nodiscard]] Result<void> updateSession(const SessionInfo& session); ///< by id; NotFound
    [[nodiscard]] Result<void> removeSession(const SessionId& id); ///< NotFound
    /// All sessions, or those of one project, oldest first.
    [[nodiscard]] Result<std::vector<SessionInfo>> sessions(std::optional<std::string> project = {});
    /// Moves a write-ahead log that has grown long into the file, waiting for the disk: for when nobody
    /// waits.
    [[nodiscard]] Result<void> emptyLog();
    /// Those whose end nobody has recorded yet: running, or their revet-session has died.
    [[nodiscard]] Result<std::vector<SessionInfo>> openSessions();
    /// Those of a project whose layer waits for a decision, oldest first.
    [[nodiscard]] Result<std::vector<SessionInfo>> waitingSessions(const std::string& project);
    [[nodiscard]] Result<std::optional<SessionInfo>> session(const SessionId& id);
    /// Asks and grants; not to outlive this.
    [[nodiscard]] Answers answers() { return Answers(m_database); }

private:
    explicit Catalogue(Database database)
        : m_database(std::move(database))
    {
    }
    [[nodiscard]] Result<void> writeSession(Statement& statement, const SessionInfo& session);
    [[nodiscard]] Result<std::vector<SessionInfo>> readSessions(const std::string& where,
                                                                std::optional<std::string_view> parameter);
    [[nodiscard]] Result<std::vector<ProjectRecord>> readProjects(const std::string& where,
                                                                  std::optional<std::string_view> parameter);
    /// Adds which file it is and what to do about it.
    [[nodiscard]] tl::unexpected<Error> explain(Error error) const;

    Database m_database;
};

} // namespace revet::journal
