// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/engine.h"

#include "engine/base/unique_fd.h"
#include "engine/journal/remove_tree.h"
#include "engine/session/account.h"
#include "engine/session/grantable_path.h"
#include "engine/session/installation.h"
#include "engine/session/project_finder.h"
#include "engine/session/recovery.h"
#include "engine/session/shipped_data.h"
#include "engine/session/undo_files.h"
#include "engine/session/workspace_record.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include <fcntl.h>

namespace revet::api {

namespace {

/// TERM, 10 s, KILL, 5 s for what hangs in the kernel, and the session's own last steps.
constexpr std::chrono::seconds kStopTime{25};
/// From its last word until it is recorded that it is over.
constexpr std::chrono::seconds kEndTime{10};
constexpr std::chrono::milliseconds kLook{10};

/// Its changes wait in a layer.
bool isUndecided(const SessionInfo& session)
{
    return session.state == SessionState::Review || (isLive(session) && session.tier == Tier::Container);
}

/// A layer that waits for a decision is work, not a record.
bool mustKeep(const SessionInfo& session)
{
    return isLive(session) || session.state == SessionState::Review;
}

} // namespace

Result<Engine> Engine::open()
{
    REVET_ASSIGN_OR_RETURN(Places places, Places::find());
    REVET_RETURN_IF_ERROR(makePrivateDirectory(places.data));
    REVET_ASSIGN_OR_RETURN(journal::Catalogue catalogue, journal::Catalogue::open(places.catalogue()));
    return Engine(std::move(places), std::move(catalogue));
}

Result<std::vector<SessionInfo>> Engine::sessions()
{
    REVET_ASSIGN_OR_RETURN(std::vector<SessionInfo> sessions, m_catalogue.sessions());
    for (SessionInfo& session : sessions) {
        if (isLive(session)) {
            refresh(session);
        }
    }
    return sessions;
}

void Engine::refresh(SessionInfo& session) const
{
    Result<ipc::Client> client = connect(session.id);
    if (client) {
        if (Result<SessionInfo> info = client->info()) {
            session = *std::move(info);
        }
        return;
    }
    if (client.error().code == ErrorCode::NotFound && !session::isAlive(session)) {
        session::noteDeath(session);
    }
}

Result<std::vector<SessionInfo>> Engine::findSessions(std::string_view wanted, std::string_view directory,
                                                      Candidates candidates)
{
    REVET_ASSIGN_OR_RETURN(std::vector<SessionInfo> all, sessions());
    if (!wanted.empty()) {
        REVET_ASSIGN_OR_RETURN(std::vector<SessionInfo> found, chooseSessions(all, wanted));
        // A label is used again: of those that have it, an ended one cannot be meant.
        if (candidates == Candidates::Live && std::ranges::any_of(found, isLive)) {
            std::erase_if(found, [](const SessionInfo& session) { return !isLive(session); });
        }
        return found;
    }
    if (directory.empty()) {
        return fail(ErrorCode::NotFound, "find the current directory",
                    "it was removed: change to one that exists, or name a session");
    }
    std::vector<SessionInfo> here = sessionsAround(all, directory);
    if (candidates == Candidates::Live) {
        std::erase_if(here, [](const SessionInfo& session) { return !isLive(session); });
    }
    const auto isDecidable = [this](const SessionInfo& session) {
        return isUndecided(session) && session::areRootsThere(m_places.sessionDirectory(session.id));
    };
    if (candidates == Candidates::Undecided && std::ranges::any_of(here, isDecidable)) {
        std::erase_if(here, std::not_fn(isDecidable));
    }
    if (here.empty()) {
        return candidates == Candidates::Live
            ? fail(ErrorCode::NotFound, "find a session that runs in this directory's project",
                   "`revet ps` lists those that run elsewhere")
            : fail(ErrorCode::NotFound, "find a session of this directory's project",
                   "`revet run -- COMMAND` starts one, `revet ps --all` lists those of others");
    }
    return here;
}

Result<journal::JournalReader> Engine::openJournal(const SessionId& id) const
{
    return journal::JournalReader::open(m_places.journal(id));
}

Result<journal::VerifyReport> Engine::verify(const SessionId& id) const
{
    return journal::verify(m_places.journal(id));
}

Result<ipc::Client> Engine::connect(const SessionId& id) const
{
    return ipc::Client::connect(m_places.controlSocket(id));
}

Result<void> Engine::stop(const SessionId& id, ipc::Stop how)
{
    Result<ipc::Client> client = connect(id);
    const Result<void> said = client ? client->stop(how) : fail(client.error());
    const Result<void> told = said ? client->waitForEnd(kStopTime) : said;
    if (!told && told.error().code != ErrorCode::Closed && told.error().code != ErrorCode::NotFound) {
        return told;
    }
    // It hangs up at its end, and on whom it takes no word from. One that begins or ends has no socket.
    const SystemClock clock;
    for (const SteadyTime last = clock.steadyNow() + kEndTime; clock.steadyNow() < last;) {
        REVET_ASSIGN_OR_RETURN(const auto session, m_catalogue.session(id));
        if (!session || !isLive(*session) || !session::isAlive(*session)) {
            return {};
        }
        std::this_thread::sleep_for(kLook);
    }
    return fail(ErrorCode::Refused, "stop " + id.text(),
                (said || said.error().code == ErrorCode::Closed)
                    ? "it hung up and still runs; say it outside of boxes, containers and seccomp filters"
                    : "it runs and cannot be spoken to; try again in a moment");
}

Result<std::vector<journal::PruneItem>> Engine::planPrune(const journal::RetentionLimits& limits)
{
    const WallTime now = SystemClock().now();
    REVET_ASSIGN_OR_RETURN(
        auto plan, journal::planPrune(m_catalogue, m_places.data / "sessions", limits, now, mustKeep));
    REVET_ASSIGN_OR_RETURN(const auto sessions, m_catalogue.sessions());
    for (const SessionInfo& session : sessions) {
        const bool goes = std::ranges::any_of(
            plan, [&session](const journal::PruneItem& item) { return item.session.id == session.id; });
        if (goes || mustKeep(session)) {
            continue;
        }
        REVET_ASSIGN_OR_RETURN(const session::KeptUndo undo, session::keptUndo(m_places, session.id));
        const WallTime last = std::max(undo.lastUse, session.ended.value_or(session.started));
        if (!undo.directories.empty() && now - last > limits.undoAge) {
            plan.push_back({session, undo.bytes, journal::PruneItem::Reason::UndoTooOld});
        }
    }
    return plan;
}

Result<void> Engine::prune(const journal::PruneItem& item)
{
    if (item.reason == journal::PruneItem::Reason::UndoTooOld) {
        REVET_ASSIGN_OR_RETURN(const auto present, m_catalogue.session(item.session.id));
        if (!present || mustKeep(*present)) {
            return fail(ErrorCode::Conflict, "prune the undo of " + item.session.id.text(),
                        "it is in use again");
        }
        REVET_ASSIGN_OR_RETURN(const session::KeptUndo undo, session::keptUndo(m_places, item.session.id));
        return session::removeUndo(undo.directories);
    }
    REVET_ASSIGN_OR_RETURN(const auto elsewhere, session::undoElsewhere(m_places, item.session.id));
    REVET_RETURN_IF_ERROR(journal::prune(m_catalogue, m_places.data / "sessions", item, mustKeep));
    return session::removeUndo(elsewhere);
}

Result<Engine::Usage> Engine::usage()
{
    Usage usage;
    REVET_ASSIGN_OR_RETURN(const auto sessions, m_catalogue.sessions());
    const std::filesystem::path directory = m_places.data / "sessions";
    const UniqueFd opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const SessionInfo& session : sessions) {
        REVET_ASSIGN_OR_RETURN(const session::KeptUndo undo, session::keptUndo(m_places, session.id));
        ++usage.sessions;
        usage.undoBytes += undo.bytes;
        usage.bytes += journal::treeBytes(opened.get(), session.id.text());
        for (const std::filesystem::path& part : undo.directories) {
            if (part.parent_path() != m_places.sessionDirectory(session.id)) {
                const UniqueFd above(::open(part.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
                usage.bytes += journal::treeBytes(above.get(), part.filename().string());
            }
        }
    }
    return usage;
}

Result<policy::ProfileSet> Engine::profiles() const
{
    REVET_ASSIGN_OR_RETURN(session::Installation installation, session::Installation::find());
    return session::ShippedData(std::move(installation), m_places).profiles();
}

Result<std::string> Engine::findProject(const std::optional<std::string>& named,
                                        const std::string& directory) const
{
    REVET_ASSIGN_OR_RETURN(const session::Account account, session::findAccount(session::ownEnvironment()));
    REVET_ASSIGN_OR_RETURN(session::FoundProject found,
                           session::findProject(named, directory, account.home, m_places));
    return std::move(found.path);
}

Result<void> Engine::checkGrantable(const Grant& grant) const
{
    REVET_ASSIGN_OR_RETURN(const session::Account account, session::findAccount(session::ownEnvironment()));
    REVET_ASSIGN_OR_RETURN(auto installation, session::Installation::find());
    const session::ShippedData data(std::move(installation), m_places);
    REVET_ASSIGN_OR_RETURN(const auto hidden, data.hidden(account.home));
    REVET_RETURN_IF_ERROR(session::grantablePath(grant.target, account.home, m_places, hidden));
    if (grant.kind != AskKind::PathWrite) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(const auto runLater, data.runLater());
    return session::checkWritable(grant.target, account.home, runLater);
}

Result<std::filesystem::path> shareDirectory()
{
    REVET_ASSIGN_OR_RETURN(const session::Installation installation, session::Installation::find());
    return installation.share;
}

} // namespace revet::api
