// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/decision_journal.h"
#include "engine/api/engine.h"
#include "engine/workspace/apply.h"
#include "engine/workspace/history.h"
#include "engine/workspace/record.h"
#include "engine/workspace/repository_crossing.h"

#include <optional>
#include <string>
#include <vector>

namespace revet::api {

/// What came of a decision about a session's changes. Paths are relative to the project (those of a
/// repository beside it absolute), bytes of the box.
struct DecisionOutcome
{
    workspace::Purpose purpose = workspace::Purpose::Apply;
    workspace::Purpose undoes = workspace::Purpose::Undo; ///< Undo: of what; Undo: the session's own changes
    bool isRedo = false; ///< Undo: an undo was taken back
    std::vector<std::string> changed; ///< all that is otherwise now
    std::vector<workspace::RefCrossing> refs; ///< Apply: where commits arrived
    std::vector<workspace::HeldChange> held;
    std::vector<workspace::Conflict> conflicts; ///< if any, nothing was done but what `changed` lists
    /// What kept the rest from being done, behind what `changed` lists: a project and a repository beside it
    /// are two transactions.
    std::optional<Error> failure;
    std::vector<workspace::Conflict> lost; ///< Undo: what did not come back since it was not kept
    bool isClosed = false; ///< nothing is left to decide
    /// Why the log does not tell of it yet, though it is done; the next decision makes up for that.
    std::optional<Error> unnoted;
};

/// Decisions about one session's changes. All are all-or-nothing, each leaves a record that undo() takes
/// back, and each is an event of the session's journal. Whoever calls has to be in enterReview(). Refused
/// while the session runs.
class Decision
{
public:
    /// Also ends what a killed decision left half done.
    [[nodiscard]] static Result<Decision> open(Engine& engine, const SessionInfo& session);

    [[nodiscard]] const std::string& project() const { return m_session.project; }

    [[nodiscard]] Result<DecisionOutcome> apply(const workspace::ApplyChoice& choice);
    /// Instead of touching any file: a commit on the branch revet/SESSION.
    [[nodiscard]] Result<DecisionOutcome> commit(const workspace::ApplyChoice& choice);
    /// Of a layer: kept aside, so that undo() brings it back. No paths: all of it.
    [[nodiscard]] Result<DecisionOutcome> discard(const std::vector<std::string>& paths);
    /// Takes the newest apply or discard back that has something at these paths, or what a direct session did
    /// itself; else the newest undo.
    [[nodiscard]] Result<DecisionOutcome> undo(const std::vector<std::string>& paths);

private:
    /// A directory whose changes are decided about, and what was done to it so far.
    struct Root
    {
        std::string prefix; ///< of its paths for a person: "" for the project, else its own path with a slash
        UniqueFd tree;
        workspace::RecordStore records;
    };
    Decision(Engine& engine, SessionInfo session, Root layer)
        : m_engine(engine)
        , m_session(std::move(session))
        , m_layer(std::move(layer))
    {
    }
    struct Plan;
    [[nodiscard]] workspace::CrossingPlace placeOf(std::size_t root, const workspace::Bases& bases,
                                                   const policy::RunLaterTable& table) const;
    [[nodiscard]] Result<void> addEarlierRecords(const std::vector<SessionId>& sessions, std::size_t root,
                                                 std::vector<workspace::Record>& records) const;
    [[nodiscard]] Result<Plan> plan(std::size_t root, const workspace::ApplyChoice& choice) const;
    [[nodiscard]] Result<DecisionOutcome> applyOnce(const workspace::ApplyChoice& choice);
    [[nodiscard]] Result<void> applyRoot(std::size_t root, const workspace::ApplyChoice& choice,
                                         const workspace::Record& record, DecisionOutcome& outcome);
    [[nodiscard]] static Result<void> transact(const Root& root, workspace::Record record,
                                               std::vector<workspace::Operation> operations,
                                               DecisionOutcome& outcome);
    /// Finds out what is left, and notes what was done.
    [[nodiscard]] Result<void> close(DecisionOutcome& outcome);
    [[nodiscard]] Result<void> note();
    [[nodiscard]] Result<DecisionJournal> openJournal() const;
    /// Whether the journal has all.
    [[nodiscard]] Result<bool> isTold() const;
    [[nodiscard]] bool isNothingLeft() const;
    /// Of a direct session: how what it did to a root is taken back.
    [[nodiscard]] Result<workspace::Pasts> ownPasts(std::size_t root) const;
    struct Part;
    /// What is to be taken back next, which is passed over the next time.
    [[nodiscard]] Result<DecisionOutcome> takeBack(std::vector<Part>& parts);

    /// Of a session's directory, the parts that decisions are about.
    static constexpr const char* kLayer = "layer";

    Engine& m_engine;
    SessionInfo m_session;
    std::vector<Root> m_roots; ///< the project first
    Root m_layer; ///< the session's directory, and what was discarded of it
};

} // namespace revet::api
