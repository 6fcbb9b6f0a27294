// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/journal/journal_reader.h"
#include "engine/journal/rows.h"
#include "engine/journal/statement_cache.h"
#include "engine/journal/text_table.h"

#include <cstdint>
#include <vector>

namespace revet::journal {

enum class Direction { Forward, Backward };

/// Which part of the timeline: the next `limit` rows from `from` (not included) in one direction.
struct PageRequest
{
    Direction direction = Direction::Forward;
    std::int64_t from = 0;
    std::size_t limit = 0;
};

/// The rows of a page in its direction's order. Works in steps of a segment where a filter by path is narrow,
/// so that a page costs what it holds.
[[nodiscard]] Result<std::vector<EventRow>> queryEvents(StatementCache& statements, TextTable& texts,
                                                        WallTime sessionStart, const EventFilter& filter,
                                                        const PageRequest& page);

} // namespace revet::journal
