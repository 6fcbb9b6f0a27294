// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/egress.h"
#include "engine/journal/journal_writer.h"
#include "engine/session/alarm.h"
#include "engine/session/ask_desk.h"
#include "engine/session/box.h"
#include "engine/session/box_requests.h"
#include "engine/session/box_socket.h"
#include "engine/session/connection_book.h"
#include "engine/session/control.h"
#include "engine/session/forwarded_ports.h"
#include "engine/session/front_end.h"
#include "engine/session/git_state.h"
#include "engine/session/left_changes.h"
#include "engine/session/live_grants.h"
#include "engine/session/mask_keeper.h"
#include "engine/session/path_offers.h"
#include "engine/session/preparation.h"
#include "engine/session/recorder.h"
#include "engine/session/rule_decider.h"
#include "engine/session/server_threads.h"
#include "engine/session/session_end.h"
#include "engine/session/status_file.h"
#include "engine/session/streams.h"
#include "engine/session/undo_keeper.h"
#include "engine/supervisor/supervisor.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace revet::session {

/// A box with everything that watches it, from its start to its end. One thread (the process's main one)
/// calls it; the supervisor, the journal and the exit watcher have their own.
class RunningSession
{
public:
    /// `box` has been started and waits for its plan. Without `answers` nobody is asked anything.
    RunningSession(Box box, Preparation preparation, ipc::RunRequest request, FrontEnd frontEnd,
                   std::optional<journal::Answers> answers = std::nullopt);
    ~RunningSession();
    RunningSession(const RunningSession&) = delete;
    RunningSession& operator=(const RunningSession&) = delete;
    RunningSession(RunningSession&&) = delete;
    RunningSession& operator=(RunningSession&&) = delete;

    /// Builds the box, starts the command and serves until it is over. An error: nothing ran.
    [[nodiscard]] Result<SessionEnd> run(const ShippedData& data, const Places& places);
    /// Ends the box, completes the journal and tells the front end.
    void endBoxsDoors();
    void finish(const SessionEnd& end, const Places& places);
    /// Why the box was ended on the spot, by what watches it; empty where it was not.
    [[nodiscard]] std::string alarm() const { return m_alarm == nullptr ? std::string() : m_alarm->reason(); }
    /// After finish(): a thread hangs in the kernel and uses this object. The process has to end with it.
    [[nodiscard]] bool isHanging() const { return m_isHanging; }
    /// Enters the end into the catalogue; called before the front end is told: who runs `revet ps` next must
    /// find it there.
    using EndRecord = std::function<void(const SessionInfo&)>;
    void setEndRecord(EndRecord record) { m_endRecord = std::move(record); }

    /// What the plan of this session's box is; changed by tests only, before run().
    using PlanEdit = std::function<void(launcher::Plan&)>;
    void setPlanEdit(PlanEdit edit) { m_planEdit = std::move(edit); }

private:
    [[nodiscard]] Result<void> openLayers();
    [[nodiscard]] Result<void> startBox(const Places& places);
    [[nodiscard]] Result<void> startJournal(const Places& places);
    [[nodiscard]] Result<void> startUndo(const ShippedData& data, const Places& places);
    [[nodiscard]] Result<void> startSupervisor(UniqueFd root, const ShippedData& data, const Places& places);
    [[nodiscard]] Result<void> startMasks(UniqueFd tree);
    void keepMasks(bool haveMountsChanged, bool hasSomethingCome);
    [[nodiscard]] Result<void> startNetwork(const Places& places);
    [[nodiscard]] Result<void> startAsking(const Installation& installation);
    [[nodiscard]] Result<void> listenToBox(UniqueFd root, const Places& places);
    /// Until its first client is there, and it gets a thread; then -1.
    [[nodiscard]] int waitingBoxSocket() const;
    void serveBoxSocket();
    [[nodiscard]] Result<void> startGrants(const ShippedData& data, const Places& places);
    /// As the catalogue has them now; an error is about the grant `asked`.
    [[nodiscard]] Result<void> reloadGrants(std::int64_t asked);
    [[nodiscard]] bool hasNetworkFor(AskKind kind) const;
    /// Those whose time is over.
    void endGrants();
    /// Where nobody asked; an error is recorded.
    void refreshGrants();
    [[nodiscard]] Result<ForwardedPorts*> ports();
    void failNetwork(const Error& error);
    [[nodiscard]] PathOffers::MayBeGiven mayBeGiven(const ShippedData& data, const Places& places) const;
    [[nodiscard]] Control::Handler controlHandler();
    [[nodiscard]] SessionEnd serve();
    void announceStart();
    [[nodiscard]] std::optional<SessionEnd> handleReport(Box::Message message);
    [[nodiscard]] std::optional<SessionEnd> handleFrontEnd();
    void handleFrontEndGone();
    void stop(bool isForced);
    void drainTerminal();
    void tellAdvance();
    /// For poll(2): until the box's time to stop by itself is over.
    [[nodiscard]] int patience() const;
    [[nodiscard]] SessionInfo liveInfo() const;
    /// Finds out what the box changed; whether that waits in a layer.
    [[nodiscard]] bool leavesChanges(const Places& places);
    [[nodiscard]] Result<LeftChanges> findLeft(const Places& places);
    [[nodiscard]] std::string summary() const;
    void tellOfRepositories();
    void tellOfPlaces();

    Preparation m_preparation;
    ipc::RunRequest m_request;
    FrontEnd m_frontEnd;
    PlanEdit m_planEdit;
    EndRecord m_endRecord;
    SystemClock m_clock;
    Streams m_streams;
    Box m_box;
    std::unique_ptr<Alarm> m_alarm; ///< outlives what raises it
    UniqueFd m_advance; ///< eventfd: the journal has more events, up to
    std::atomic<std::uint64_t> m_committed = 0;
    std::unique_ptr<journal::JournalWriter> m_journal;
    std::unique_ptr<Recorder> m_recorder;
    policy::RunLaterTable m_runLater;
    std::vector<std::unique_ptr<workspace::ChangeSource>> m_layers;
    LeftChanges m_left; ///< once it is over
    std::optional<PrivateWrites> m_privateWrites;
    std::optional<journal::Answers> m_answers;
    approval::GrantBook m_grants;
    std::unique_ptr<UndoKeeper> m_undo; ///< none where changes go to a layer; outlives the supervisor
    std::optional<StatusFile> m_status; ///< these only where the box reaches beyond itself
    std::optional<policy::RuleBook> m_rules;
    std::optional<RuleDecider> m_decider;
    std::optional<ConnectionBook> m_connections; ///< outlives the supervisor
    std::optional<Notifications> m_desktop;
    std::unique_ptr<AskDesk> m_desk;
    std::optional<egress::Egress> m_egress;
    KeeperErrands m_errands{[this] { return m_box.openErrands(); }}; ///< outlives m_ports
    std::optional<ForwardedPorts> m_ports;
    std::shared_ptr<supervisor::GrantedPlaces> m_granted = std::make_shared<supervisor::GrantedPlaces>();
    std::optional<LiveGrants> m_live;
    std::optional<PathOffers> m_offers; ///< none where nobody can be asked; outlives the supervisor
    std::unique_ptr<supervisor::Supervisor> m_supervisor;
    std::optional<MaskKeeper> m_masks; ///< none where nothing is hidden
    std::optional<BoxRequests> m_boxRequests;
    std::unique_ptr<BoxSocket> m_boxSocket;
    bool m_isServingBoxSocket = false;
    ServerThreads m_servers;
    bool m_isHanging = false;
    std::optional<Control> m_control;
    UniqueFd m_terminal; ///< the master of the box's terminal
    std::optional<SteadyTime> m_killAt;
    std::string m_stopReason;
    std::optional<GitState> m_repositories; ///< as they were before the box could change them
    std::string m_warning; ///< for the person, at the end
};

} // namespace revet::session
