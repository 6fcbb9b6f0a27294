// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/history.h"

#include "engine/workspace/open_object.h"
#include "engine/workspace/tree_path.h"

#include <algorithm>

#include <fcntl.h>

namespace revet::workspace {

namespace {

/// The same file that nobody wrote to; its ctime changes with every rename, ours too.
bool isSameContent(const Entry& one, const Entry& other)
{
    return one.exists() == other.exists()
        && (!one.exists()
            || (isSameObject(one, other) && one.size == other.size && one.changed == other.changed));
}

Operation takingBack(const std::string& path, const Past& past, const Entry& expected)
{
    Operation operation;
    operation.path = path;
    operation.expected = expected;
    operation.wanted = past.before;
    operation.isExact = true;
    operation.isWholeTree = past.isWholeTree;
    operation.attributes = past.attributes;
    switch (past.way) {
    case Past::Way::New:
    case Past::Way::InPlace:
    case Past::Way::Lost:
        break;
    case Past::Way::Moved:
        operation.from = past.place;
        break;
    case Past::Way::Kept:
        operation.stored = past.place;
        break;
    case Past::Way::Linked:
        operation.linkTo = past.place;
        break;
    case Past::Way::Copied:
        operation.content = [place = past.place]() -> Result<UniqueFd> {
            UniqueFd file(::open(place.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
            return file ? Result<UniqueFd>(std::move(file)) : failErrno("open what was kept at " + place);
        };
        break;
    }
    return operation;
}

} // namespace

bool isSelected(const std::string& path, const std::vector<std::string>& selection)
{
    return selection.empty() || std::ranges::any_of(selection, [&path](const std::string& selected) {
               return selected.empty() || path == selected
                   || (path.starts_with(selected) && path[selected.size()] == '/');
           });
}

History::History(Pasts own, const std::vector<Record>& records)
{
    if (!own.empty()) {
        Thing thing;
        thing.purpose = Purpose::Undo;
        for (const auto& [path, past] : own) {
            thing.paths[path] = {};
            m_latest[path] = past.after;
        }
        m_things.push_back(std::move(thing));
        m_pasts.push_back(std::move(own));
        m_times.push_back(0);
    }
    for (const Record& record : records) {
        add(record);
    }
}

void History::add(const Record& record)
{
    const std::size_t number = m_pasts.size();
    m_pasts.push_back(pastsOf(record));
    m_times.push_back(record.time);
    for (const auto& [path, past] : m_pasts.back()) {
        m_latest[path] = past.after;
    }
    if (record.purpose != Purpose::Undo) {
        Thing thing;
        thing.name = record.name;
        thing.purpose = record.purpose;
        thing.last = number;
        for (const auto& [path, past] : m_pasts.back()) {
            thing.paths[path] = {number, true};
        }
        m_things.push_back(std::move(thing));
        return;
    }
    const auto thing = std::ranges::find(m_things, record.undoes, &Thing::name);
    if (thing == m_things.end()) {
        return; // its retention is over
    }
    thing->last = number;
    for (const auto& [path, past] : m_pasts.back()) {
        const auto state = thing->paths.find(path);
        if (state != thing->paths.end() && !past.isAside) {
            state->second = {number, !state->second.isInForce};
        }
    }
}

/// The one to take back first comes last.
std::vector<const History::Thing*> History::candidates(const std::vector<std::string>& selection,
                                                       bool isInForce) const
{
    std::vector<const Thing*> chosen;
    for (const Thing& thing : m_things) {
        const bool isMeant = std::ranges::any_of(thing.paths, [&](const auto& entry) {
            const Past& past = pastOf(thing, entry.first);
            return entry.second.isInForce == isInForce && !past.isTimeOnly
                && isSelected(entry.first, selection);
        });
        if (isMeant) {
            chosen.push_back(&thing);
        }
    }
    if (!isInForce) {
        std::ranges::sort(chosen, {}, &Thing::last);
    }
    return chosen;
}

void History::grow(const Thing& thing, bool isInForce, Paths& wanted) const
{
    std::vector<std::string> fresh(wanted.begin(), wanted.end());
    std::map<std::string, std::vector<std::string>> partners; // by place
    for (const auto& entry : thing.paths) {
        const Past& past = pastOf(thing, entry.first);
        if (past.way == Past::Way::Moved || past.way == Past::Way::Linked) {
            partners[past.place].push_back(entry.first);
        }
    }
    const auto want = [&](const std::string& path) {
        const auto state = thing.paths.find(path);
        if (state != thing.paths.end() && state->second.isInForce == isInForce
            && wanted.insert(path).second) {
            fresh.push_back(path);
        }
    };
    while (!fresh.empty()) {
        const std::string path = std::move(fresh.back());
        fresh.pop_back();
        const Past& past = pastOf(thing, path);
        if (past.way == Past::Way::Moved || past.way == Past::Way::Linked) {
            want(past.place);
        }
        for (const std::string& partner : partners[path]) {
            want(partner);
        }
        const std::string parent = parentOf(path);
        if (past.before.exists() && thing.paths.contains(parent)
            && pastOf(thing, parent).after.type != EntryType::Directory) {
            want(parent);
        }
    }
}

Entry History::expectedAt(const std::string& path, const Past& past) const
{
    const auto latest = m_latest.find(path);
    return latest != m_latest.end() && isSameContent(latest->second, past.after) ? latest->second
                                                                                 : past.after;
}

Result<History::Step> History::takeBack(int tree, const std::vector<std::string>& selection,
                                        std::size_t skipped) const
{
    std::vector<const Thing*> things = candidates(selection, true);
    const bool isRedo = skipped >= things.size();
    if (isRedo) {
        skipped -= things.size();
        things = candidates(selection, false);
    }
    if (skipped >= things.size()) {
        return fail(ErrorCode::NotFound, "find something to take back");
    }
    const Thing& thing = *things[things.size() - 1 - skipped];
    Paths wanted;
    for (const auto& entry : thing.paths) {
        if (entry.second.isInForce != isRedo && isSelected(entry.first, selection)) {
            wanted.insert(entry.first);
        }
    }
    grow(thing, !isRedo, wanted);
    Step step{thing.name, thing.purpose, isRedo, m_times[thing.last], {}, {}};
    for (const std::string& path : wanted) {
        const Past& past = pastOf(thing, path);
        if (past.isTimeOnly) {
            // Whoever put something else into the directory meanwhile gave it the time that counts.
            const Result<Entry> present = lookAtDirectory(tree, path);
            if (!present || !present->isUntouchedSince(m_latest.at(path))) {
                continue;
            }
        }
        if (!past.note.empty()) {
            step.lost.push_back({path, past.note});
        }
        if (past.way != Past::Way::Lost) {
            step.operations.push_back(takingBack(path, past, expectedAt(path, past)));
        }
    }
    return step;
}

} // namespace revet::workspace
