// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/session_process.h"

#include "engine/base/log.h"
#include "engine/domain/display_escape.h"
#include "engine/domain/error_line.h"
#include "engine/domain/places.h"
#include "engine/ipc/protocol.h"
#include "engine/ipc/run_request.h"
#include "engine/journal/catalogue.h"
#include "engine/journal/journal_writer.h"
#include "engine/journal/remove_tree.h"
#include "engine/session/account.h"
#include "engine/session/continuation.h"
#include "engine/session/preparation.h"
#include "engine/session/project_settings.h"
#include "engine/session/recovery.h"
#include "engine/session/running_session.h"
#include "engine/session/session_rules.h"
#include "engine/session/settings_application.h"
#include "engine/session/tier_choice.h"
#include "engine/session/tier_health.h"
#include "engine/session/workspace_record.h"
#include "engine/tiers/system_view.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace revet::session {

namespace {

/// What the caller ignores came to us with the process: nohup and shells count on it.
std::uint64_t ignoredSignals()
{
    std::uint64_t ignored = 0;
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action = {};
        if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
            ignored |= std::uint64_t{1} << static_cast<unsigned>(number - 1);
        }
    }
    return ignored;
}

void detachFromCaller()
{
    ::setsid(); // the caller's terminal and its Ctrl-C are the front end's business
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); // a keeper's orphans come to us, not to the machine's init
    // SIGXFSZ: a journal that cannot grow is an error to tell, not a death. SIGIO: another program broke a
    // lease of ours. Ignoring what exists cannot fail.
    for (const int number : {SIGPIPE, SIGHUP, SIGXFSZ, SIGIO}) {
        static_cast<void>(::signal(number, SIG_IGN));
    }
    ::close_range(static_cast<unsigned>(ipc::kFrontEndFd) + 1, ~0U, 0);
    ::fcntl(ipc::kFrontEndFd, F_SETFD, FD_CLOEXEC);
}

Result<ipc::RunRequest> receiveRequest(const ipc::Channel& channel)
{
    REVET_ASSIGN_OR_RETURN(const auto frame, channel.receive());
    REVET_ASSIGN_OR_RETURN(const auto message, ipc::decode(frame.bytes));
    if (!std::holds_alternative<ipc::Run>(message) || frame.fds.size() != 1) {
        return fail(ErrorCode::Malformed, "read the request", "start sessions with 'revet run'");
    }
    REVET_ASSIGN_OR_RETURN(const auto json,
                           ipc::readSealed(frame.fds.front().get(), ipc::kMaximumRequestBytes));
    return ipc::decodeRunRequest(json);
}

struct Registered
{
    Surroundings surroundings;
    std::string because;
    bool isNewProject = false;
    std::string waiting; ///< whose changes this session does not have, for a person who was not asked
    std::vector<std::string> ignoredSettings; ///< what an untrusted .revet.toml asked for in vain
};

/// Enters project and session into the catalogue, completes the request by the settings, decides the tier.
Result<Registered> registerSession(ipc::RunRequest& request, const FoundProject& project,
                                   const Account& account, const Places& places,
                                   journal::Catalogue& catalogue)
{
    REVET_ASSIGN_OR_RETURN(const auto live, recoverDeadSessions(catalogue, places));
    REVET_ASSIGN_OR_RETURN(const auto settings, loadProjectSettings(places, catalogue, project.path));
    applySettings(settings.effective.settings(), project.path, account.home, request);
    struct stat root = {};
    if (::stat(project.path.c_str(), &root) != 0) {
        return failErrno("look at " + project.path);
    }
    if (settings.project.inode != root.st_ino) {
        // What was granted was granted to what lay here then. (The device's number changes with each mount.)
        journal::ProjectRecord record = settings.project;
        record.device = root.st_dev;
        record.inode = root.st_ino;
        REVET_RETURN_IF_ERROR(catalogue.answers().revokeProject(project.path, SystemClock().now()));
        REVET_RETURN_IF_ERROR(catalogue.updateProject(record));
    }
    TierSituation situation;
    situation.isNewProject = settings.isNew;
    situation.isOwnWork = root.st_uid == ::getuid();
    situation.hasLiveSession = std::any_of(live.begin(), live.end(), [&](const SessionInfo& session) {
        return session.project == project.path;
    });
    std::optional<SessionInfo> continues;
    if (request.continues) {
        REVET_ASSIGN_OR_RETURN(const SessionId id, SessionId::parse(*request.continues));
        REVET_ASSIGN_OR_RETURN(continues, catalogue.session(id));
        if (!continues) {
            return fail(ErrorCode::NotFound, "continue the session " + id.text(), "there is none");
        }
        REVET_RETURN_IF_ERROR(checkContinuation(places, *continues, project.path));
        if (request.tier && *request.tier != continues->tier) {
            return fail(ErrorCode::Refused, "continue the session " + id.text(),
                        "its changes are in a layer, which the tier " + std::string(toString(*request.tier))
                            + " does not have");
        }
        request.tier = continues->tier;
    }
    REVET_ASSIGN_OR_RETURN(auto choice, chooseTier(request, settings.effective.settings().tier, situation));
    REVET_RETURN_IF_ERROR(usableTier(choice.tier, places));

    Registered registered;
    REVET_ASSIGN_OR_RETURN(const auto projects, catalogue.projects());
    std::ranges::transform(projects, std::back_inserter(registered.surroundings.projects),
                           &journal::ProjectRecord::path);
    registered.surroundings.session = describeSession(request, project, choice.tier);
    REVET_ASSIGN_OR_RETURN(registered.surroundings.session.id,
                           catalogue.addSession(registered.surroundings.session));
    REVET_ASSIGN_OR_RETURN(const auto grants, catalogue.answers().grantsFor(SessionId(), project.path));
    registered.surroundings.hasGrants = std::ranges::any_of(grants, [](const Grant& grant) {
        return grant.kind == AskKind::Destination && grant.isAllowed && grant.isInForce(SystemClock().now());
    });
    registered.surroundings.places = places;
    registered.surroundings.account = account;
    if (!continues && !request.isInteractive) {
        REVET_ASSIGN_OR_RETURN(auto waiting, catalogue.waitingSessions(project.path));
        std::erase_if(waiting, [&](const SessionInfo& session) {
            return !areRootsThere(places.sessionDirectory(session.id));
        });
        registered.waiting = waiting.empty() ? "" : waiting.back().id.text();
    }
    registered.surroundings.continues = std::move(continues);
    registered.surroundings.projectKey = std::to_string(settings.project.id);
    registered.surroundings.undo = settings.effective.settings().undo;
    registered.surroundings.network = rulesOf(settings);
    registered.ignoredSettings = settings.ignored;
    registered.because = choice.because;
    registered.isNewProject = settings.isNew;
    return registered;
}

void tellFailure(FrontEnd& frontEnd, const Error& error)
{
    frontEnd.send(ipc::Failed{ipc::kRevetFailed, errorLine(error)});
}

void recordEnd(journal::Catalogue& catalogue, SessionInfo info)
{
    info.sessionPid = 0;
    if (const auto updated = catalogue.updateSession(info); !updated) {
        log(LogLevel::Error, "session", "record the end: " + toString(updated.error()));
    }
}

/// What a session needs whatever it is asked for; made while the front end still reads its command line.
struct Readiness
{
    Places places;
    Box box;
    ShippedData data;
    journal::Catalogue catalogue;
};

/// A box whose journal finds no room is ended on the spot: better to say so before it begins.
Result<void> findRoom(const std::filesystem::path& data)
{
    constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20U;
    constexpr std::uint64_t kNeeded = journal::kJournalRoom + 4 * kMegabyte; // for the other records
    struct statvfs room = {};
    // What does not say how much room it has (0 blocks) may have enough.
    if (::statvfs(data.c_str(), &room) != 0 || room.f_blocks == 0) {
        return {};
    }
    const std::uint64_t free = std::uint64_t{room.f_bavail} * room.f_frsize;
    return free >= kNeeded
        ? Result<void>()
        : fail(ErrorCode::Unavailable, "start a session",
               "the disk is full: " + std::to_string(free / kMegabyte) + " MiB are free where "
                   + data.string() + " is, and its records need " + std::to_string(kNeeded / kMegabyte)
                   + "; make room there; `revet prune --older-than 7d` removes old records");
}

Result<Box> startLauncher()
{
    if (::getuid() == 0) {
        return fail(ErrorCode::Refused, "start a session as root", "run revet as the user whose work it is");
    }
    REVET_ASSIGN_OR_RETURN(const auto installation, Installation::find());
    return Box::start((installation.libexec / "revet-launch").string());
}

struct Beginning
{
    std::uint64_t ignoredSignals;
    Result<Box> box;
};

std::optional<Beginning>& beginning()
{
    static std::optional<Beginning> made;
    return made;
}

Result<Readiness> getReady(Result<Box> started)
{
    REVET_ASSIGN_OR_RETURN(auto box, std::move(started));
    REVET_RETURN_IF_ERROR(box.begin(tiers::systemView()));
    REVET_ASSIGN_OR_RETURN(const auto installation, Installation::find());
    REVET_ASSIGN_OR_RETURN(const auto places, Places::find());
    ShippedData data(installation, places);
    REVET_RETURN_IF_ERROR(data.preload());
    REVET_RETURN_IF_ERROR(makePrivateDirectory(places.data));
    REVET_RETURN_IF_ERROR(findRoom(places.data));
    REVET_ASSIGN_OR_RETURN(auto catalogue, journal::Catalogue::open(places.catalogue()));
    return Readiness{places, std::move(box), std::move(data), std::move(catalogue)};
}

/// Serves one request from start to end. An error: nothing ran, and the front end has to be told.
Result<void> serve(FrontEnd& frontEnd, ipc::RunRequest request, Readiness& ready, std::uint64_t ignored,
                   RunningSession::PlanEdit edit)
{
    const Places& places = ready.places;
    journal::Catalogue& catalogue = ready.catalogue;
    REVET_ASSIGN_OR_RETURN(const auto account, findAccount(request.environment));
    REVET_ASSIGN_OR_RETURN(const auto project,
                           findProject(request.project, request.currentDirectory, account.home, places));
    REVET_ASSIGN_OR_RETURN(const auto registered,
                           registerSession(request, project, account, places, catalogue));

    setUpLog(places.sessionDirectory(registered.surroundings.session.id) / "session.log");
    auto preparation = prepare(request, project, registered.surroundings, ready.data);
    const std::optional<SessionInfo>& continues = registered.surroundings.continues;
    if (!preparation && continues) {
        // Else the changes are in the new session's directory, and that stays.
        REVET_RETURN_IF_ERROR(giveLayerBack(places, *continues, registered.surroundings.session.id));
    }
    if (!preparation) {
        const SessionId& id = registered.surroundings.session.id;
        static_cast<void>(catalogue.removeSession(id).has_value());
        const UniqueFd sessions(
            ::open((places.data / "sessions").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        static_cast<void>(journal::removeTree(sessions.get(), id.text()).has_value());
        return fail(preparation.error());
    }
    preparation->command.ignoredSignals = ignored;
    if (!registered.waiting.empty()) {
        preparation->waiting = "it began without the changes of " + registered.waiting
            + ", which wait: 'revet run --continue' goes on with such";
    }
    if (continues) {
        SessionInfo closed = *continues;
        closed.state = SessionState::Closed;
        recordEnd(catalogue, closed);
        preparation->isContinued = true;
        preparation->lines.front() += ", with the changes of " + continues->id.text();
    }
    if (!registered.because.empty()) {
        preparation->lines.front() += " (" + registered.because + ")";
    }
    if (registered.isNewProject) {
        preparation->lines.front() += "; registered as a new project";
    }
    for (const std::string& setting : registered.ignoredSettings) {
        preparation->lines.push_back("ignored of .revet.toml: " + displayEscape(setting)
                                     + "; 'revet project trust' lets it widen");
    }
    RunningSession session(std::move(ready.box), std::move(*preparation), request, std::move(frontEnd),
                           catalogue.answers());
    session.setPlanEdit(std::move(edit));
    session.setEndRecord([&catalogue](const SessionInfo& info) { recordEnd(catalogue, info); });
    const auto end = session.run(ready.data, places);
    if (!end) {
        // Which of its sockets noticed first says nothing to a person.
        std::string why = errorLine(end.error());
        if (end.error().code == ErrorCode::Closed) {
            const std::string alarm = session.alarm();
            why = "start the box: "
                + (alarm.empty() ? "its keeper ended while it was built; something outside may have killed it"
                                 : alarm);
        }
        session.finish(
            {"it could not be started", std::nullopt, ipc::Failed{ipc::kRevetFailed, std::move(why)}},
            places);
    } else {
        session.finish(*end, places);
    }
    if (const auto emptied = catalogue.emptyLog(); !emptied) { // nobody waits for us any more
        log(LogLevel::Info, "session", "empty the log of the catalogue: " + toString(emptied.error()));
    }
    if (session.isHanging()) {
        ::_exit(0); // nothing of what the thread uses may be destroyed
    }
    return {};
}

} // namespace

void beginSessionProcess()
{
    // What a start frees it needs again soon: nothing goes back to the kernel, and comes in larger pieces.
    ::mallopt(M_TRIM_THRESHOLD, 16 << 20);
    ::mallopt(M_TOP_PAD, 1 << 19);
    const std::uint64_t ignored = ignoredSignals();
    detachFromCaller();
    beginning().emplace(Beginning{ignored, startLauncher()});
}

int runSessionProcess(RunningSession::PlanEdit edit)
{
    if (!beginning()) {
        beginSessionProcess();
    }
    const std::uint64_t ignored = beginning()->ignoredSignals;
    auto ready = getReady(std::move(beginning()->box));
    ipc::Channel channel{UniqueFd(ipc::kFrontEndFd)};
    auto request = receiveRequest(channel);
    if (!request) {
        static_cast<void>(std::fprintf(stderr, "revet-session: %s\n", toString(request.error()).c_str()));
        return ipc::kRevetFailed;
    }
    FrontEnd frontEnd(std::move(channel));
    const auto served = ready ? serve(frontEnd, std::move(*request), *ready, ignored, std::move(edit))
                              : Result<void>(fail(ready.error()));
    if (!served) {
        tellFailure(frontEnd, served.error());
        return ipc::kRevetFailed;
    }
    return 0;
}

} // namespace revet::session
