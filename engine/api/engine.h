// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/session_choice.h"
#include "engine/api/session_start.h"
#include "engine/domain/places.h"
#include "engine/ipc/client.h"
#include "engine/ipc/protocol.h"
#include "engine/journal/catalogue.h"
#include "engine/journal/event_json.h"
#include "engine/journal/export.h"
#include "engine/journal/journal_reader.h"
#include "engine/journal/retention.h"
#include "engine/journal/verify.h"
#include "engine/policy/profile.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::api {

/// The one door of front ends to everything but the start of a session (startSession()). One thread.
class Engine
{
public:
    /// Finds the user's places and opens the catalogue; makes it when there is none yet.
    [[nodiscard]] static Result<Engine> open();

    [[nodiscard]] const Places& places() const { return m_places; }
    [[nodiscard]] journal::Catalogue& catalogue() { return m_catalogue; }

    /// All sessions, oldest first. Live ones are asked for their present state; one whose revet-session was
    /// killed is shown as it will be recorded: ended, or with changes that wait.
    [[nodiscard]] Result<std::vector<SessionInfo>> sessions();
    enum class Candidates : std::uint8_t { All, Live, Undecided };
    /// The sessions that `wanted` can mean, oldest first (see chooseSessions()), live ones before others
    /// where Live is asked for; empty: the candidates of the project around `directory`. Undecided: those
    /// whose changes wait, or else all. NotFound: there are none.
    [[nodiscard]] Result<std::vector<SessionInfo>>
    findSessions(std::string_view wanted, std::string_view directory, Candidates candidates);

    [[nodiscard]] Result<journal::JournalReader> openJournal(const SessionId& id) const;
    [[nodiscard]] Result<journal::VerifyReport> verify(const SessionId& id) const;
    [[nodiscard]] Result<ipc::Client> connect(const SessionId& id) const;

    /// Asks a session to stop and waits until its box is gone, 35 s at most.
    [[nodiscard]] Result<void> stop(const SessionId& id, ipc::Stop how);

    [[nodiscard]] Result<std::vector<journal::PruneItem>> planPrune(const journal::RetentionLimits& limits);
    [[nodiscard]] Result<void> prune(const journal::PruneItem& item);
    /// What is kept, on the disk.
    struct Usage
    {
        std::size_t sessions = 0;
        std::uint64_t bytes = 0;
        std::uint64_t undoBytes = 0; ///< of that for undo
    };
    [[nodiscard]] Result<Usage> usage();

    /// Shipped profiles and the user's own, which win.
    [[nodiscard]] Result<policy::ProfileSet> profiles() const;
    /// The project that `revet run` would take: the named directory, the git work tree around `directory`, or
    /// that directory; absolute and canonical. Refused where a run would be.
    [[nodiscard]] Result<std::string> findProject(const std::optional<std::string>& named,
                                                  const std::string& directory) const;
    /// Whether a box may be shown this path of the user's (session::grantablePath).
    [[nodiscard]] Result<void> checkGrantable(const Grant& grant) const;

private:
    Engine(Places places, journal::Catalogue catalogue)
        : m_places(std::move(places))
        , m_catalogue(std::move(catalogue))
    {
    }
    void refresh(SessionInfo& session) const;

    Places m_places;
    journal::Catalogue m_catalogue;
};

/// PREFIX/share/revet of the running program.
[[nodiscard]] Result<std::filesystem::path> shareDirectory();

} // namespace revet::api
