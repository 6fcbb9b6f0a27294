// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/workspace/apply.h"
#include "engine/workspace/history.h"
#include "engine/workspace/record.h"

#include <string>
#include <vector>

namespace revet::api {

/// What came of a decision about a session's changes. Paths are relative to the project, bytes of the box.
struct DecisionOutcome
{
    workspace::Purpose purpose = workspace::Purpose::Apply;
    workspace::Purpose undoes = workspace::Purpose::Undo; ///< Undo: of what; Undo: the session's own changes
    bool isRedo = false; ///< Undo: an undo was taken back
    std::vector<std::string> changed; ///< all that is otherwise now
    std::vector<workspace::HeldChange> held;
    std::vector<workspace::Conflict> conflicts; ///< if any, nothing was done
    std::vector<workspace::Conflict> lost; ///< Undo: what did not come back since it was not kept
    bool isClosed = false; ///< nothing is left to decide
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
    /// Of a layer: kept aside, so that undo() brings it back. No paths: all of it.
    [[nodiscard]] Result<DecisionOutcome> discard(const std::vector<std::string>& paths);
    /// Takes the newest apply or discard back that has something at these paths, or what a direct session did
    /// itself; else the newest undo.
    [[nodiscard]] Result<DecisionOutcome> undo(const std::vector<std::string>& paths);

private:
    Decision(Engine& engine, SessionInfo session, workspace::RecordStore records,
             workspace::RecordStore discards)
        : m_engine(engine)
        , m_session(std::move(session))
        , m_records(std::move(records))
        , m_discards(std::move(discards))
    {
    }
    [[nodiscard]] Result<std::vector<workspace::ApplyItem>> items(workspace::ChangeSource& source) const;
    [[nodiscard]] Result<void> transact(int tree, const workspace::RecordStore& store,
                                        workspace::Record record,
                                        std::vector<workspace::Operation> operations,
                                        DecisionOutcome& outcome) const;
    /// Finds out what is left, and notes what was done.
    [[nodiscard]] Result<void> close(DecisionOutcome& outcome);
    [[nodiscard]] bool isNothingLeft() const;
    /// Of a direct session: how what it did is taken back.
    [[nodiscard]] Result<workspace::Pasts> ownPasts() const;
    /// So many of the newest things are passed over.
    struct Skipped
    {
        std::size_t ofProject = 0;
        std::size_t ofLayer = 0;
    };
    [[nodiscard]] Result<DecisionOutcome> takeBack(const workspace::History& applied,
                                                   const workspace::History& discarded,
                                                   const std::vector<std::string>& paths,
                                                   const Skipped& skipped);

    Engine& m_engine;
    SessionInfo m_session;
    workspace::RecordStore m_records; ///< of the project
    workspace::RecordStore m_discards; ///< of the session's directory
    UniqueFd m_project;
    UniqueFd m_directory; ///< the session's
};

} // namespace revet::api
