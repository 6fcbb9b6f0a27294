// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/history.h"

#include "engine/workspace/open_object.h"

#include <algorithm>
#include <ranges>
#include <set>

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
        if (state != thing->paths.end()
            && (!past.isTimeOnly || m_pasts[state->second.holder].at(path).isTimeOnly)) {
            state->second = {number, !state->second.isInForce};
        }
    }
}

const History::Thing* History::choose(const std::vector<std::string>& selection, bool isInForce) const
{
    const Thing* chosen = nullptr;
    for (const Thing& thing : m_things) {
        const bool isMeant = std::ranges::any_of(thing.paths, [&](const auto& entry) {
            const Past& past = m_pasts[entry.second.holder].at(entry.first);
            return entry.second.isInForce == isInForce && !past.isTimeOnly
                && isSelected(entry.first, selection);
        });
        // Of several undos the newest is taken back first, of things the newest.
        if (isMeant && (chosen == nullptr || isInForce || thing.last > chosen->last)) {
            chosen = &thing;
        }
    }
    return chosen;
}

Entry History::expectedAt(const std::string& path, const Past& past) const
{
    const auto latest = m_latest.find(path);
    return latest != m_latest.end() && isSameContent(latest->second, past.after) ? latest->second
                                                                                 : past.after;
}

Result<History::Step> History::takeBack(int tree, const std::vector<std::string>& selection) const
{
    const Thing* thing = choose(selection, true);
    const bool isRedo = thing == nullptr;
    if (isRedo) {
        thing = choose(selection, false);
    }
    if (thing == nullptr) {
        return fail(ErrorCode::NotFound, "find something to take back");
    }
    // Both ends of a move belong together, and all names of a file.
    std::set<std::string> wanted;
    const auto pastOf
        = [this](const auto& entry) -> const Past& { return m_pasts[entry.second.holder].at(entry.first); };
    for (const auto& entry : thing->paths) {
        if (entry.second.isInForce != isRedo && isSelected(entry.first, selection)) {
            wanted.insert(entry.first);
        }
    }
    for (bool isGrowing = true; isGrowing;) {
        isGrowing = false;
        for (const auto& entry : thing->paths) {
            const Past& past = pastOf(entry);
            if (past.way == Past::Way::Moved && wanted.contains(entry.first) != wanted.contains(past.place)) {
                wanted.insert(entry.first);
                wanted.insert(past.place);
                isGrowing = true;
            }
        }
    }
    Step step{thing->name, thing->purpose, isRedo, m_times[thing->last], {}, {}};
    for (const auto& entry : thing->paths) {
        const Past& past = pastOf(entry);
        if (!wanted.contains(entry.first)) {
            continue;
        }
        const Entry expected = expectedAt(entry.first, past);
        if (past.isTimeOnly) {
            // Whoever put something else into the directory meanwhile gave it the time that counts.
            const Result<Entry> present = lookAtDirectory(tree, entry.first);
            if (!present || !present->isUntouchedSince(m_latest.at(entry.first))) {
                continue;
            }
        }
        if (past.way == Past::Way::Lost) {
            step.conflicts.push_back({entry.first, "its content was not kept"});
            continue;
        }
        step.operations.push_back(takingBack(entry.first, past, expected));
    }
    return step;
}

} // namespace revet::workspace
