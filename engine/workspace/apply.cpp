// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/apply.h"

#include "engine/base/assert.h"
#include "engine/workspace/history.h"
#include "engine/workspace/memory_file.h"
#include "engine/workspace/transaction_plan.h"
#include "engine/workspace/tree_path.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <sys/stat.h>

namespace revet::workspace {

namespace {

constexpr mode_t kExecutable = S_IXUSR | S_IXGRP | S_IXOTH;
constexpr mode_t kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;
constexpr std::array<std::string_view, 11> kHoldNames = {"",
                                                         "pinned",
                                                         "runs code",
                                                         "odd",
                                                         "of a repository",
                                                         "no file",
                                                         "holds what is held",
                                                         "not fit to cross",
                                                         "only extended attributes",
                                                         "the project's own directory",
                                                         "undo's own name"};

class Planner
{
public:
    Planner(ChangeSource& source, const std::vector<ApplyItem>& items, int tree, const Bases& bases,
            const ApplyChoice& choice)
        : m_source(source)
        , m_items(items)
        , m_tree(tree)
        , m_bases(bases)
        , m_choice(choice)
    {
    }
    Result<ApplyPlan> run();

private:
    struct Pick
    {
        const ApplyItem* removes = nullptr; ///< what was at the path goes
        const ApplyItem* makes = nullptr; ///< something is there afterwards
    };

    void pick(const ApplyItem& item);
    void pickAbove();
    [[nodiscard]] bool holdsHeld(const std::string& path) const;
    void dropHollowDirectories();
    void holdDirectories();
    void hold(const ApplyItem& item, Hold why);
    Result<void> add(const std::string& path, const Pick& pick);
    void describe(Operation& operation, const ApplyItem& item);

    ChangeSource& m_source;
    const std::vector<ApplyItem>& m_items;
    int m_tree;
    const Bases& m_bases;
    const ApplyChoice& m_choice;
    std::map<std::string, Pick, WalkOrder> m_picks;
    std::set<std::string> m_heldPaths;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> m_names; ///< of files with several
    ApplyPlan m_plan;
};

void Planner::hold(const ApplyItem& item, Hold why)
{
    m_plan.held.push_back({item.change.path, why, item.why});
    m_heldPaths.insert(item.change.path);
    if (item.change.kind == Change::Kind::Renamed) {
        m_heldPaths.insert(item.change.from);
    }
}

void Planner::pick(const ApplyItem& item)
{
    const Change& change = item.change;
    switch (change.kind) {
    case Change::Kind::Deleted:
        m_picks[change.path].removes = &item;
        break;
    case Change::Kind::Renamed:
        m_picks[change.from].removes = &item;
        m_picks[change.path].makes = &item;
        break;
    case Change::Kind::Added:
    case Change::Kind::Modified:
        m_picks[change.path].makes = &item;
        break;
    }
}

/// A new file needs its new directories, also where only the file was chosen.
void Planner::pickAbove()
{
    std::map<std::string_view, std::vector<const ApplyItem*>> items;
    for (const ApplyItem& item : m_items) {
        items[item.change.path].push_back(&item);
    }
    std::vector<std::string> paths;
    for (const auto& [path, pick] : m_picks) {
        if (pick.makes != nullptr) {
            paths.push_back(path);
        }
    }
    std::set<std::string> seen;
    for (std::string path : paths) {
        for (path = parentOf(path); !path.empty() && seen.insert(path).second; path = parentOf(path)) {
            const auto found = items.find(path);
            const bool isNew
                = found != items.end() && std::ranges::any_of(found->second, [](const ApplyItem* item) {
                      return item->change.kind == Change::Kind::Added
                          && item->change.after.type == EntryType::Directory;
                  });
            if (!isNew || m_picks.contains(path)) {
                continue;
            }
            for (const ApplyItem* const item : found->second) {
                pick(*item);
            }
        }
    }
}

bool Planner::holdsHeld(const std::string& path) const
{
    const auto below = m_heldPaths.lower_bound(path + '/');
    return below != m_heldPaths.end() && below->starts_with(path + '/');
}

/// A new directory that would hold nothing but what is held is not made.
void Planner::dropHollowDirectories()
{
    std::set<std::string> filled; // directories of what is made
    for (auto pick = m_picks.end(); pick != m_picks.begin();) {
        --pick;
        const ApplyItem* const item = pick->second.makes;
        if (item == nullptr) {
            continue;
        }
        const bool isHollow = item->change.kind == Change::Kind::Added
            && item->change.after.type == EntryType::Directory && pick->second.removes == nullptr
            && !filled.contains(pick->first) && holdsHeld(pick->first);
        if (isHollow) {
            pick = m_picks.erase(pick);
        } else {
            filled.insert(parentOf(pick->first));
        }
    }
}

/// A directory that holds something held stays, and says so.
void Planner::holdDirectories()
{
    for (auto pick = m_picks.begin(); pick != m_picks.end();) {
        const bool isDirectory = pick->second.removes != nullptr
            && pick->second.removes->change.before.type == EntryType::Directory;
        if (!isDirectory || !holdsHeld(pick->first)) {
            ++pick;
            continue;
        }
        m_plan.held.push_back({pick->first, Hold::HoldsHeld, *m_heldPaths.lower_bound(pick->first + '/')});
        pick = m_picks.erase(pick);
    }
}

/// What the operation's path is to hold.
void Planner::describe(Operation& operation, const ApplyItem& item)
{
    const Change& change = item.change;
    operation.wanted = change.after;
    operation.wanted.mode &= kPermissions;
    const auto merged = m_choice.merged.find(change.path);
    operation.isMerge = merged != m_choice.merged.end();
    const auto given = operation.isMerge ? merged : m_choice.contents.find(change.path);
    if (operation.isMerge || given != m_choice.contents.end()) {
        operation.wanted.changed = 0;
        operation.content = [bytes = given->second] { return openMemoryFile(bytes); };
        return;
    }
    if (change.after.type == EntryType::Directory && change.kind == Change::Kind::Modified) {
        operation.wanted.changed = 0;
    }
    // A file with several names is made once and linked, whatever its names were.
    const bool isMove
        = change.kind == Change::Kind::Renamed && !change.isContentChanged && change.after.links == 1;
    if (isMove) {
        operation.from = change.from;
    }
    const bool isNewContent = change.isContentChanged || change.kind == Change::Kind::Added
        || change.kind == Change::Kind::Renamed;
    if (change.after.type != EntryType::File || !isNewContent) {
        return;
    }
    operation.content = [source = &m_source, change] { return source->openAfter(change); };
    if (change.after.links > 1) {
        const auto [first, isFirst]
            = m_names.try_emplace({change.after.device, change.after.inode}, change.path);
        if (!isFirst) {
            operation.linkTo = first->second;
        }
    }
}

Result<void> Planner::add(const std::string& path, const Pick& pick)
{
    Operation operation;
    operation.path = path;
    Result<Entry> present = lookAt(m_tree, path);
    if (!present && present.error().code != ErrorCode::Refused) {
        return fail(std::move(present).error());
    }
    const ApplyItem* const item = pick.makes != nullptr ? pick.makes : pick.removes;
    REVET_ASSERT(item != nullptr);
    if (pick.makes != nullptr) {
        describe(operation, *item);
    }
    const bool isNew = pick.removes == nullptr
        && (item->change.kind == Change::Kind::Added || item->change.kind == Change::Kind::Renamed);
    // A link on the way is the transaction's to find; it looks again.
    if (present && !present->exists()) {
        // A directory that the host removed is made again for what is new in it.
        const bool isRemoved
            = isNew && operation.wanted.type != EntryType::Directory && !m_bases.isBase(path, *present);
        if (!isNew || isRemoved) {
            operation.expected = isRemoved ? item->change.after : item->change.before;
        }
    } else if (present && !isNew) {
        operation.expected = *present;
        const bool isSeen = m_choice.contents.contains(path) || operation.isMerge;
        if (!isSeen && !m_bases.isBase(path, *present)) {
            operation.expected.statusChanged = -1; // as nothing is
        }
        if (operation.isMerge) { // of the modes only what makes it a program is the session's
            operation.wanted.mode
                = present->mode | (operation.wanted.mode & kExecutable & (present->mode >> 2U));
        }
        // In place: bits that only the host gives stay.
        if (operation.wanted.type == present->type && !operation.content) {
            operation.wanted.mode |= present->mode & ~kPermissions;
        }
    }
    m_plan.operations.push_back(std::move(operation));
    return {};
}

Result<ApplyPlan> Planner::run()
{
    for (const ApplyItem& item : m_items) {
        const Change& change = item.change;
        const bool isChosen = isSelected(change.path, m_choice.paths)
            || (change.kind == Change::Kind::Renamed && isSelected(change.from, m_choice.paths));
        if (!isChosen) {
            continue;
        }
        const bool isHeld = item.hold != Hold::None && !(m_choice.releasesHeld && canBeReleased(item.hold));
        isHeld ? hold(item, item.hold) : pick(item);
    }
    pickAbove();
    dropHollowDirectories();
    holdDirectories();
    for (const auto& [path, pick] : m_picks) {
        REVET_RETURN_IF_ERROR(add(path, pick));
    }
    return std::move(m_plan);
}

} // namespace

std::string_view toString(Hold hold)
{
    return kHoldNames.at(static_cast<std::size_t>(hold));
}

Result<ApplyPlan> planApply(ChangeSource& source, const std::vector<ApplyItem>& items, int tree,
                            const Bases& bases, const ApplyChoice& choice)
{
    return Planner(source, items, tree, bases, choice).run();
}

} // namespace revet::workspace
