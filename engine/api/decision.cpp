// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/decision.h"

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/base/scope_exit.h"
#include "engine/domain/display_escape.h"
#include "engine/journal/addendum.h"
#include "engine/session/closed_directory.h"
#include "engine/session/continuation.h"
#include "engine/session/host_pins.h"
#include "engine/session/record_places.h"
#include "engine/session/review_roots.h"
#include "engine/session/undo_files.h"
#include "engine/session/workspace_record.h"
#include "engine/workspace/direct_past.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/history.h"
#include "engine/workspace/known_bases.h"
#include "engine/workspace/review.h"
#include "engine/workspace/session_commit.h"
#include "engine/workspace/transaction.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include <fcntl.h>

namespace revet::api {

namespace {

namespace fs = std::filesystem;
using workspace::Purpose;

constexpr const char* kLayer = "layer";
/// Beyond it one row says how many more there were.
constexpr std::size_t kMaximumRows = 10'000;
constexpr std::array<const char*, workspace::kPurposeCount> kRules = {"apply", "discard", "undo"};

/// Where objects are read and written anew.
fs::path scratchOf(const Places& places, const SessionId& session, std::size_t root)
{
    return places.sessionDirectory(session) / "crossing" / std::to_string(root);
}

void removeScratch(const Places& places, const SessionId& session)
{
    std::error_code error;
    fs::remove_all(places.sessionDirectory(session) / "crossing", error);
}

template<typename Item>
void append(std::vector<Item>& all, std::vector<Item>& more)
{
    std::ranges::move(more, std::back_inserter(all));
}

template<typename Item>
void append(std::vector<Item>& all, std::vector<Item>& more, const std::string& prefix)
{
    for (Item& item : more) {
        item.path.insert(0, prefix);
        all.push_back(std::move(item));
    }
}

/// Whether nothing keeps the change from being taken over.
bool isTaken(const workspace::ApplyItem& item, const workspace::ApplyChoice& choice)
{
    const workspace::Change& change = item.change;
    const bool isHeld
        = item.hold != workspace::Hold::None && !(choice.releasesHeld && workspace::canBeReleased(item.hold));
    return !isHeld
        && (workspace::isSelected(change.path, choice.paths)
            || (!change.from.empty() && workspace::isSelected(change.from, choice.paths)));
}

/// What a commit says of the session that it comes from.
std::string messageOf(const SessionInfo& session)
{
    std::string command;
    for (const std::string& word : session.command) {
        command += (command.empty() ? "" : " ") + displayEscape(word);
    }
    const std::string program
        = session.command.empty() ? "" : displayEscape(fs::path(session.command.front()).filename().string());
    return "Changes by " + program + "\n\nRevet-Session: " + session.id.text()
        + "\nRevet-Tier: " + std::string(toString(session.tier)) + "\nRevet-Command: " + command + '\n';
}

/// A ref moved, or was locked, at this very moment.
bool isAboutRefs(const workspace::Conflict& conflict)
{
    return conflict.path.starts_with("refs/") || conflict.path.starts_with("logs/refs/")
        || conflict.path.find("/refs/") != std::string::npos;
}

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

/// What is to be done to one root.
struct Decision::Plan
{
    std::unique_ptr<workspace::ChangeSource> source; ///< the operations read it
    std::vector<workspace::Change> chosen; ///< of the work tree, without what is held
    workspace::ApplyPlan files;
    std::vector<workspace::RepositoryPlan> repositories;

    [[nodiscard]] bool isEmpty() const
    {
        return files.operations.empty()
            && std::ranges::all_of(files.held, workspace::neverCrosses, &workspace::HeldChange::hold)
            && std::ranges::all_of(repositories, [](const workspace::RepositoryPlan& repository) {
                   return repository.operations.empty() && repository.held.empty();
               });
    }
};

/// What was applied of the same layer when it was another session's.
Result<void> Decision::addEarlierRecords(const std::vector<SessionId>& sessions, std::size_t root,
                                         std::vector<workspace::Record>& records) const
{
    std::vector<workspace::Record> all;
    for (const SessionId& id : sessions) {
        const auto roots = session::readWorkspaceRecord(m_engine.places().sessionDirectory(id));
        if (!roots || root >= roots->size()) {
            continue; // it has been pruned: what it applied counts as the host's, which is careful
        }
        REVET_ASSIGN_OR_RETURN(const auto store,
                               session::openRootRecords(m_engine.places(), id, root, roots->at(root).path));
        REVET_ASSIGN_OR_RETURN(auto earlier, store.records());
        append(all, earlier);
    }
    append(all, records);
    records = std::move(all);
    return {};
}

workspace::CrossingPlace Decision::placeOf(std::size_t root, const workspace::Bases& bases,
                                           const policy::RunLaterTable& table) const
{
    const int workTree = m_roots.front().tree.get();
    std::string head = "HEAD";
    if (root > 0) {
        // The project is a linked work tree: "gitdir: /repository/.git/worktrees/NAME".
        constexpr std::size_t kLargest = 4096;
        const auto file = workspace::openFile(workTree, ".git");
        std::string text = file ? workspace::readContent(*file, kLargest).value_or("") : "";
        text.erase(std::min(text.find('\n'), text.size()));
        head = "worktrees" + text.substr(std::min(text.rfind('/'), text.size())) + "/HEAD";
    }
    return {m_roots[root].tree.get(),
            workTree,
            std::move(head),
            bases,
            table,
            m_session.id.text(),
            scratchOf(m_engine.places(), m_session.id, root)};
}

Result<Decision::Plan> Decision::plan(std::size_t root, const workspace::ApplyChoice& choice) const
{
    REVET_ASSIGN_OR_RETURN(auto roots, session::openReview(m_engine.places(), m_session));
    REVET_ASSIGN_OR_RETURN(const policy::RunLaterTable table,
                           session::reviewTable(m_engine.places(), session::pathsOf(roots)));
    Plan plan;
    plan.source = std::move(roots.at(root).source);
    const int tree = m_roots[root].tree.get();
    REVET_ASSIGN_OR_RETURN(auto reviewed, workspace::review(*plan.source, tree, table));
    REVET_ASSIGN_OR_RETURN(const auto continued, session::continuationOf(m_engine.places(), m_session));
    REVET_ASSIGN_OR_RETURN(auto records, m_roots[root].records.records());
    REVET_RETURN_IF_ERROR(addEarlierRecords(continued.earlier, root, records));
    const workspace::KnownBases bases(continued.began, records);
    REVET_ASSIGN_OR_RETURN(
        plan.repositories,
        workspace::planRepositories(*plan.source, reviewed, placeOf(root, bases, table), choice));
    std::vector<workspace::ApplyItem> items;
    items.reserve(reviewed.size());
    std::map<std::string, bool> isNew;
    for (workspace::ReviewItem& item : reviewed) {
        const auto [found, isFirst] = isNew.try_emplace(item.repository);
        if (isFirst) {
            found->second = item.isInRepository && !workspace::isHostsRepository(tree, item.repository);
        }
        const bool isOfWorkTree = !item.isInRepository;
        items.push_back(workspace::toApplyItem(std::move(item), found->second));
        if (isOfWorkTree && isTaken(items.back(), choice)) {
            plan.chosen.push_back(items.back().change);
        }
    }
    workspace::ApplyChoice own = choice;
    if (choice.merges) {
        own.merged = workspace::mergeChanged(*plan.source, plan.chosen, tree, bases, continued.began);
    }
    REVET_ASSIGN_OR_RETURN(plan.files, workspace::planApply(*plan.source, items, tree, bases, own));
    for (workspace::Operation& operation : plan.files.operations) {
        operation.isLocked = workspace::hasGitLock(operation.path, root != 0);
    }
    return plan;
}

Result<DecisionOutcome> Decision::applyOnce(const workspace::ApplyChoice& choice)
{
    DecisionOutcome outcome;
    const ScopeExit cleaned([this] { removeScratch(m_engine.places(), m_session.id); });
    removeScratch(m_engine.places(), m_session.id);
    workspace::Record record;
    record.time = nanosecondsOf(SystemClock().now());
    for (std::size_t i = 0; i < m_roots.size() && outcome.conflicts.empty(); ++i) {
        // Paths are those of the project; a repository beside it is taken whole.
        workspace::ApplyChoice own = choice;
        if (i > 0 && !choice.paths.empty()) {
            own.paths = {"refs"};
            if (!workspace::isSelected(".git", choice.paths)) {
                break;
            }
        }
        REVET_ASSIGN_OR_RETURN(Plan plan, this->plan(i, own));
        std::vector<workspace::Operation> operations = std::move(plan.files.operations);
        append(outcome.held, plan.files.held, m_roots[i].prefix);
        for (workspace::RepositoryPlan& repository : plan.repositories) {
            REVET_RETURN_IF_ERROR(repository.placeObjects());
            append(operations, repository.operations);
            append(outcome.held, repository.held, m_roots[i].prefix);
            append(outcome.refs, repository.refs);
        }
        REVET_RETURN_IF_ERROR(transact(m_roots[i], record, std::move(operations), outcome));
    }
    if (!outcome.conflicts.empty()) {
        outcome.refs.clear();
    }
    return outcome;
}

Result<DecisionOutcome> Decision::apply(const workspace::ApplyChoice& choice)
{
    // git holds its locks for a moment only, and refs are looked at anew.
    constexpr int kTries = 20;
    constexpr auto kPause = std::chrono::milliseconds(50);
    DecisionOutcome outcome;
    for (int i = 0; i < kTries; ++i) {
        if (i > 0) {
            std::this_thread::sleep_for(kPause);
        }
        REVET_ASSIGN_OR_RETURN(outcome, applyOnce(choice));
        if (outcome.conflicts.empty() || !std::ranges::all_of(outcome.conflicts, isAboutRefs)) {
            break;
        }
    }
    REVET_RETURN_IF_ERROR(close(outcome));
    return outcome;
}

Result<DecisionOutcome> Decision::commit(const workspace::ApplyChoice& choice)
{
    const bool isLinked = !workspace::isHostsRepository(m_roots.front().tree.get(), ".git");
    const std::size_t root = isLinked ? 1 : 0;
    if (root >= m_roots.size()) {
        return fail(ErrorCode::NotFound, "commit the changes of " + m_session.id.text(),
                    "the project is no git repository: `revet apply` takes files over");
    }
    const ScopeExit cleaned([this] { removeScratch(m_engine.places(), m_session.id); });
    removeScratch(m_engine.places(), m_session.id);
    REVET_ASSIGN_OR_RETURN(Plan plan, this->plan(0, choice));
    const int workTree = m_roots.front().tree.get();
    const fs::path home = session::ownHome(m_engine.places());
    const auto gitFiles = session::userGitFiles(home, m_engine.places());
    const auto make = [&](git_repository* repository, const std::string& head, const std::string& tip) {
        const workspace::SessionCommit commit{workTree, head, tip.empty() ? head : tip,
                                              workspace::gitPersonOf(workTree, gitFiles),
                                              messageOf(m_session)};
        return workspace::writeCommit(repository, commit, *plan.source, plan.chosen);
    };
    const workspace::KnownBases bases(0, {});
    REVET_ASSIGN_OR_RETURN(
        workspace::RepositoryPlan repository,
        workspace::planCommit(*plan.source, placeOf(root, bases, {}), isLinked ? "" : ".git", make));
    REVET_RETURN_IF_ERROR(repository.placeObjects());
    DecisionOutcome outcome;
    outcome.refs = std::move(repository.refs);
    outcome.held = std::move(plan.files.held);
    REVET_RETURN_IF_ERROR(transact(m_roots[root], {}, std::move(repository.operations), outcome));
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
        operation.path = path.empty() ? kLayer : (fs::path(upper) / path).string();
        operation.isWholeTree = true;
        REVET_ASSIGN_OR_RETURN(operation.expected, workspace::lookAt(m_layer.tree.get(), operation.path));
        if (!operation.expected.exists()) {
            return fail(ErrorCode::NotFound, "discard what the session did at '" + path + "'",
                        path.empty() ? "it has been discarded"
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

Result<workspace::Pasts> Decision::ownPasts(std::size_t root) const
{
    if (m_session.tier == Tier::Container) {
        return workspace::Pasts{};
    }
    // It may have been killed, and no other one has started since.
    REVET_RETURN_IF_ERROR(session::sealUndo(m_engine.places(), m_session.id));
    const auto changes = workspace::DirectChanges::open(
        workspace::preImagesDirectory(m_engine.places().sessionDirectory(m_session.id), root));
    if (!changes && changes.error().code == ErrorCode::NotFound) {
        return workspace::Pasts{};
    }
    return changes ? workspace::pastsOf(**changes) : fail(changes.error());
}

/// Of one root, or of the layer.
struct Decision::Part
{
    const Root* root = nullptr;
    workspace::History history;
    std::vector<std::string> paths; ///< that are asked for
    std::size_t skipped = 0; ///< things that are passed over
};

Result<DecisionOutcome> Decision::undo(const std::vector<std::string>& paths)
{
    const std::string upper = session::closedDirectory(kLayer, "upper").string();
    std::vector<std::string> layerPaths;
    layerPaths.reserve(paths.size());
    for (const std::string& path : paths) {
        layerPaths.push_back(fs::path(upper) / path);
    }
    std::vector<Part> parts;
    REVET_ASSIGN_OR_RETURN(const auto discards, m_layer.records.records());
    parts.push_back({&m_layer, workspace::History({}, discards), layerPaths});
    for (std::size_t i = 0; i < m_roots.size(); ++i) {
        REVET_ASSIGN_OR_RETURN(auto own, ownPasts(i));
        REVET_ASSIGN_OR_RETURN(const auto records, m_roots[i].records.records());
        parts.push_back({&m_roots[i], workspace::History(std::move(own), records), paths});
    }
    // What the person took back by hand, or cannot be, is passed over.
    std::optional<DecisionOutcome> nothing;
    for (;;) {
        Result<DecisionOutcome> outcome = takeBack(parts);
        if (!outcome && outcome.error().code == ErrorCode::NotFound && nothing) {
            return *std::move(nothing);
        }
        if (!outcome || !outcome->changed.empty() || !outcome->conflicts.empty()) {
            return outcome;
        }
        nothing = nothing ? std::move(nothing) : *std::move(outcome);
    }
}

Result<DecisionOutcome> Decision::takeBack(std::vector<Part>& parts)
{
    struct Found
    {
        Part* part;
        workspace::History::Step step;
    };
    std::vector<Found> found;
    for (Part& part : parts) {
        auto step = part.history.takeBack(part.root->tree.get(), part.paths, part.skipped);
        if (step) {
            found.push_back({&part, std::move(*step)});
        }
    }
    if (found.empty()) {
        return fail(ErrorCode::NotFound, "find something of " + m_session.id.text() + " to take back",
                    parts.back().paths.empty() ? "it changed nothing, and nothing was applied or discarded"
                                               : "nothing was done at these paths");
    }
    // What is in force comes before what was taken back already, and of these the newest; what one apply did
    // to several roots belongs together.
    const auto isSooner = [](const Found& one, const Found& other) {
        return std::pair{!one.step.isRedo, one.step.time} < std::pair{!other.step.isRedo, other.step.time};
    };
    const auto newest = std::ranges::max_element(found, isSooner);
    DecisionOutcome outcome;
    outcome.purpose = Purpose::Undo;
    outcome.undoes = newest->step.of;
    outcome.isRedo = newest->step.isRedo;
    const std::int64_t time = newest->step.time;
    workspace::Record record;
    record.purpose = Purpose::Undo;
    record.time = nanosecondsOf(SystemClock().now());
    for (auto& [part, step] : found) {
        if (step.isRedo != outcome.isRedo || step.time != time) {
            continue;
        }
        ++part->skipped;
        const Root& root = *part->root;
        append(outcome.lost, step.lost, root.prefix);
        const bool isGitdir = &root != &m_layer && &root != &m_roots.front();
        for (workspace::Operation& operation : step.operations) {
            operation.isLocked = &root != &m_layer && workspace::hasGitLock(operation.path, isGitdir);
        }
        if (outcome.conflicts.empty()) {
            record.undoes = step.undoes;
            REVET_RETURN_IF_ERROR(transact(root, record, std::move(step.operations), outcome));
        }
    }
    const std::string upper = session::closedDirectory(kLayer, "upper").string();
    for (std::string& path : outcome.changed) {
        if (outcome.undoes == Purpose::Discard) {
            path = path.size() > upper.size() ? path.substr(upper.size() + 1) : "";
        }
    }
    REVET_RETURN_IF_ERROR(close(outcome));
    return outcome;
}

bool Decision::isNothingLeft() const
{
    if (!workspace::lookAt(m_layer.tree.get(), kLayer).value_or(workspace::Entry()).exists()) {
        return true;
    }
    const ScopeExit cleaned([this] { removeScratch(m_engine.places(), m_session.id); });
    for (std::size_t i = 0; i < m_roots.size(); ++i) {
        removeScratch(m_engine.places(), m_session.id);
        const auto left = plan(i, {});
        if (!left || !left->isEmpty()) {
            return false;
        }
    }
    return true;
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
    const std::span<const std::string> changed(outcome.changed);
    for (const std::string& path : changed.first(std::min(changed.size(), kMaximumRows))) {
        const bool isElsewhere = path.starts_with('/');
        event.target = isElsewhere ? path : path.empty() ? m_session.project : m_session.project + '/' + path;
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
