// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/running_session.h"

#include "engine/base/log.h"
#include "engine/domain/error_line.h"
#include "engine/session/box_view.h"
#include "engine/session/exec_failure.h"
#include "engine/session/host_pins.h"
#include "engine/session/rule_uses.h"
#include "engine/tiers/plan_builder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace revet::session {

namespace {

using launcher::Report;

constexpr std::uint32_t kFirstCommand = 1;
constexpr std::chrono::seconds kStopPatience{10};
constexpr std::chrono::seconds kHangPatience{5};

Fact sessionFact(std::string target, std::string rule = {}, std::int64_t detail = 0)
{
    return {ActionKind::Session,
            Verdict::Permitted,
            Reach::None,
            std::move(target),
            {},
            std::move(rule),
            0,
            detail};
}

/// A box of many processes costs us descriptors for each. Not before the launcher has started: it and the box
/// keep the caller's limit.
void raiseDescriptorLimit()
{
    rlimit limit = {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit); // with the lower one, what cannot be looked at is refused
    }
}

} // namespace

RunningSession::RunningSession(Box box, Preparation preparation, ipc::RunRequest request, FrontEnd frontEnd,
                               std::optional<journal::Answers> answers)
    : m_preparation(std::move(preparation))
    , m_request(std::move(request))
    , m_frontEnd(std::move(frontEnd))
    , m_box(std::move(box))
    , m_answers(answers)
{
}

RunningSession::~RunningSession() = default;

Result<SessionEnd> RunningSession::run(const ShippedData& data, const Places& places)
{
    REVET_RETURN_IF_ERROR(openLayers());
    REVET_RETURN_IF_ERROR(startBox(places));
    // While the launcher builds the box on the other core.
    REVET_RETURN_IF_ERROR(startJournal(places));
    REVET_RETURN_IF_ERROR(startAsking(data.installation()));
    REVET_ASSIGN_OR_RETURN(m_runLater, data.runLater());
    const std::vector<std::string> roots = directRoots(m_preparation.spec);
    m_repositories = GitState::of(roots);
    if (!roots.empty()) {
        const std::string& home = m_preparation.spec.home;
        REVET_ASSIGN_OR_RETURN(
            const auto pins, hostPins(*m_repositories, m_runLater, roots, home, userGitFiles(home, places)));
        m_runLater = std::move(m_runLater).with(pins);
    }
    REVET_RETURN_IF_ERROR(startUndo(data, places));
    REVET_ASSIGN_OR_RETURN(auto root, m_box.waitUntilReady(m_frontEnd.fd()));
    REVET_RETURN_IF_ERROR(startNetwork(places));
    REVET_ASSIGN_OR_RETURN(UniqueFd sameRoot, root.duplicate());
    REVET_RETURN_IF_ERROR(startSupervisor(std::move(root), data, places));
    REVET_RETURN_IF_ERROR(listenToBox(std::move(sameRoot), places));
    REVET_RETURN_IF_ERROR(startGrants(data, places));
    if (!m_preparation.command.wantsTerminal) {
        announceStart();
    }
    return serve();
}

Result<void> RunningSession::startBox(const Places& places)
{
    const std::filesystem::path socket = places.controlSocket(m_preparation.info.id);
    m_preparation.spec.removeAtEnd.push_back(socket.string());
    REVET_ASSIGN_OR_RETURN(auto plan, tiers::buildPlan(m_preparation.spec));
    if (m_planEdit) {
        m_planEdit(plan);
    }
    launcher::SpawnRequest& command = m_preparation.command;
    command.steps = std::move(plan.command);
    plan.command.clear();
    REVET_ASSIGN_OR_RETURN(m_streams, makeStreams(m_request.terminal, command));
    REVET_RETURN_IF_ERROR(m_box.build(std::move(plan)));
    // The command's process gets as far as its exec, which waits until the supervisor serves the listener.
    REVET_RETURN_IF_ERROR(m_box.spawn(kFirstCommand, command, m_streams.boxDescriptors()));
    m_streams.boxEnds = {};
    raiseDescriptorLimit();
    REVET_ASSIGN_OR_RETURN(m_control, Control::open(socket, controlHandler()));
    return {};
}

Result<void> RunningSession::startJournal(const Places& places)
{
    REVET_ASSIGN_OR_RETURN(m_alarm, Alarm::open(m_box.keeper()));
    const auto onFailure = [alarm = m_alarm.get()](const Error& error) {
        alarm->raise("the journal could not be written: " + errorLine(error));
    };
    m_advance.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!m_advance) {
        return failErrno("watch the journal");
    }
    const auto onCommit = [this](EventSeq last) {
        m_committed = last.value();
        ::eventfd_write(m_advance.get(), 1);
    };
    REVET_ASSIGN_OR_RETURN(m_journal,
                           journal::JournalWriter::createIdle(places.journal(m_preparation.info.id),
                                                              m_preparation.info, onFailure, onCommit));
    std::vector<std::string> roots = m_preparation.spec.sideRoots;
    roots.push_back(m_preparation.spec.project);
    m_privateWrites.emplace(m_preparation.spec.home, std::move(roots));
    m_recorder = std::make_unique<Recorder>(m_clock, *m_journal, *m_privateWrites);
    m_recorder->note(sessionFact("started", std::string(toString(m_preparation.info.tier))));
    for (const Fact& note : m_preparation.notes) {
        m_recorder->note(note);
    }
    return {};
}

Result<void> RunningSession::startUndo(const ShippedData& data, const Places& places)
{
    const tiers::BoxSpec& spec = m_preparation.spec;
    if (spec.tier != Tier::Sandbox) {
        return {};
    }
    UndoKeeper::Setup setup;
    setup.session = m_preparation.info.id;
    setup.directory = places.sessionDirectory(setup.session);
    setup.roots = {spec.project};
    setup.roots.insert(setup.roots.end(), spec.sideRoots.begin(), spec.sideRoots.end());
    REVET_ASSIGN_OR_RETURN(setup.buildOutput, data.buildOutput());
    const policy::UndoSettings& wanted = m_preparation.undo;
    setup.limits.budget = wanted.budgetBytes.value_or(setup.limits.budget);
    setup.limits.largestCopy = wanted.largestBytes.value_or(setup.limits.largestCopy);
    setup.brake.files = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(wanted.brake.value_or(setup.brake.files), UINT32_MAX));
    setup.isReleased = [desk = m_desk.get()] { return desk != nullptr && desk->isBrakeReleased(); };
    REVET_ASSIGN_OR_RETURN(m_undo, UndoKeeper::create(setup, m_clock));
    m_preparation.lines.front() += "; " + m_undo->describeCover();
    return {};
}

Result<void> RunningSession::startSupervisor(UniqueFd root, const ShippedData& data, const Places& places)
{
    REVET_ASSIGN_OR_RETURN(UniqueFd tree, root.duplicate());
    REVET_ASSIGN_OR_RETURN(auto view, makeBoxView(m_preparation, std::move(root), places));
    view.granted = m_granted;
    if (m_desk && m_preparation.askDeadline > std::chrono::seconds(0)) {
        m_offers.emplace(*m_recorder, *m_desk, mayBeGiven(data, places));
    }
    supervisor::FactSink& facts = m_offers ? static_cast<supervisor::FactSink&>(*m_offers) : *m_recorder;
    m_supervisor = std::make_unique<supervisor::Supervisor>(
        std::move(view),
        supervisor::Supervisor::Dependencies{facts, m_runLater, m_undo.get(),
                                             m_connections ? &*m_connections : nullptr, m_desk.get()});
    return startMasks(std::move(tree));
}

void RunningSession::announceStart()
{
    ipc::Started started;
    started.session = m_preparation.info.id;
    started.lines = m_preparation.lines;
    std::vector<int> descriptors;
    const auto add = [&descriptors](const UniqueFd& fd, bool& flag) {
        flag = fd.isOpen();
        if (flag) {
            descriptors.push_back(fd.get());
        }
    };
    add(m_terminal, started.hasPty);
    add(m_streams.outerEnds[0], started.hasStdin);
    add(m_streams.outerEnds[1], started.hasStdout);
    add(m_streams.outerEnds[2], started.hasStderr);
    m_frontEnd.send(started, descriptors);
    m_streams.outerEnds = {}; // the front end has them: end of file must travel through
}

SessionEnd RunningSession::serve()
{
    m_preparation.info.state = SessionState::Running;
    for (;;) {
        // A front end that has left and a terminal that nobody drains are simply not polled (-1).
        const bool drains = !m_frontEnd.isThere() && m_terminal.isOpen();
        std::vector<pollfd> sources{{m_box.initSocket(), POLLIN, 0},
                                    {m_box.keeperSocket(), POLLIN, 0},
                                    {m_alarm->fd(), POLLIN, 0},
                                    {m_advance.get(), POLLIN, 0},
                                    {m_frontEnd.fd(), POLLIN, 0},
                                    {drains ? m_terminal.get() : -1, POLLIN, 0},
                                    {m_desk ? m_desk->fd() : -1, POLLIN, 0},
                                    {m_status ? m_status->fd() : -1, POLLIN, 0},
                                    {waitingBoxSocket(), POLLIN, 0},
                                    {m_masks ? m_masks->fd() : -1, POLLPRI, 0},
                                    {m_masks ? m_masks->watchFd() : -1, POLLIN, 0}};
        for (const int fd : m_control->descriptors()) {
            sources.push_back({fd, POLLIN, 0});
        }
        const std::size_t fixed = 11;
        const int ready = ::poll(sources.data(), sources.size(), patience());
        keepMasks(sources[9].revents != 0, sources[10].revents != 0); // first: what was hidden may show
        if (m_killAt && m_clock.steadyNow() >= *m_killAt) {
            return {m_stopReason, std::nullopt, std::nullopt};
        }
        if (m_status && sources[7].revents != 0) {
            m_status->write();
        }
        if (m_desk && (sources[6].revents != 0 || m_desk->isDue())) {
            m_desk->turn();
        }
        endGrants();
        if (ready < 0 && errno != EINTR) {
            return {toString(Error::fromErrno("waiting for the box")), std::nullopt, std::nullopt};
        }
        if (ready <= 0) {
            continue;
        }
        if (sources[2].revents != 0) {
            return {m_alarm->reason(), std::nullopt, std::nullopt};
        }
        if (sources[0].revents != 0) {
            auto message = m_box.receiveFromInit();
            if (!message) {
                return {"the box ended", std::nullopt, std::nullopt};
            }
            if (auto end = handleReport(std::move(*message))) {
                return std::move(*end);
            }
        }
        if (sources[1].revents != 0) {
            return {"the box's keeper ended", std::nullopt, std::nullopt};
        }
        if (sources[3].revents != 0) {
            tellAdvance();
        }
        if (sources[4].revents != 0) {
            if (auto end = handleFrontEnd()) {
                return std::move(*end);
            }
        }
        if (sources[5].revents != 0) {
            drainTerminal();
        }
        if (sources[8].revents != 0) {
            serveBoxSocket();
        }
        std::vector<int> readable;
        for (std::size_t i = fixed; i < sources.size(); ++i) {
            if (sources[i].revents != 0) {
                readable.push_back(sources[i].fd);
            }
        }
        m_control->serve(readable);
    }
}

std::optional<SessionEnd> RunningSession::handleReport(Box::Message message)
{
    switch (message.report.kind) {
    case Report::Kind::Listener:
        // noexcept: a task would keep an exception, and a thread that ends unseen leaves the box unanswered.
        m_servers.start(
            std::packaged_task<void()>([this, listener = message.descriptor()]() mutable noexcept {
                os::SeccompNotifyDevice device(std::move(listener));
                if (const auto served = m_supervisor->serve(device); !served) {
                    m_alarm->raise("the box's calls could not be answered: " + errorLine(served.error()));
                }
            }));
        m_recorder->begin();
        break;
    case Report::Kind::Terminal:
        m_terminal = message.descriptor();
        announceStart();
        break;
    case Report::Kind::ExecFailed:
        return SessionEnd{"the command could not be run", std::nullopt,
                          execFailure(m_request, message.report.value)};
    case Report::Kind::Failed:
        return commandNotStarted(message.report);
    case Report::Kind::Exited:
        return SessionEnd{m_stopReason.empty() ? "command ended" : m_stopReason, message.report.value,
                          std::nullopt};
    case Report::Kind::Empty:
        m_box.noteEmpty();
        break;
    case Report::Kind::Stopped:
        m_frontEnd.send(ipc::Stopped{message.report.value});
        break;
    case Report::Kind::Root:
    case Report::Kind::Gateway:
    case Report::Kind::Init:
    case Report::Kind::Ready:
    case Report::Kind::Opened:
        break; // told elsewhere, or once, while the box came up
    }
    return std::nullopt;
}

std::optional<SessionEnd> RunningSession::handleFrontEnd()
{
    const auto message = m_frontEnd.receive();
    if (!message) {
        handleFrontEndGone();
        return std::nullopt;
    }
    if (const auto* resize = std::get_if<ipc::Resize>(&*message); resize != nullptr && m_terminal) {
        const winsize size{resize->rows, resize->columns, 0, 0};
        ::ioctl(m_terminal.get(), TIOCSWINSZ, &size);
    } else if (const auto* signal = std::get_if<ipc::Signal>(&*message)) {
        if (signal->number > 0 && signal->number < NSIG && !m_box.signal(kFirstCommand, signal->number)) {
            return SessionEnd{"the box ended", std::nullopt, std::nullopt};
        }
    } else if (std::holds_alternative<ipc::Continue>(*message)) {
        if (!m_box.resume(kFirstCommand)) {
            return SessionEnd{"the box ended", std::nullopt, std::nullopt};
        }
    } else if (std::holds_alternative<ipc::Detach>(*message)) {
        m_frontEnd.leave();
    } else if (const auto* stopping = std::get_if<ipc::Stop>(&*message)) {
        stop(stopping->isForced);
    }
    return std::nullopt;
}

void RunningSession::handleFrontEndGone()
{
    // A session that a person started on a terminal goes on without it; one that a script started ends with
    // it.
    if (m_request.terminal.stdinIsTerminal || m_request.terminal.stdoutIsTerminal || m_request.isDetached) {
        m_recorder->note(sessionFact("its terminal has gone; it goes on"));
        return;
    }
    m_stopReason = "its front end has gone";
    stop(false);
}

void RunningSession::stop(bool isForced)
{
    if (m_stopReason.empty()) {
        m_stopReason = "stopped";
    }
    if (!isForced) {
        static_cast<void>(m_box.signal(kFirstCommand, SIGTERM).has_value());
        static_cast<void>(m_box.resume(kFirstCommand).has_value()); // a stopped process takes no TERM
    }
    const SteadyTime deadline = m_clock.steadyNow() + (isForced ? std::chrono::seconds(0) : kStopPatience);
    m_killAt = m_killAt ? std::min(*m_killAt, deadline) : deadline;
}

void RunningSession::tellAdvance()
{
    eventfd_t count = 0;
    ::eventfd_read(m_advance.get(), &count);
    m_control->tellAdvance(EventSeq(m_committed));
}

void RunningSession::drainTerminal()
{
    std::array<char, 65536> buffer{};
    if (::read(m_terminal.get(), buffer.data(), buffer.size()) <= 0) {
        m_terminal.reset();
    }
}

void RunningSession::endBoxsDoors()
{
    if (m_boxSocket) { // nobody is left to speak for
        m_boxSocket->stop();
    }
    if (m_egress) {
        m_egress->end();
    }
    if (m_ports) {
        m_ports->end();
    }
    if (m_desk) {
        m_desk->close();
    }
}

void RunningSession::finish(const SessionEnd& end, const Places& places)
{
    m_box.endProcesses();
    endBoxsDoors();
    // Their filters have no user left; one that waits for a file system may still not end.
    m_isHanging = !m_servers.join(kHangPatience);
    if (m_isHanging) {
        log(LogLevel::Error, "session",
            "a file system does not answer a call of the box's; it is left behind");
    } else {
        m_supervisor.reset(); // settles what it still holds back, and that is recorded
        if (m_undo) {
            m_undo->seal();
        }
    }
    SessionInfo& info = m_preparation.info;
    info.ended = m_clock.now();
    info.endReason = end.reason;
    info.waitStatus = end.waitStatus;
    // What an earlier session left waits, also where this one could not begin.
    info.state = (!end.failure || m_preparation.isContinued) && leavesChanges(places) ? SessionState::Review
                                                                                      : SessionState::Ended;
    if (m_recorder) {
        if (!m_isHanging) { // else a lock that it needs may never come free
            m_recorder->close();
        }
        tellOfRepositories();
        tellOfPlaces();
        m_recorder->note(sessionFact("ended", end.reason, end.waitStatus.value_or(0)));
        m_recorder->flushAll();
    }
    bool isRecorded = true;
    if (m_journal) {
        info.events = m_journal->eventCount();
        info.reached = m_journal->farthestReach();
        m_journal->update(info);
        m_journal->hurry();
    }
    if (m_endRecord) { // while the journal is written
        m_endRecord(info);
    }
    if (m_journal) {
        isRecorded = m_journal->flush();
        m_control->tellAdvance(EventSeq(info.events));
    }
    if (end.failure) {
        m_frontEnd.send(*end.failure);
    } else if (!isRecorded) {
        m_frontEnd.send(ipc::Failed{
            ipc::kRevetFailed,
            m_alarm->reason() + "; the box was ended; make room or repair the disk, then run again"});
    } else if (end.waitStatus) {
        m_frontEnd.send(ipc::Exited{*end.waitStatus, summary(), m_left.lines});
    } else {
        m_frontEnd.send(ipc::Exited{SIGKILL, summary(), m_left.lines});
    }
    m_control.reset();
    m_terminal.reset();
    m_box.end();
    if (m_undo && !m_isHanging) {
        m_undo->sync();
    }
    if (m_rules) {
        if (const auto added = addRuleUses(m_preparation.directory, m_rules->uses()); !added) {
            log(LogLevel::Error, "session", "count the uses of rules: " + toString(added.error()));
        }
    }
    if (m_journal) {
        if (const auto closed = m_journal->close(); !closed) {
            log(LogLevel::Error, "session", "close the journal: " + toString(closed.error()));
        }
    }
}

SessionInfo RunningSession::liveInfo() const
{
    SessionInfo info = m_preparation.info;
    if (m_journal) {
        info.events = m_journal->eventCount();
        info.reached = m_journal->farthestReach();
    }
    info.asksPending = m_desk ? m_desk->openCount() : 0;
    return info;
}

} // namespace revet::session
