// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/decision.h"
#include "engine/base/clock.h"
#include "engine/base/scope_exit.h"
#include "engine/domain/display_escape.h"
#include "engine/session/continuation.h"
#include "engine/session/host_pins.h"
#include "engine/session/record_places.h"
#include "engine/session/review_roots.h"
#include "engine/session/workspace_record.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/history.h"
#include "engine/workspace/known_bases.h"
#include "engine/workspace/review.h"
#include "engine/workspace/session_commit.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <thread>
#include <utility>

namespace revet::api {

namespace {

namespace fs = std::filesystem;

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

/// A slip of the hand is not answered with "nothing to do". What was applied before counts, and git's own
/// files, which are not told one by one.
Result<void> checkNamed(const std::vector<std::string>& paths,
                        const std::vector<workspace::ReviewItem>& changes,
                        const std::vector<workspace::Record>& records)
{
    for (const std::string& path : paths) {
        const auto isMeant
            = [&path](const std::string& changed) { return workspace::isSelected(changed, {path}); };
        const bool isKnown = isMeant(".git")
            || std::ranges::any_of(changes,
                                   [&](const auto& item) {
                                       return isMeant(item.change.path) || isMeant(item.change.from);
                                   })
            || std::ranges::any_of(records, [&](const workspace::Record& record) {
                                 return std::ranges::any_of(record.steps, isMeant, &workspace::Step::path);
                             });
        if (!isKnown) {
            return fail(ErrorCode::NotFound, "apply what the session did at " + displayQuoted(path),
                        "nothing of it is there");
        }
    }
    return {};
}

/// A ref moved, or was locked, at this very moment.
bool isAboutRefs(const workspace::Conflict& conflict)
{
    return conflict.path.starts_with("refs/") || conflict.path.starts_with("logs/refs/")
        || conflict.path.find("/refs/") != std::string::npos;
}

} // namespace

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
    std::set<std::string> replaced;
    if (root == 0) {
        REVET_RETURN_IF_ERROR(checkNamed(choice.paths, reviewed, records));
        for (const SessionId& id : continued.earlier) {
            REVET_RETURN_IF_ERROR(session::addReplaced(m_engine.places().sessionDirectory(id), replaced));
        }
        REVET_RETURN_IF_ERROR(
            session::addReplaced(m_engine.places().sessionDirectory(m_session.id), replaced));
    }
    const workspace::KnownBases bases(continued.began, records, std::move(replaced));
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
        if (const auto done = applyRoot(i, own, record, outcome); !done) {
            if (outcome.changed.empty()) {
                return fail(done.error());
            }
            outcome.failure = done.error();
            break;
        }
    }
    return outcome;
}

Result<void> Decision::applyRoot(std::size_t root, const workspace::ApplyChoice& choice,
                                 const workspace::Record& record, DecisionOutcome& outcome)
{
    REVET_ASSIGN_OR_RETURN(Plan plan, this->plan(root, choice));
    std::vector<workspace::Operation> operations = std::move(plan.files.operations);
    std::vector<workspace::RefCrossing> refs;
    append(outcome.held, plan.files.held, m_roots[root].prefix);
    for (workspace::RepositoryPlan& repository : plan.repositories) {
        REVET_RETURN_IF_ERROR(repository.placeObjects());
        append(operations, repository.operations);
        append(outcome.held, repository.held, m_roots[root].prefix);
        append(refs, repository.refs);
    }
    REVET_RETURN_IF_ERROR(transact(m_roots[root], record, std::move(operations), outcome));
    if (outcome.conflicts.empty()) {
        append(outcome.refs, refs);
    }
    return {};
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
        Result<DecisionOutcome> once = applyOnce(choice);
        if (!once) {
            if (outcome.changed.empty()) {
                return once;
            }
            outcome.failure = std::move(once).error();
            break;
        }
        // Earlier tries count: the project's files, when those of the repository beside it had to wait.
        std::vector<std::string> changed = std::move(outcome.changed);
        append(changed, once->changed);
        once->changed = std::move(changed);
        outcome = *std::move(once);
        if (outcome.failure || outcome.conflicts.empty()
            || !std::ranges::all_of(outcome.conflicts, isAboutRefs)) {
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
    DecisionOutcome outcome;
    outcome.held = std::move(plan.files.held);
    const auto make = [&](git_repository* repository, const std::string& head, const std::string& tip) {
        const workspace::SessionCommit commit{workTree, head, tip.empty() ? head : tip,
                                              workspace::gitPersonOf(workTree, gitFiles),
                                              messageOf(m_session)};
        return workspace::writeCommit(repository, commit, *plan.source, plan.chosen, outcome.held);
    };
    const workspace::KnownBases bases(0, {});
    REVET_ASSIGN_OR_RETURN(
        workspace::RepositoryPlan repository,
        workspace::planCommit(*plan.source, placeOf(root, bases, {}), isLinked ? "" : ".git", make));
    if (!repository.held.empty()) {
        return fail(ErrorCode::Conflict, "commit the changes of " + m_session.id.text(),
                    "no name is free for the branch revet/" + m_session.id.text()
                        + ": rename the branch that has its place");
    }
    REVET_RETURN_IF_ERROR(repository.placeObjects());
    outcome.refs = std::move(repository.refs);
    for (const workspace::Operation& operation : plan.files.operations) {
        policy::GitSplit split;
        if (policy::isBelowGitdir(operation.path, &split)
            && !workspace::isHostsRepository(workTree, split.gitdir)) {
            outcome.held.push_back(
                {operation.path, workspace::Hold::Unfit, "git commits nothing of that name"});
        }
    }
    REVET_RETURN_IF_ERROR(transact(m_roots[root], {}, std::move(repository.operations), outcome));
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

} // namespace revet::api
