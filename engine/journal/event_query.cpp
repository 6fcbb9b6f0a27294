// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/event_query.h"

#include <algorithm>
#include <limits>
#include <string>

namespace revet::journal {

namespace {

constexpr unsigned kSegmentShift = 13; // the one of the index event_target
// Up to here a seek for each matching path is cheaper than looking at every event of a segment.
constexpr std::int64_t kFewPaths = 256;

template<typename Enum>
std::string listOf(const std::vector<Enum>& values)
{
    std::string list;
    for (std::size_t i = 0; i < values.size(); ++i) {
        list += i == 0 ? "?" : ", ?";
    }
    return list;
}

bool areAllSecurityRelevant(const std::vector<Verdict>& verdicts)
{
    return std::all_of(verdicts.begin(), verdicts.end(), isSecurityRelevant);
}

class Query
{
public:
    Query(const EventFilter& filter, WallTime sessionStart, Direction direction)
        : m_filter(&filter)
        , m_sessionStart(sessionStart)
        , m_direction(direction)
    {
    }

    /// The range of seq is bound after what `where` holds.
    [[nodiscard]] std::string sql(const std::string& where) const
    {
        std::string sql = std::string("SELECT ") + EventRow::kColumns + " FROM event WHERE " + where
            + " AND seq BETWEEN ? AND ?";
        if (!m_filter->kinds.empty()) {
            sql += " AND kind IN (" + listOf(m_filter->kinds) + ")";
        }
        if (!m_filter->verdicts.empty()) {
            sql += " AND verdict IN (" + listOf(m_filter->verdicts) + ")";
            // The index's own condition, word for word, tells the planner that it may use it.
            sql += areAllSecurityRelevant(m_filter->verdicts) ? " AND verdict BETWEEN 2 AND 5" : "";
        }
        sql += m_filter->since ? " AND time >= ?" : "";
        sql += m_filter->process ? " AND process = ?" : "";
        return sql
            + (m_direction == Direction::Forward ? " ORDER BY seq LIMIT ?" : " ORDER BY seq DESC LIMIT ?");
    }

    [[nodiscard]] Result<void> run(Statement& statement, std::int64_t first, std::int64_t last,
                                   std::size_t limit, std::vector<EventRow>& rows) const
    {
        statement.bind(first).bind(last);
        for (const ActionKind kind : m_filter->kinds) {
            statement.bind(static_cast<std::int64_t>(kind));
        }
        for (const Verdict verdict : m_filter->verdicts) {
            statement.bind(static_cast<std::int64_t>(verdict));
        }
        if (m_filter->since) {
            statement.bind(microsSince(m_sessionStart, *m_filter->since));
        }
        if (m_filter->process) {
            statement.bind(std::int64_t{m_filter->process->value()});
        }
        statement.bind(static_cast<std::int64_t>(
            std::min(limit, static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))));
        while (true) {
            REVET_ASSIGN_OR_RETURN(const bool row, statement.next());
            if (!row) {
                statement.rewind();
                return {};
            }
            REVET_ASSIGN_OR_RETURN(EventRow decoded, readEventRow(statement));
            rows.push_back(decoded);
        }
    }

private:
    const EventFilter* m_filter;
    WallTime m_sessionStart;
    Direction m_direction;
};

Result<std::vector<EventRow>> queryFewPaths(StatementCache& statements, const Query& query,
                                            Direction direction, std::int64_t first, std::int64_t last,
                                            std::size_t limit)
{
    REVET_ASSIGN_OR_RETURN(Statement * statement, statements.get(query.sql(R"sql(seq IN (
        SELECT seq FROM event WHERE seq >> 13 = ? AND target IN (SELECT id FROM temp.matching)
        UNION SELECT seq FROM event
        WHERE other <> 0 AND other IN (SELECT id FROM temp.matching) AND seq BETWEEN ? AND ?))sql")));
    std::vector<EventRow> rows;
    std::int64_t low = first >> kSegmentShift;
    std::int64_t high = last >> kSegmentShift;
    while (low <= high && rows.size() < limit) {
        const std::int64_t segment = direction == Direction::Forward ? low++ : high--;
        const std::int64_t begin = std::max(first, segment << kSegmentShift);
        const std::int64_t end = std::min(last, ((segment + 1) << kSegmentShift) - 1);
        statement->bind(segment).bind(begin).bind(end);
        REVET_RETURN_IF_ERROR(query.run(*statement, begin, end, limit - rows.size(), rows));
    }
    return rows;
}

} // namespace

Result<std::vector<EventRow>> queryEvents(StatementCache& statements, TextTable& texts, WallTime sessionStart,
                                          const EventFilter& filter, const PageRequest& page)
{
    const auto [direction, from, limit] = page;
    REVET_ASSIGN_OR_RETURN(const std::int64_t newest,
                           statements.database().singleInteger("SELECT ifnull(max(seq), 0) FROM event"));
    if (direction == Direction::Forward && from >= newest) {
        return std::vector<EventRow>();
    }
    const std::int64_t first = direction == Direction::Forward ? from + 1 : 1;
    const std::int64_t last = direction == Direction::Forward ? newest : std::min(newest, from - 1);
    const Query query(filter, sessionStart, direction);
    std::string where = "1";
    if (!filter.path.empty()) {
        REVET_ASSIGN_OR_RETURN(const std::int64_t matching, texts.match(filter.path));
        if (matching == 0) {
            return std::vector<EventRow>();
        }
        if (matching <= kFewPaths) {
            return queryFewPaths(statements, query, direction, first, last, limit);
        }
        where = "(target IN (SELECT id FROM temp.matching) OR other IN (SELECT id FROM temp.matching))";
    }
    REVET_ASSIGN_OR_RETURN(Statement * statement, statements.get(query.sql(where)));
    std::vector<EventRow> rows;
    REVET_RETURN_IF_ERROR(query.run(*statement, first, last, limit, rows));
    return rows;
}

} // namespace revet::journal
