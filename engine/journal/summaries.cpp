// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/summaries.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace revet::journal {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Events of one kind, verdict and pair of names, taken together.
struct Group
{
    ActionKind kind = ActionKind::Read;
    Verdict verdict = Verdict::Permitted;
    Reach reach = Reach::None;
    std::string target;
    std::string other;
    bool isExchange = false;
    std::uint64_t occurrences = 0;
    EventSeq first;
    EventSeq last;
};

bool isDone(Verdict verdict)
{
    return verdict == Verdict::Permitted || verdict == Verdict::Contained || verdict == Verdict::Approved;
}

Result<void> forEachGroup(Database& database, TextTable& texts, const std::string& kinds,
                          const std::function<void(const Group&)>& visit)
{
    const std::string isExchange = "kind = " + std::to_string(static_cast<int>(ActionKind::Rename))
        + " AND detail & " + std::to_string(kExchange) + " != 0";
    REVET_ASSIGN_OR_RETURN(Statement statement,
                           database.prepare("SELECT kind, verdict, max(reach), target, other, " + isExchange
                                            + ", sum(count), max(seq), min(seq) FROM event WHERE kind IN ("
                                            + kinds + ") GROUP BY kind, verdict, target, other, "
                                            + isExchange));
    while (true) {
        REVET_ASSIGN_OR_RETURN(const bool row, statement.next());
        if (!row) {
            return {};
        }
        RowCursor cursor(statement);
        Group group;
        group.kind = static_cast<ActionKind>(cursor.integer(0, kActionKindCount - 1));
        group.verdict = static_cast<Verdict>(cursor.integer(0, kVerdictCount - 1));
        group.reach = static_cast<Reach>(cursor.integer(0, kReachCount - 1));
        const std::int64_t target = cursor.integer(0, kMost);
        const std::int64_t other = cursor.integer(0, kMost);
        group.isExchange = cursor.integer(0, 1) != 0;
        group.occurrences = static_cast<std::uint64_t>(cursor.integer(0, kMost));
        group.last = EventSeq(static_cast<std::uint64_t>(cursor.integer(1, kMost)));
        group.first = EventSeq(static_cast<std::uint64_t>(cursor.integer(1, kMost)));
        if (!cursor.isValid()) {
            return fail(ErrorCode::Malformed, "read a row of the table event",
                        "the journal is damaged; revet log --verify names the place");
        }
        REVET_ASSIGN_OR_RETURN(group.target, texts.text(target));
        REVET_ASSIGN_OR_RETURN(group.other, texts.text(other));
        visit(group);
    }
}

/// Counter of a file that an action of this kind adds to, for its target.
std::uint64_t FileSummary::*counterOf(ActionKind kind)
{
    if (kind == ActionKind::Read) {
        return &FileSummary::reads;
    }
    if (kind == ActionKind::Create || kind == ActionKind::Listen) {
        return &FileSummary::created;
    }
    if (kind == ActionKind::Delete || kind == ActionKind::Rename) {
        return &FileSummary::deleted;
    }
    return &FileSummary::writes;
}

std::string listOf(std::initializer_list<ActionKind> kinds)
{
    std::string list;
    for (const ActionKind kind : kinds) {
        list += (list.empty() ? "" : ", ") + std::to_string(static_cast<int>(kind));
    }
    return list;
}

template<typename Summary>
void noteLast(Summary& summary, const Group& group)
{
    summary.reach = std::max(summary.reach, group.reach);
    if (group.last > summary.last) {
        summary.last = group.last;
        summary.lastVerdict = group.verdict;
    }
}

/// How a file's changes began and ended, to tell what stayed from what came and went.
class Changes
{
public:
    void add(const Group& group, std::uint64_t FileSummary::*counter)
    {
        if (!isDone(group.verdict) || group.reach == Reach::None || counter == &FileSummary::reads) {
            return;
        }
        if (m_last == EventSeq() || group.first < m_first) {
            m_first = group.first;
            m_beganByMaking = counter == &FileSummary::created;
        }
        if (group.last > m_last) {
            m_last = group.last;
            m_endedByRemoving = counter == &FileSummary::deleted;
        }
    }
    [[nodiscard]] bool haveStayed() const
    {
        return m_last != EventSeq() && !(m_beganByMaking && m_endedByRemoving);
    }

private:
    EventSeq m_first;
    EventSeq m_last;
    bool m_beganByMaking = false;
    bool m_endedByRemoving = false;
};

template<typename Key, typename Summary>
std::vector<Summary> valuesOf(std::map<Key, Summary> summaries)
{
    std::vector<Summary> values;
    values.reserve(summaries.size());
    for (auto& [key, summary] : summaries) {
        values.push_back(std::move(summary));
    }
    return values;
}

} // namespace

Result<std::vector<Bucket>> readBuckets(Database& database, WallTime sessionStart)
{
    REVET_ASSIGN_OR_RETURN(
        Statement statement,
        database.prepare("SELECT slot, events, occurrences, reach FROM bucket ORDER BY slot"));
    std::vector<Bucket> buckets;
    while (true) {
        REVET_ASSIGN_OR_RETURN(const bool row, statement.next());
        if (!row) {
            return buckets;
        }
        RowCursor cursor(statement);
        std::optional<Bucket> bucket = bucketOfSlot(cursor.integer(0, kMost), sessionStart);
        const std::int64_t events = cursor.integer(0, kMost);
        const std::int64_t occurrences = cursor.integer(0, kMost);
        const std::int64_t reach = cursor.integer(0, kReachCount - 1);
        if (!bucket || !cursor.isValid()) {
            return fail(ErrorCode::Malformed, "read a row of the table bucket",
                        "the journal is damaged; revet log --verify names the place");
        }
        bucket->events = static_cast<std::uint64_t>(events);
        bucket->occurrences = static_cast<std::uint64_t>(occurrences);
        bucket->reach = static_cast<Reach>(reach);
        buckets.push_back(*bucket);
    }
}

Result<std::vector<FileSummary>> summarizeFiles(Database& database, TextTable& texts)
{
    std::map<std::string, FileSummary> files;
    std::map<std::string, Changes> changes;
    const auto add = [&files, &changes](const std::string& path, const Group& group,
                                        std::uint64_t FileSummary::*counter) {
        FileSummary& file = files[path];
        file.path = path;
        file.*(isDone(group.verdict) ? counter : &FileSummary::refused) += group.occurrences;
        noteLast(file, group);
        changes[path].add(group, counter);
    };
    const auto visit = [&add](const Group& group) {
        if (group.kind == ActionKind::Listen && !group.target.starts_with('/')) {
            return; // a port, not a file
        }
        const bool makesName = group.kind == ActionKind::Rename || group.kind == ActionKind::Link;
        if (group.kind != ActionKind::Link) {
            add(group.target, group, group.isExchange ? &FileSummary::writes : counterOf(group.kind));
        }
        if (makesName && !group.other.empty()) {
            add(group.other, group, group.isExchange ? &FileSummary::writes : &FileSummary::created);
        }
    };
    const std::string kinds
        = listOf({ActionKind::Read, ActionKind::Write, ActionKind::Create, ActionKind::Delete,
                  ActionKind::Rename, ActionKind::Link, ActionKind::Chmod, ActionKind::Listen});
    REVET_RETURN_IF_ERROR(forEachGroup(database, texts, kinds, visit));
    for (auto& [path, file] : files) {
        file.isChanged = changes[path].haveStayed();
    }
    return valuesOf(std::move(files));
}

Result<std::vector<DestinationSummary>> summarizeDestinations(Database& database, TextTable& texts)
{
    std::map<std::pair<ActionKind, std::string>, DestinationSummary> destinations;
    const auto visit = [&destinations](const Group& group) {
        DestinationSummary& destination = destinations[{group.kind, group.target}];
        destination.kind = group.kind;
        destination.target = group.target;
        (isDone(group.verdict) ? destination.permitted : destination.refused) += group.occurrences;
        noteLast(destination, group);
    };
    const std::string kinds
        = listOf({ActionKind::Connect, ActionKind::Dns, ActionKind::Listen, ActionKind::Socket});
    REVET_RETURN_IF_ERROR(forEachGroup(database, texts, kinds, visit));
    return valuesOf(std::move(destinations));
}

} // namespace revet::journal
