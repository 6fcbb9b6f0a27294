// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/decision_journal.h"

#include "engine/journal/addendum.h"
#include "engine/journal/journal_reader.h"
#include "engine/workspace/past.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>

namespace revet::api {

namespace {

/// Of one decision; beyond it one row says how many more there were.
constexpr std::size_t kMaximumRows = 10'000;
constexpr std::array<const char*, workspace::kPurposeCount> kRules = {"apply", "discard", "undo"};

WallTime timeOf(std::int64_t nanoseconds)
{
    return WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(nanoseconds)));
}

std::string targetOf(const std::string& path, const DecisionJournal::Source& source)
{
    std::string own = path;
    if (!source.layer.empty()) {
        own = path.size() > source.layer.size() ? path.substr(source.layer.size() + 1) : "";
    }
    return own.empty() ? source.directory : source.directory + '/' + own;
}

std::vector<Event> rowsOf(Event event, const std::vector<std::string>& targets, const std::string& project)
{
    std::vector<Event> rows;
    for (const std::string& target : std::span(targets).first(std::min(targets.size(), kMaximumRows))) {
        event.target = target;
        rows.push_back(event);
    }
    if (targets.size() > kMaximumRows) {
        event.target = project;
        event.count = static_cast<std::uint32_t>(targets.size() - kMaximumRows);
        rows.push_back(std::move(event));
    }
    return rows;
}

} // namespace

Result<DecisionJournal> DecisionJournal::open(const std::vector<Source>& sources)
{
    DecisionJournal journal;
    for (const Source& source : sources) {
        REVET_ASSIGN_OR_RETURN(UniqueFd lock, source.records->lock());
        journal.m_locks.push_back(std::move(lock));
        REVET_ASSIGN_OR_RETURN(const auto names, source.records->names());
        for (const std::string& name : names) {
            if (source.records->isTold(name)) {
                continue;
            }
            REVET_ASSIGN_OR_RETURN(const workspace::Record record, source.records->read(name));
            if (!record.isDone) {
                continue;
            }
            journal.m_parts.push_back({source.records, name});
            Decision& decision = journal.m_decisions[record.time];
            decision.purpose = record.purpose;
            decision.isOfLayer = !source.layer.empty();
            for (const auto& [path, past] : workspace::pastsOf(record)) {
                if (!past.isAside) {
                    decision.targets.push_back(targetOf(path, source));
                }
            }
        }
    }
    return journal;
}

Result<void> DecisionJournal::write(const Places& places, SessionInfo& session) const
{
    const std::filesystem::path file = places.journal(session.id);
    REVET_ASSIGN_OR_RETURN(auto reader, journal::JournalReader::open(file));
    std::vector<Event> events;
    for (const auto& [time, decision] : m_decisions) {
        Event event;
        event.time = timeOf(time);
        event.kind = ActionKind::Apply;
        event.rule = kRules.at(static_cast<std::size_t>(decision.purpose));
        event.reach = decision.isOfLayer ? Reach::Copy : Reach::Project;
        session.reached = std::max(session.reached, event.reach);
        journal::EventFilter filter;
        filter.kinds = {event.kind};
        filter.since = event.time;
        REVET_ASSIGN_OR_RETURN(const auto present, reader.eventsAfter({}, 1, filter));
        if (present.empty() || present.front().time != event.time) {
            std::ranges::move(rowsOf(event, decision.targets, session.project), std::back_inserter(events));
        }
    }
    if (!events.empty()) {
        REVET_RETURN_IF_ERROR(journal::addToJournal(file, std::move(events), session));
    }
    REVET_ASSIGN_OR_RETURN(const EventSeq last, reader.lastEvent());
    session.events = last.value();
    return {};
}

Result<void> DecisionJournal::close() const
{
    for (const Part& part : m_parts) {
        REVET_RETURN_IF_ERROR(part.records->noteTold(part.name));
    }
    return {};
}

} // namespace revet::api
