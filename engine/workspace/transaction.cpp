// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/transaction.h"

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/base/reversed.h"
#include "engine/workspace/staged_index.h"
#include "engine/workspace/tree_path.h"

#include <algorithm>
#include <set>

#include <fcntl.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

/// Above this many files the whole file system is flushed, instead of one after the other.
constexpr std::size_t kManyFiles = 64;

Result<void> sync(int directory, const std::string& path)
{
    const Result<Parent> parent = openParent(directory, path);
    const UniqueFd file(parent ? ::openat(parent->directory.get(), parent->name.c_str(),
                                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                               : -1);
    // Links and what may not be read cannot be opened; their directory is synced.
    return !file || ::fsync(file.get()) == 0 ? Result<void>() : failErrno("write " + path + " to the disk");
}

/// All that is in the slots, so that no name of the tree comes to lead to a file without its content.
Result<void> syncObjects(const Scene& scene, const std::vector<Step>& steps)
{
    if (steps.size() > kManyFiles) {
        return ::syncfs(scene.objects) == 0 ? Result<void>() : failErrno("write to the disk");
    }
    for (const Step& step : steps) {
        if (step.kind == Step::Kind::PutIn || step.kind == Step::Kind::Swap) {
            REVET_RETURN_IF_ERROR(sync(scene.objects, slotName(step.slot)));
        }
    }
    return ::fsync(scene.objects) == 0 ? Result<void>() : failErrno("write to the disk");
}

/// The names of the tree.
Result<void> syncTree(const Scene& scene, const std::vector<Step>& steps)
{
    const UniqueFd root(::openat(scene.tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (steps.size() > kManyFiles) {
        return root && ::syncfs(root.get()) == 0 ? Result<void>() : failErrno("write to the disk");
    }
    std::set<std::string> directories;
    for (const Step& step : steps) {
        directories.insert(parentOf(step.path));
    }
    if (root && ::fsync(root.get()) != 0) {
        return failErrno("write to the disk");
    }
    for (const std::string& directory : directories) {
        if (!directory.empty()) {
            REVET_RETURN_IF_ERROR(sync(scene.tree, directory));
        }
    }
    return ::fsync(scene.objects) == 0 ? Result<void>() : failErrno("write to the disk");
}

/// Takes all steps back; the paths that somebody changed meanwhile.
Result<std::vector<std::string>> takeBack(const Scene& scene, const std::vector<Step>& steps)
{
    std::vector<std::string> kept;
    Result<void> outcome;
    for (const Step& step : Reversed(steps)) {
        const Result<bool> isBack = reverse(scene, step);
        if (!isBack && outcome) {
            outcome = fail(isBack.error());
        } else if (isBack && !*isBack) {
            kept.push_back(step.path);
        }
    }
    return outcome ? Result<std::vector<std::string>>(std::move(kept)) : fail(outcome.error());
}

/// What was moved and came back has another ctime, by which alone it would count as changed by somebody: a
/// record that says how it lies there now, and that nothing else was done.
Result<Record> describeReturned(int tree, const Record& record)
{
    Record returned;
    returned.name = record.name;
    returned.purpose = Purpose::Undo;
    returned.undoes = record.name;
    returned.time = record.time;
    returned.isDone = true;
    std::set<std::string> seen;
    for (const Step& step : record.steps) {
        if (!step.before.exists() || step.isMerge || !seen.insert(step.path).second) {
            continue;
        }
        const Result<Entry> now = lookAtDirectory(tree, step.path);
        if (now && isSameObject(*now, step.before) && now->size == step.before.size
            && now->changed == step.before.changed && now->mode == step.before.mode
            && now->statusChanged != step.before.statusChanged) {
            Step left;
            left.path = step.path;
            left.object = left.before = step.before;
            left.after = *now;
            left.after.staged = step.before.staged;
            returned.steps.push_back(std::move(left));
        }
    }
    return returned;
}

/// Under the lock.
Result<std::vector<std::string>> recoverLocked(int tree, const RecordStore& store)
{
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> names, store.names());
    std::vector<std::string> all;
    for (const std::string& name : names) {
        REVET_ASSIGN_OR_RETURN(const Record record, store.read(name));
        if (record.isDone) {
            REVET_RETURN_IF_ERROR(store.settle(name));
            continue;
        }
        if (const auto foreign = std::ranges::find_if_not(
                record.steps, [&store](const Step& step) { return store.isOwnSource(step.source); });
            foreign != record.steps.end()) {
            return fail(ErrorCode::Malformed, "take back " + name,
                        foreign->source + " is no place of this session");
        }
        std::vector<std::string> kept;
        if (!record.steps.empty()) {
            REVET_ASSIGN_OR_RETURN(const UniqueFd objects, store.openObjects(name));
            REVET_ASSIGN_OR_RETURN(
                kept, takeBack({tree, store.directory(), objects.get(), store.isFar()}, record.steps));
        }
        if (kept.empty()) {
            REVET_ASSIGN_OR_RETURN(const Record returned, describeReturned(tree, record));
            REVET_RETURN_IF_ERROR(returned.steps.empty() ? store.remove(name) : store.replace(returned));
        }
        all.insert(all.end(), kept.begin(), kept.end());
    }
    return all;
}

} // namespace

Transaction::Transaction(int tree, const RecordStore& store, Record record)
    : m_tree(tree)
    , m_store(store)
    , m_record(std::move(record))
{
}

void Transaction::add(Operation operation)
{
    std::string path = operation.path;
    m_plan[std::move(path)].operation = std::move(operation);
}

std::vector<std::string> Transaction::changed() const
{
    std::vector<std::string> paths;
    for (const auto& [path, planned] : m_plan) {
        if (!planned.isDone) {
            paths.push_back(path);
        }
    }
    return paths;
}

Result<void> Transaction::act(const Scene& scene)
{
    for (const Step& step : m_record.steps) {
        Result<void> done = workspace::act(scene, step);
        if (!done) {
            if (done.error().code == ErrorCode::Conflict) {
                m_conflicts.push_back({step.path, done.error().context});
            }
            return done;
        }
    }
    return {};
}

/// Up to the commit point.
Result<void> Transaction::seal(const Scene& scene)
{
    for (Step& step : m_record.steps) {
        if (step.kind != Step::Kind::Fetch) {
            Result<Entry> left = lookAtDirectory(m_tree, step.path);
            if (!left && left.error().code != ErrorCode::Refused) {
                return fail(std::move(left).error());
            }
            // Refused: its directory has become a link, so nothing is there.
            step.after = left ? *std::move(left) : Entry{};
            step.after.staged = stagedAt(m_tree, step.path);
        }
    }
    REVET_RETURN_IF_ERROR(syncTree(scene, m_record.steps));
    m_record.isDone = true;
    return m_store.write(m_record);
}

Result<std::string> Transaction::commit()
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd lock, m_store.lock());
    REVET_RETURN_IF_ERROR(recoverLocked(m_tree, m_store));
    REVET_ASSIGN_OR_RETURN(m_conflicts, lookAtPlan(m_tree, m_store.directory(), m_plan));
    if (!m_conflicts.empty()) {
        return fail(ErrorCode::Conflict, "change " + m_conflicts.front().path, m_conflicts.front().why);
    }
    if (std::ranges::all_of(m_plan, [](const auto& entry) { return entry.second.isDone; })) {
        return std::string();
    }
    REVET_ASSIGN_OR_RETURN(m_record.name, m_store.add());
    if (m_record.time == 0) {
        m_record.time = nanosecondsOf(SystemClock().now());
    }
    const auto run = [this]() -> Result<void> {
        REVET_ASSIGN_OR_RETURN(const UniqueFd objects, m_store.openObjects(m_record.name));
        const Scene scene{m_tree, m_store.directory(), objects.get(), m_store.isFar()};
        REVET_ASSIGN_OR_RETURN(m_record.steps, makeSteps(scene, m_plan));
        REVET_RETURN_IF_ERROR(syncObjects(scene, m_record.steps));
        REVET_RETURN_IF_ERROR(m_store.write(m_record));
        REVET_RETURN_IF_ERROR(act(scene));
        return seal(scene);
    };
    if (const auto foreign = std::ranges::find_if_not(
            m_plan, [this](const auto& entry) { return m_store.isOwnSource(entry.second.operation.stored); });
        foreign != m_plan.end()) {
        return fail(ErrorCode::Malformed, "change " + foreign->first,
                    foreign->second.operation.stored + " is no place of this session");
    }
    Result<void> done = run();
    if (done) {
        done = m_store.settle(m_record.name);
    } else if (const auto recovered = recoverLocked(m_tree, m_store); !recovered) {
        // What a kill would have left was not put right by the same hand.
        done.error().context += "; and it could not be taken back: " + toString(recovered.error());
    }
    if (done) {
        return m_record.name;
    }
    // Behind the commit point nothing is taken back, and the next command ends what is left to do. What has
    // been taken back may be a record too, of how it lies there now (describeReturned()).
    const Result<Record> left = m_store.read(m_record.name);
    if (left && left->isDone && left->undoes != m_record.name) {
        log(LogLevel::Warning, "workspace", "after all was done: " + toString(done.error()));
        return m_record.name;
    }
    return fail(std::move(done).error());
}

Result<std::vector<std::string>> recover(int tree, const RecordStore& store)
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd lock, store.lock());
    return recoverLocked(tree, store);
}

} // namespace revet::workspace
