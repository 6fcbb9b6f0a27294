// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/decision.h"
#include "engine/base/clock.h"
#include "engine/policy/git_rules.h"
#include "engine/session/closed_directory.h"
#include "engine/session/continuation.h"
#include "engine/session/undo_files.h"
#include "engine/workspace/direct_past.h"
#include "engine/workspace/tree_walk.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace revet::api {

namespace fs = std::filesystem;
using workspace::Purpose;

namespace {

/// Whether something in the repository is newer than the session, and stays: a person's tag or work tree,
/// which may need what the session committed.
bool isUsedSince(int tree, const std::string& gitdir, std::int64_t began,
                 const std::set<std::string>& changed)
{
    constexpr std::size_t kMaximum = 100'000;
    const std::string objects = gitdir.empty() ? "objects" : gitdir + "/objects";
    bool isUsed = false;
    const auto walked = workspace::walkTree(tree, gitdir, kMaximum,
                                            [&](const std::string& path, const workspace::Entry& entry) {
                                                isUsed = isUsed
                                                    || (entry.type != workspace::EntryType::Directory
                                                        && entry.changed > began && !changed.contains(path));
                                                return path != objects;
                                            });
    return isUsed || !walked;
}

/// Objects of a repository that is used stay until `git gc`, as after an apply that is taken back.
void keepUsedObjects(int tree, bool isGitdir, std::int64_t began,
                     std::vector<workspace::Operation>& operations)
{
    std::set<std::string> changed;
    std::set<std::string> needed; // that others come from, or that go with all that holds them
    for (const workspace::Operation& operation : operations) {
        changed.insert(operation.path);
        needed.insert(operation.from);
        if (!operation.wanted.exists() && operation.path.ends_with("objects")) {
            needed.insert(operation.path);
        }
    }
    std::map<std::string, bool> isUsed;
    const std::size_t kept = std::erase_if(operations, [&](const workspace::Operation& operation) {
        policy::GitSplit split;
        if (!policy::isBelowGitdir(operation.path, &split) && isGitdir) {
            split.inside = operation.path;
        }
        const std::string objects = split.gitdir.empty() ? "objects" : split.gitdir + "/objects";
        if (operation.wanted.exists() || !split.inside.starts_with("objects/")
            || needed.contains(operation.path) || needed.contains(objects)) {
            return false;
        }
        const auto [used, isFirst] = isUsed.try_emplace(split.gitdir);
        if (isFirst) {
            used->second = isUsedSince(tree, split.gitdir, began, changed);
        }
        return used->second;
    });
    const auto isTimeOnly = [](const workspace::Operation& operation) {
        return operation.wanted.type == workspace::EntryType::Directory && operation.expected.exists();
    };
    if (kept > 0 && std::ranges::all_of(operations, isTimeOnly)) {
        operations.clear(); // all else has been taken back
    }
}

} // namespace

Result<workspace::Pasts> Decision::ownPasts(std::size_t root) const
{
    if (m_session.tier == Tier::Container) {
        return workspace::Pasts{};
    }
    // It may have been killed, and no other one has started since.
    REVET_RETURN_IF_ERROR(
        session::sealUndo(m_engine.places(), m_session.id, workspace::Unreadable::PassedOver));
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
        const std::string went = session::whereLayerWent(m_engine.places(), m_session.id);
        return fail(ErrorCode::NotFound, "find something of " + m_session.id.text() + " to take back",
                    !went.empty() ? went
                        : parts.back().paths.empty()
                        ? "it changed nothing, and nothing was applied or discarded"
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
        for (const workspace::Conflict& lost : step.lost) {
            outcome.lost.push_back({root.prefix + lost.path, lost.why});
        }
        const bool isGitdir = &root != &m_layer && &root != &m_roots.front();
        if (step.undoes.empty() && !step.isRedo) {
            keepUsedObjects(root.tree.get(), isGitdir, nanosecondsOf(m_session.started), step.operations);
        }
        for (workspace::Operation& operation : step.operations) {
            operation.isLocked = &root != &m_layer && workspace::hasGitLock(operation.path, isGitdir);
        }
        if (outcome.conflicts.empty()) {
            record.undoes = step.undoes;
            const auto done = transact(root, record, std::move(step.operations), outcome);
            if (!done && outcome.changed.empty()) {
                return fail(done.error());
            }
            if (!done) {
                outcome.failure = done.error();
                break;
            }
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

} // namespace revet::api
