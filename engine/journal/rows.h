// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/domain/event.h"
#include "engine/journal/statement.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace revet::journal {

/// A row of the table event as it is stored: texts by number, time relative to the session's start.
struct EventRow
{
    static constexpr const char* kColumns
        = "seq, time, process, kind, verdict, reach, target, other, rule, count, errno, detail";
    std::int64_t seq = 0;
    std::int64_t time = 0; ///< microseconds since the session's start
    std::int64_t process = 0;
    std::int64_t kind = 0;
    std::int64_t verdict = 0;
    std::int64_t reach = 0;
    std::int64_t target = 0;
    std::int64_t other = 0;
    std::int64_t rule = 0;
    std::int64_t count = 0;
    std::int64_t errnoValue = 0;
    std::int64_t detail = 0;

    [[nodiscard]] std::array<std::int64_t, 12> values() const
    {
        return {seq, time, process, kind, verdict, reach, target, other, rule, count, errnoValue, detail};
    }
};

/// A row of the table process: one state of one process.
struct ProcessRow
{
    static constexpr const char* kColumns
        = "id, number, parent, pid, start_ticks, started, exe, command, cwd, ending, ended, status";
    std::int64_t id = 0;
    std::int64_t number = 0;
    std::int64_t parent = 0;
    std::int64_t pid = 0;
    std::int64_t startTicks = 0;
    std::int64_t started = 0; ///< microseconds since the session's start
    std::int64_t exe = 0;
    std::int64_t command = 0;
    std::int64_t cwd = 0;
    std::int64_t ending = 0; ///< 1: `ended` is known, 2: `status` is known, 3: both
    std::int64_t ended = 0;
    std::int64_t status = 0;

    [[nodiscard]] std::array<std::int64_t, 12> values() const
    {
        return {id, number, parent, pid, startTicks, started, exe, command, cwd, ending, ended, status};
    }
};
inline constexpr std::int64_t kEndedKnown = 1;
inline constexpr std::int64_t kStatusKnown = 2;

/// The present row of a statement that selects kColumns in that order. Fails on any value that no writer
/// makes.
[[nodiscard]] Result<EventRow> readEventRow(const Statement& statement);
[[nodiscard]] Result<ProcessRow> readProcessRow(const Statement& statement);

[[nodiscard]] EventRow toRow(const Event& event, WallTime sessionStart);
[[nodiscard]] ProcessRow toRow(const ProcessRecord& process, WallTime sessionStart);
/// The texts stay empty: the caller looks them up.
[[nodiscard]] Event fromRow(const EventRow& row, WallTime sessionStart);
[[nodiscard]] ProcessRecord fromRow(const ProcessRow& row, WallTime sessionStart);

/// Arguments, each with a NUL behind it, as /proc/PID/cmdline has them.
[[nodiscard]] std::string packArguments(const std::vector<std::string>& arguments);
[[nodiscard]] std::vector<std::string> unpackArguments(std::string_view packed);

[[nodiscard]] WallTime wallTime(WallTime sessionStart, std::int64_t micros);
[[nodiscard]] std::int64_t microsSince(WallTime sessionStart, WallTime time);

} // namespace revet::journal
