// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Puts values of any type into the tables of a journal, then reads the rows back: every row either decodes to
// what can be shown, or is refused.

#include "engine/base/bytes.h"
#include "engine/journal/bucket.h"
#include "engine/journal/database.h"
#include "engine/journal/event_json.h"
#include "engine/journal/hash_chain.h"
#include "engine/journal/path_glob.h"
#include "engine/journal/rows.h"
#include "engine/journal/schema.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

namespace {

using revet::journal::Database;
using revet::journal::Statement;

constexpr std::size_t kMostString = 64;

/// Binds numbers and strings from the input; false at its end.
bool bindAny(revet::ByteReader& input, Statement& statement, std::string& storage)
{
    const auto type = input.number<std::uint8_t>();
    if (!type) {
        return false;
    }
    if (*type % 8 == 7) {
        storage = input.string(kMostString).value_or(std::string("odd"));
        statement.bind(std::string_view(storage));
        return true;
    }
    const auto number = *type % 2 == 0 ? std::int64_t{*type} / 2 : input.number<std::int64_t>().value_or(0);
    statement.bind(number);
    return true;
}

void insertRow(Database& database, revet::ByteReader& input, const char* sql)
{
    auto statement = database.prepare(sql);
    if (!statement) {
        std::abort();
    }
    std::array<std::string, 12> storage;
    for (std::string& one : storage) {
        if (!bindAny(input, *statement, one)) {
            return;
        }
    }
    static_cast<void>(statement->run()); // a constraint may refuse it
}

void readEvents(Database& database)
{
    auto statement
        = database.prepare(std::string("SELECT ") + revet::journal::EventRow::kColumns + " FROM event");
    while (statement && statement->next().value_or(false)) {
        const auto row = revet::journal::readEventRow(*statement);
        if (!row) {
            continue;
        }
        revet::journal::BatchDigest digest;
        digest.event(*row);
        static_cast<void>(revet::journal::bucketOfSlot(
            revet::journal::bucketSlot(row->time, row->kind, row->verdict), revet::WallTime()));
        const revet::Event event = revet::journal::fromRow(*row, revet::WallTime());
        const auto again = revet::journal::toRow(event, revet::WallTime());
        if (again.time != row->time || again.kind != row->kind || again.count != row->count
            || toString(event.kind).empty() || toString(event.verdict).empty()) {
            std::abort();
        }
    }
}

void readProcesses(Database& database)
{
    auto statement
        = database.prepare(std::string("SELECT ") + revet::journal::ProcessRow::kColumns + " FROM process");
    while (statement && statement->next().value_or(false)) {
        const auto row = revet::journal::readProcessRow(*statement);
        if (!row) {
            continue;
        }
        const auto again = revet::journal::toRow(revet::journal::fromRow(*row, revet::WallTime()), {});
        if (again.pid != row->pid || again.ending != row->ending || again.started != row->started) {
            std::abort();
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer gives unsigned bytes
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    auto database = Database::open({}, Database::Access::InMemory);
    if (!database || !migrate(*database, revet::journal::journalSchema())) {
        std::abort();
    }
    revet::ByteReader input(bytes);
    while (input.left() > 12) {
        insertRow(*database, input, "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        insertRow(*database, input, "INSERT INTO process VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    }
    readEvents(*database);
    readProcesses(*database);

    const auto arguments = revet::journal::unpackArguments(bytes);
    if (revet::journal::unpackArguments(revet::journal::packArguments(arguments)) != arguments) {
        std::abort();
    }
    revet::Event event;
    event.target = bytes;
    event.other = bytes;
    const auto line = revet::journal::toJsonLine(revet::journal::toJson(event, nullptr, {}));
    if (!nlohmann::json::accept(line)) {
        std::abort();
    }
    const std::string_view pattern = bytes.substr(0, std::min<std::size_t>(size, 64));
    static_cast<void>(revet::journal::PathGlob(pattern).matches(bytes.substr(0, 256)));
    return 0;
}
