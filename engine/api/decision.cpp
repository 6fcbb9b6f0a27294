// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/decision.h"

#include "engine/base/log.h"
#include "engine/session/closed_directory.h"
#include "engine/session/continuation.h"
#include "engine/session/record_places.h"
#include "engine/session/workspace_record.h"
#include "engine/workspace/transaction.h"

#include <algorithm>
#include <utility>

#include <fcntl.h>

namespace revet::api {

namespace {

namespace fs = std::filesystem;
using workspace::Purpose;

Result<void> recoverRoot(const UniqueFd& tree, const workspace::RecordStore& records)
{
    REVET_ASSIGN_OR_RETURN(const auto kept, workspace::recover(tree.get(), records));
    for (const std::string& path : kept) {
        log(LogLevel::Warning, "api", "what was at " + path + " is kept in " + records.path().string());
    }
    return {};
}

Result<UniqueFd> openDirectory(const std::filesystem::path& directory)
{
    UniqueFd fd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return fd ? Result<UniqueFd>(std::move(fd)) : failErrno("open " + directory.string());
}

} // namespace

Result<Decision> Decision::open(Engine& engine, const SessionInfo& session)
{
    const std::string& id = session.id.text();
    if (isLive(session)) {
        return fail(ErrorCode::Refused, "decide about the session " + id,
                    "it still runs: wait for its end, or `revet stop " + id + '`');
    }
    const Places& places = engine.places();
    REVET_ASSIGN_OR_RETURN(UniqueFd directory, openDirectory(places.sessionDirectory(session.id)));
    REVET_ASSIGN_OR_RETURN(auto discards, session::openDiscardRecords(places, session.id));
    Decision decision(engine, session, {"", std::move(directory), std::move(discards)});
    REVET_ASSIGN_OR_RETURN(const auto recorded,
                           session::readWorkspaceRecord(places.sessionDirectory(session.id)));
    for (const session::WorkspaceRoot& root : recorded) {
        REVET_ASSIGN_OR_RETURN(UniqueFd tree, session::openRoot(root));
        REVET_ASSIGN_OR_RETURN(
            auto records, session::openRootRecords(places, session.id, decision.m_roots.size(), root.path));
        decision.m_roots.push_back(
            {decision.m_roots.empty() ? "" : root.path + '/', std::move(tree), std::move(records)});
    }
    REVET_RETURN_IF_ERROR(recoverRoot(decision.m_layer.tree, decision.m_layer.records));
    for (const Root& root : decision.m_roots) {
        REVET_RETURN_IF_ERROR(recoverRoot(root.tree, root.records));
    }
    // Of one that was killed after all was done.
    if (const auto isTold = decision.isTold(); isTold && !*isTold) {
        DecisionOutcome adopted;
        if (const auto closed = decision.close(adopted); !closed) {
            log(LogLevel::Warning, "api", toString(closed.error()));
        }
    }
    return decision;
}

Result<void> Decision::transact(const Root& root, workspace::Record record,
                                std::vector<workspace::Operation> operations, DecisionOutcome& outcome)
{
    workspace::Transaction transaction(root.tree.get(), root.records, std::move(record));
    for (workspace::Operation& operation : operations) {
        transaction.add(std::move(operation));
    }
    const Result<std::string> done = transaction.commit();
    for (const workspace::Conflict& conflict : transaction.conflicts()) {
        outcome.conflicts.push_back({root.prefix + conflict.path, conflict.why});
    }
    if (!done && done.error().code != ErrorCode::Conflict) {
        return fail(done.error());
    }
    if (done) {
        for (const std::string& path : transaction.changed()) {
            outcome.changed.push_back(root.prefix + path);
        }
    }
    return {};
}

Result<DecisionOutcome> Decision::discard(const std::vector<std::string>& paths)
{
    if (m_session.tier != Tier::Container) {
        return fail(ErrorCode::Refused, "discard the changes of " + m_session.id.text(),
                    "they are in the project itself: `revet undo` takes them back");
    }
    const Places& places = m_engine.places();
    const std::string upper = session::closedDirectory(kLayer, "upper").string();
    std::vector<workspace::Operation> operations;
    for (const std::string& path : paths.empty() ? std::vector<std::string>{""} : paths) {
        workspace::Operation operation;
        operation.path = path.empty() ? kLayer : (fs::path(upper) / path).string();
        operation.isWholeTree = true;
        REVET_ASSIGN_OR_RETURN(operation.expected, workspace::lookAt(m_layer.tree.get(), operation.path));
        if (!operation.expected.exists()) {
            const std::string went = session::whereLayerWent(places, m_session.id);
            return fail(ErrorCode::NotFound, "discard what the session did at '" + path + "'",
                        !went.empty() ? went
                            : path.empty()
                            ? "it has been discarded"
                            : "nothing of its own is in the layer there: discard what is above it");
        }
        operations.push_back(std::move(operation));
    }
    DecisionOutcome outcome;
    outcome.purpose = Purpose::Discard;
    workspace::Record record;
    record.purpose = Purpose::Discard;
    REVET_RETURN_IF_ERROR(transact(m_layer, std::move(record), std::move(operations), outcome));
    for (std::string& path : outcome.changed) {
        path = path == kLayer ? "" : path.substr(upper.size() + 1);
    }
    REVET_RETURN_IF_ERROR(close(outcome));
    return outcome;
}

Result<void> Decision::close(DecisionOutcome& outcome)
{
    if (m_session.tier == Tier::Container) {
        // A whole review, where what an apply could not take does not say it already.
        const bool isSomethingLeft = outcome.purpose == Purpose::Apply
            && (!outcome.conflicts.empty()
                || !std::ranges::all_of(outcome.held, workspace::neverCrosses, &workspace::HeldChange::hold));
        outcome.isClosed = !isSomethingLeft && isNothingLeft();
        m_session.state = outcome.isClosed ? SessionState::Closed : SessionState::Review;
    }
    // What has been done is not undone by a full disk: it is told as done, and the log has it later.
    if (auto noted = note(); !noted) {
        if (outcome.changed.empty()) {
            return noted;
        }
        outcome.unnoted = std::move(noted).error();
    }
    return {};
}

Result<DecisionJournal> Decision::openJournal() const
{
    std::vector<DecisionJournal::Source> sources{
        {&m_layer.records, m_session.project, session::closedDirectory(kLayer, "upper").string()}};
    for (const Root& root : m_roots) {
        const std::string path
            = root.prefix.empty() ? m_session.project : root.prefix.substr(0, root.prefix.size() - 1);
        sources.push_back({&root.records, path, ""});
    }
    return DecisionJournal::open(sources);
}

Result<bool> Decision::isTold() const
{
    REVET_ASSIGN_OR_RETURN(const DecisionJournal journal, openJournal());
    return journal.isEmpty();
}

Result<void> Decision::note()
{
    REVET_ASSIGN_OR_RETURN(const DecisionJournal journal, openJournal());
    REVET_RETURN_IF_ERROR(journal.isEmpty() ? Result<void>() : journal.write(m_engine.places(), m_session));
    REVET_RETURN_IF_ERROR(m_engine.catalogue().updateSession(m_session));
    return journal.close();
}

} // namespace revet::api
