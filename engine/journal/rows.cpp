// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/rows.h"

#include <algorithm>
#include <limits>

namespace revet::journal {

namespace {

constexpr std::int64_t kMostId = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLeastInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMostUnsigned = std::numeric_limits<std::uint32_t>::max();
// 2^60 µs are 36,000 years: sums and differences of such times cannot overflow.
constexpr std::int64_t kMostMicros = std::int64_t{1} << 60U;

tl::unexpected<Error> badRow(std::string_view table)
{
    return fail(ErrorCode::Malformed, "read a row of the table " + std::string(table),
                "the journal is damaged; revet log --verify names the place");
}

} // namespace

Result<EventRow> readEventRow(const Statement& statement)
{
    RowCursor cursor(statement);
    EventRow row;
    row.seq = cursor.integer(1, kMostId);
    row.time = cursor.integer(-kMostMicros, kMostMicros);
    row.process = cursor.integer(0, kMostUnsigned);
    row.kind = cursor.integer(0, kActionKindCount - 1);
    row.verdict = cursor.integer(0, kVerdictCount - 1);
    row.reach = cursor.integer(0, kReachCount - 1);
    row.target = cursor.integer(0, kMostId);
    row.other = cursor.integer(0, kMostId);
    row.rule = cursor.integer(0, kMostId);
    row.count = cursor.integer(0, kMostUnsigned);
    row.errnoValue = cursor.integer(kLeastInt, kMostInt);
    row.detail = cursor.integer();
    if (!cursor.isValid()) {
        return badRow("event");
    }
    return row;
}

Result<ProcessRow> readProcessRow(const Statement& statement)
{
    RowCursor cursor(statement);
    ProcessRow row;
    row.id = cursor.integer(1, kMostId);
    row.number = cursor.integer(0, kMostUnsigned);
    row.parent = cursor.integer(0, kMostUnsigned);
    row.pid = cursor.integer(kLeastInt, kMostInt);
    row.startTicks = cursor.integer();
    row.started = cursor.integer(-kMostMicros, kMostMicros);
    row.exe = cursor.integer(0, kMostId);
    row.command = cursor.integer(0, kMostId);
    row.cwd = cursor.integer(0, kMostId);
    row.ending = cursor.integer(0, kEndedKnown | kStatusKnown);
    row.ended = cursor.integer(-kMostMicros, kMostMicros);
    row.status = cursor.integer(kLeastInt, kMostInt);
    if (!cursor.isValid()) {
        return badRow("process");
    }
    return row;
}

EventRow toRow(const Event& event, WallTime sessionStart)
{
    EventRow row;
    row.seq = static_cast<std::int64_t>(event.seq.value());
    row.time = microsSince(sessionStart, event.time);
    row.process = event.process.value();
    row.kind = static_cast<std::int64_t>(event.kind);
    row.verdict = static_cast<std::int64_t>(event.verdict);
    row.reach = static_cast<std::int64_t>(event.reach);
    row.count = event.count;
    row.errnoValue = event.errnoValue;
    row.detail = event.detail;
    return row;
}

ProcessRow toRow(const ProcessRecord& process, WallTime sessionStart)
{
    ProcessRow row;
    row.number = process.number.value();
    row.parent = process.parent.value();
    row.pid = process.pid;
    row.startTicks = static_cast<std::int64_t>(process.startTicks);
    row.started = microsSince(sessionStart, process.started);
    if (process.ended) {
        row.ending |= kEndedKnown;
        row.ended = microsSince(sessionStart, *process.ended);
    }
    if (process.waitStatus) {
        row.ending |= kStatusKnown;
        row.status = *process.waitStatus;
    }
    return row;
}

Event fromRow(const EventRow& row, WallTime sessionStart)
{
    Event event;
    event.seq = EventSeq(static_cast<std::uint64_t>(row.seq));
    event.time = wallTime(sessionStart, row.time);
    event.kind = static_cast<ActionKind>(row.kind);
    event.verdict = static_cast<Verdict>(row.verdict);
    event.reach = static_cast<Reach>(row.reach);
    event.process = ProcessNumber(static_cast<std::uint32_t>(row.process));
    event.count = static_cast<std::uint32_t>(row.count);
    event.errnoValue = static_cast<std::int32_t>(row.errnoValue);
    event.detail = row.detail;
    return event;
}

ProcessRecord fromRow(const ProcessRow& row, WallTime sessionStart)
{
    ProcessRecord process;
    process.number = ProcessNumber(static_cast<std::uint32_t>(row.number));
    process.parent = ProcessNumber(static_cast<std::uint32_t>(row.parent));
    process.pid = static_cast<std::int32_t>(row.pid);
    process.startTicks = static_cast<std::uint64_t>(row.startTicks);
    process.started = wallTime(sessionStart, row.started);
    if ((row.ending & kEndedKnown) != 0) {
        process.ended = wallTime(sessionStart, row.ended);
    }
    if ((row.ending & kStatusKnown) != 0) {
        process.waitStatus = static_cast<std::int32_t>(row.status);
    }
    return process;
}

std::string packArguments(const std::vector<std::string>& arguments)
{
    std::string packed;
    for (const std::string& argument : arguments) {
        packed += argument;
        packed.push_back('\0');
    }
    return packed;
}

std::vector<std::string> unpackArguments(std::string_view packed)
{
    std::vector<std::string> arguments;
    while (!packed.empty()) {
        const std::size_t end = std::min(packed.find('\0'), packed.size());
        arguments.emplace_back(packed.substr(0, end));
        packed.remove_prefix(std::min(end + 1, packed.size()));
    }
    return arguments;
}

WallTime wallTime(WallTime sessionStart, std::int64_t micros)
{
    return sessionStart + std::chrono::microseconds(micros);
}

std::int64_t microsSince(WallTime sessionStart, WallTime time)
{
    return std::clamp((time - sessionStart).count(), -kMostMicros, kMostMicros);
}

} // namespace revet::journal
