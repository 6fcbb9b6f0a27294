// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/decision.h"

#include "engine/base/log.h"
#include "engine/journal/addendum.h"
#include "engine/session/closed_directory.h"
#include "engine/session/installation.h"
#include "engine/session/record_places.h"
#include "engine/session/review_roots.h"
#include "engine/session/shipped_data.h"
#include "engine/session/undo_files.h"
#include "engine/session/workspace_record.h"
#include "engine/workspace/direct_past.h"
#include "engine/workspace/history.h"
#include "engine/workspace/known_bases.h"
#include "engine/workspace/review.h"
#include "engine/workspace/transaction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>

#include <fcntl.h>

namespace revet::api {

namespace {

using workspace::Change;
using workspace::Hold;
using workspace::Oddity;
using workspace::Purpose;

constexpr const char* kLayer = "layer";
/// Beyond it one row says how many more there were.
constexpr std::size_t kMaximumRows = 10'000;
constexpr std::array<const char*, workspace::kPurposeCount> kRules = {"apply", "discard", "undo"};

bool isFileLike(workspace::EntryType type)
{
    return type == workspace::EntryType::Absent || type == workspace::EntryType::File
        || type == workspace::EntryType::Directory || type == workspace::EntryType::Link;
}

bool isMisleading(Oddity oddity)
{
    return oddity == Oddity::LeavingLink || oddity == Oddity::ControlCharacter
        || oddity == Oddity::InvisibleCharacter || oddity == Oddity::NotUtf8
        || oddity == Oddity::CaseCollision;
}

/// The strictest of what is to be said about it.
workspace::ApplyItem toApplyItem(workspace::ReviewItem item)
{
    workspace::ApplyItem result{std::move(item.change), Hold::None, {}};
    const auto odd = std::ranges::find_if(item.oddities, isMisleading);
    if (!isFileLike(result.change.after.type)) {
        result.hold = Hold::Impossible;
    } else if (item.isInRepository) {
        result.hold = Hold::Repository;
    } else if (item.runLater.isHeld()) {
        const bool isPinned = item.runLater.cls == policy::RunLaterClass::Pinned;
        result.hold = isPinned ? Hold::Pinned : Hold::RunsCode;
        result.why = std::move(item.runLater.entry);
        for (const std::string& key : item.runLater.keys) {
            result.why += ' ' + key;
        }
    } else if (odd != item.oddities.end()) {
        result.hold = Hold::Odd;
        result.why = toString(*odd);
    }
    return result;
}

std::int64_t nanoseconds(WallTime time)
{
    return time.time_since_epoch().count() * 1000;
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
    REVET_ASSIGN_OR_RETURN(const auto roots,
                           session::readWorkspaceRecord(places.sessionDirectory(session.id)));
    REVET_ASSIGN_OR_RETURN(UniqueFd project, session::openRoot(roots.front()));
    REVET_ASSIGN_OR_RETURN(auto records, session::openProjectRecords(places, session.id, session.project));
    REVET_ASSIGN_OR_RETURN(auto discards, session::openDiscardRecords(places, session.id));
    Decision decision(engine, session, std::move(records), std::move(discards));
    decision.m_project = std::move(project);
    decision.m_directory = std::move(directory);
    for (const auto& [tree, store] : {std::pair{decision.m_project.get(), &decision.m_records},
                                      std::pair{decision.m_directory.get(), &decision.m_discards}}) {
        REVET_ASSIGN_OR_RETURN(const auto kept, workspace::recover(tree, *store));
        for (const std::string& path : kept) {
            log(LogLevel::Warning, "api", "what was at " + path + " is kept in " + store->path().string());
        }
    }
    return decision;
}

Result<std::vector<workspace::ApplyItem>> Decision::items(workspace::ChangeSource& source) const
{
    REVET_ASSIGN_OR_RETURN(session::Installation installation, session::Installation::find());
    REVET_ASSIGN_OR_RETURN(const policy::RunLaterTable table,
                           session::ShippedData(std::move(installation), m_engine.places()).runLater());
    REVET_ASSIGN_OR_RETURN(auto reviewed, workspace::review(source, m_project.get(), table));
    std::vector<workspace::ApplyItem> items;
    items.reserve(reviewed.size());
    for (workspace::ReviewItem& item : reviewed) {
        items.push_back(toApplyItem(std::move(item)));
    }
    return items;
}

Result<void> Decision::transact(int tree, const workspace::RecordStore& store, workspace::Record record,
                                std::vector<workspace::Operation> operations, DecisionOutcome& outcome) const
{
    outcome.purpose = record.purpose;
    workspace::Transaction transaction(tree, store, std::move(record));
    for (workspace::Operation& operation : operations) {
        transaction.add(std::move(operation));
    }
    const Result<std::string> done = transaction.commit();
    outcome.conflicts = transaction.conflicts();
    if (!done && done.error().code != ErrorCode::Conflict) {
        return fail(done.error());
    }
    if (done) {
        outcome.changed = transaction.changed();
    }
    return {};
}

Result<DecisionOutcome> Decision::apply(const workspace::ApplyChoice& choice)
{
    REVET_ASSIGN_OR_RETURN(const auto roots, session::openReview(m_engine.places(), m_session));
    DecisionOutcome outcome;
    workspace::ChangeSource& source = *roots.front().source;
    REVET_ASSIGN_OR_RETURN(const auto all, items(source));
    REVET_ASSIGN_OR_RETURN(const auto records, m_records.records());
    const workspace::KnownBases bases(nanoseconds(m_session.started), records);
    REVET_ASSIGN_OR_RETURN(auto plan, workspace::planApply(source, all, m_project.get(), bases, choice));
    outcome.held = std::move(plan.held);
    REVET_RETURN_IF_ERROR(transact(m_project.get(), m_records, {}, std::move(plan.operations), outcome));
    REVET_RETURN_IF_ERROR(close(outcome));
    return outcome;
}

Result<DecisionOutcome> Decision::discard(const std::vector<std::string>& paths)
{
    if (m_session.tier != Tier::Container) {
        return fail(ErrorCode::Refused, "discard the changes of " + m_session.id.text(),
                    "they are in the project itself: `revet undo` takes them back");
    }
    const std::string upper = session::closedDirectory(kLayer, "upper").string();
    std::vector<workspace::Operation> operations;
    for (const std::string& path : paths.empty() ? std::vector<std::string>{""} : paths) {
        workspace::Operation operation;
        operation.path = path.empty() ? kLayer : upper + '/' + path;
        operation.isWholeTree = true;
        REVET_ASSIGN_OR_RETURN(operation.expected, workspace::lookAt(m_directory.get(), operation.path));
        if (!operation.expected.exists()) {
            return fail(ErrorCode::NotFound, "discard what the session did at '" + path + "'",
                        path.empty() ? "it has been discarded"
                                     : "nothing of its own is in the layer there: discard what is above it");
        }
        operations.push_back(std::move(operation));
    }
    DecisionOutcome outcome;
    workspace::Record record;
    record.purpose = Purpose::Discard;
    REVET_RETURN_IF_ERROR(
        transact(m_directory.get(), m_discards, std::move(record), std::move(operations), outcome));
    for (std::string& path : outcome.changed) {
        path = path == kLayer ? "" : path.substr(upper.size() + 1);
    }
    REVET_RETURN_IF_ERROR(close(outcome));
    return outcome;
}

Result<workspace::Pasts> Decision::ownPasts() const
{
    if (m_session.tier == Tier::Container) {
        return workspace::Pasts{};
    }
    // It may have been killed, and no other one has started since.
    REVET_RETURN_IF_ERROR(session::sealUndo(m_engine.places(), m_session.id));
    const auto changes = workspace::DirectChanges::open(
        workspace::preImagesDirectory(m_engine.places().sessionDirectory(m_session.id), 0));
    if (!changes && changes.error().code == ErrorCode::NotFound) {
        return workspace::Pasts{};
    }
    return changes ? workspace::pastsOf(**changes) : fail(changes.error());
}

Result<DecisionOutcome> Decision::undo(const std::vector<std::string>& paths)
{
    REVET_ASSIGN_OR_RETURN(auto own, ownPasts());
    REVET_ASSIGN_OR_RETURN(const auto records, m_records.records());
    REVET_ASSIGN_OR_RETURN(const auto discards, m_discards.records());
    const workspace::History applied(std::move(own), records);
    const workspace::History discarded({}, discards);
    // What the person took back by hand, or cannot be, is passed over.
    Skipped skipped;
    std::optional<DecisionOutcome> nothing;
    for (;;) {
        Result<DecisionOutcome> outcome = takeBack(applied, discarded, paths, skipped);
        if (!outcome && outcome.error().code == ErrorCode::NotFound && nothing) {
            return *std::move(nothing);
        }
        if (!outcome || !outcome->changed.empty() || !outcome->conflicts.empty()) {
            return outcome;
        }
        ++(outcome->undoes == Purpose::Discard ? skipped.ofLayer : skipped.ofProject);
        nothing = nothing ? std::move(nothing) : *std::move(outcome);
    }
}

Result<DecisionOutcome> Decision::takeBack(const workspace::History& applied,
                                           const workspace::History& discarded,
                                           const std::vector<std::string>& paths, const Skipped& skipped)
{
    const std::string upper = session::closedDirectory(kLayer, "upper").string();
    std::vector<std::string> layerPaths;
    for (const std::string& path : paths) {
        layerPaths.push_back(upper + '/' + path);
    }
    auto ofProject = applied.takeBack(m_project.get(), paths, skipped.ofProject);
    auto ofLayer = discarded.takeBack(m_directory.get(), layerPaths, skipped.ofLayer);
    if (!ofProject && !ofLayer) {
        return fail(ErrorCode::NotFound, "find something of " + m_session.id.text() + " to take back",
                    paths.empty() ? "it changed nothing, and nothing was applied or discarded"
                                  : "nothing was done at these paths");
    }
    // What is in force comes before what was taken back already, and the newer of both.
    const bool isDiscard = !ofProject
        || (ofLayer
            && (ofLayer->isRedo != ofProject->isRedo ? ofProject->isRedo : ofLayer->time > ofProject->time));
    workspace::History::Step& step = isDiscard ? *ofLayer : *ofProject;
    DecisionOutcome outcome;
    outcome.undoes = step.of;
    outcome.isRedo = step.isRedo;
    outcome.lost = std::move(step.lost);
    workspace::Record record;
    record.purpose = Purpose::Undo;
    record.undoes = step.undoes;
    REVET_RETURN_IF_ERROR(transact(isDiscard ? m_directory.get() : m_project.get(),
                                   isDiscard ? m_discards : m_records, std::move(record),
                                   std::move(step.operations), outcome));
    for (std::string& path : outcome.changed) {
        if (isDiscard) {
            path = path.size() > upper.size() ? path.substr(upper.size() + 1) : "";
        }
    }
    REVET_RETURN_IF_ERROR(close(outcome));
    return outcome;
}

bool Decision::isNothingLeft() const
{
    if (!workspace::lookAt(m_directory.get(), kLayer).value_or(workspace::Entry()).exists()) {
        return true;
    }
    const auto roots = session::openReview(m_engine.places(), m_session);
    return roots && std::ranges::all_of(*roots, [](const session::ReviewRoot& root) {
               const auto changes = root.source->changes();
               return changes && changes->empty();
           });
}

Result<void> Decision::close(DecisionOutcome& outcome)
{
    if (m_session.tier == Tier::Container) {
        outcome.isClosed = isNothingLeft();
        m_session.state = outcome.isClosed ? SessionState::Closed : SessionState::Review;
    }
    if (outcome.changed.empty()) {
        return m_engine.catalogue().updateSession(m_session);
    }
    Event event;
    event.time = SystemClock().now();
    event.kind = ActionKind::Apply;
    event.rule = kRules.at(static_cast<std::size_t>(outcome.purpose));
    const bool isOfLayer = outcome.purpose == Purpose::Discard || outcome.undoes == Purpose::Discard;
    event.reach = isOfLayer ? Reach::Copy : Reach::Project;
    std::vector<Event> events;
    for (const std::string& path : outcome.changed | std::views::take(kMaximumRows)) {
        event.target = path.empty() ? m_session.project : m_session.project + '/' + path;
        events.push_back(event);
    }
    if (outcome.changed.size() > kMaximumRows) {
        event.target = m_session.project;
        event.count = static_cast<std::uint32_t>(outcome.changed.size() - kMaximumRows);
        events.push_back(event);
    }
    m_session.events += events.size();
    m_session.reached = std::max(m_session.reached, event.reach);
    REVET_RETURN_IF_ERROR(
        journal::addToJournal(m_engine.places().journal(m_session.id), std::move(events), m_session));
    return m_engine.catalogue().updateSession(m_session);
}

} // namespace revet::api
