// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// bench_journal [DIRECTORY]: what the journal costs. "goal" lines compare with the goals; on a busy or slow
// machine only the ratios to bare SQLite count: five integers a row and one index, 1000 rows a transaction.

#include "engine/journal/journal_reader.h"
#include "engine/journal/journal_writer.h"
#include "engine/journal/verify.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using revet::Event;
using revet::SessionInfo;
using revet::WallTime;
using revet::journal::JournalWriter;
using Steady = std::chrono::steady_clock;

double secondsSince(Steady::time_point start)
{
    return std::chrono::duration<double>(Steady::now() - start).count();
}

double cpuSeconds()
{
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template<typename Value>
Value must(revet::Result<Value> result)
{
    if (!result) {
        std::fprintf(stderr, "bench_journal: %s\n", toString(result.error()).c_str());
        std::exit(1);
    }
    return std::move(*result);
}

SessionInfo session()
{
    SessionInfo info;
    info.id = revet::SessionId::generate();
    info.project = "/home/dev/project";
    info.command = {"make", "-j2"};
    info.started = WallTime(std::chrono::microseconds(1'700'000'000'000'000));
    return info;
}

/// As a build looks: mostly reads of a few thousand headers, some writes, now and then a refusal.
Event sample(std::uint64_t number, const SessionInfo& info, const std::vector<std::string>& paths)
{
    const std::uint64_t mixed = number * 2654435761U % 4294967296U;
    Event event;
    event.time = info.started + std::chrono::microseconds(number * 50);
    event.kind = mixed % 10 == 0 ? revet::ActionKind::Write : revet::ActionKind::Read;
    event.verdict = mixed % 50 == 0 ? revet::Verdict::Withheld : revet::Verdict::Permitted;
    event.reach = event.kind == revet::ActionKind::Write ? revet::Reach::Project : revet::Reach::None;
    event.process = revet::ProcessNumber(static_cast<std::uint32_t>(1 + number / 200));
    event.target = paths[mixed / 64 % paths.size()];
    event.detail = 0x80000;
    return event;
}

std::vector<std::string> makePaths(std::size_t count)
{
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < count; ++i) {
        paths.push_back("/usr/include/c++/12/bits/some_header_" + std::to_string(i) + ".h");
    }
    return paths;
}

void goal(const char* what, double value, double limit, bool atMost)
{
    std::printf("goal  %-40s %12.3f  %s %12.3f  %s\n", what, value, atMost ? "<=" : ">=", limit,
                (atMost ? value <= limit : value >= limit) ? "met" : "MISSED");
}

void benchCreate(const std::filesystem::path& folder)
{
    std::vector<double> millis;
    std::vector<double> closing;
    for (int i = 0; i < 21; ++i) {
        const auto start = Steady::now();
        auto writer = must(JournalWriter::create(folder / ("c" + std::to_string(i) + ".db"), session(), {}));
        millis.push_back(secondsSince(start) * 1e3);
        const auto end = Steady::now();
        static_cast<void>(writer->close());
        closing.push_back(secondsSince(end) * 1e3);
    }
    std::sort(millis.begin(), millis.end());
    std::sort(closing.begin(), closing.end());
    std::printf("create %.3f ms median, %.3f ms worst; close %.3f ms median\n", millis[10], millis.back(),
                closing[10]);
    goal("create, ms", millis[10], 2.0, true);
}

/// CPU nanoseconds a row of bare SQLite, the anchor of the ratios.
double benchBare(const std::filesystem::path& file)
{
    constexpr std::int64_t kRows = 200'000;
    sqlite3* database = nullptr;
    sqlite3_stmt* insert = nullptr;
    sqlite3_open(file.c_str(), &database);
    sqlite3_exec(database,
                 "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                 "CREATE TABLE e (id INTEGER PRIMARY KEY, a, b, c, d, e); CREATE INDEX i ON e (d)",
                 nullptr, nullptr, nullptr);
    sqlite3_prepare_v2(database, "INSERT INTO e VALUES (?, ?, ?, ?, ?, ?)", -1, &insert, nullptr);
    const double cpu = cpuSeconds();
    for (std::int64_t i = 0; i < kRows; ++i) {
        if (i % 1000 == 0) {
            sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr);
        }
        int parameter = 1;
        for (const std::int64_t value : {i + 1, i * 50, i / 200, std::int64_t{3},
                                         i * 2654435761 % 4294967296 / 64 % 2000, std::int64_t{0}}) {
            sqlite3_bind_int64(insert, parameter++, value);
        }
        sqlite3_step(insert);
        sqlite3_reset(insert);
        if (i % 1000 == 999) {
            sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
        }
    }
    const double nanos = (cpuSeconds() - cpu) / static_cast<double>(kRows) * 1e9;
    sqlite3_finalize(insert);
    sqlite3_close(database);
    std::printf("bare SQLite: %.0f ns CPU a row\n", nanos);
    return nanos;
}

void benchRead(const std::filesystem::path& file)
{
    auto reader = must(revet::journal::JournalReader::open(file));
    const auto timed = [](const char* what, int times, const auto& body) {
        const auto start = Steady::now();
        for (int i = 0; i < times; ++i) {
            body(static_cast<std::uint64_t>(i));
        }
        std::printf("%s: %.3f ms\n", what, secondsSince(start) / times * 1e3);
    };
    timed("page of 200", 200,
          [&reader](std::uint64_t i) { must(reader.eventsAfter(revet::EventSeq(i * 4999), 200)); });
    timed("first 200 of one path", 20, [&reader](std::uint64_t i) {
        revet::journal::EventFilter filter;
        filter.path = "some_header_" + std::to_string(i * 7) + ".h";
        must(reader.eventsAfter({}, 200, filter));
    });
    timed("first 200 withheld", 100, [&reader](std::uint64_t) {
        revet::journal::EventFilter filter;
        filter.verdicts = {revet::Verdict::Withheld};
        must(reader.eventsAfter({}, 200, filter));
    });
    timed("timeline buckets", 20, [&reader](std::uint64_t) { must(reader.buckets()); });
    timed("files", 1, [&reader](std::uint64_t) { must(reader.files()); });
    timed("verify", 1, [&file](std::uint64_t) { must(revet::journal::verify(file)); });
}

double benchFullSpeed(const std::filesystem::path& file, std::uint64_t events, std::size_t pathCount)
{
    const SessionInfo info = session();
    const std::vector<std::string> paths = makePaths(pathCount);
    auto writer = must(JournalWriter::create(file, info, {}));
    const auto start = Steady::now();
    const double cpu = cpuSeconds();
    for (std::uint64_t i = 0; i < events; ++i) {
        writer->append(sample(i, info, paths));
    }
    if (!writer->flush()) {
        std::exit(1);
    }
    const double seconds = secondsSince(start);
    const double spent = cpuSeconds() - cpu;
    if (!writer->close()) {
        std::exit(1);
    }
    const auto count = static_cast<double>(events);
    const auto bytes = static_cast<double>(std::filesystem::file_size(file));
    std::printf("full speed, %zu paths: %.0f events/s, %.0f ns wall, %.0f ns CPU, %.1f bytes an event\n",
                pathCount, count / seconds, seconds / count * 1e9, spent / count * 1e9, bytes / count);
    goal("events a second at full speed", count / seconds, 400e3, false);
    goal("bytes an event, indexes included", bytes / count, 48, true);
    return spent / count * 1e9;
}

double benchPaced(const std::filesystem::path& file)
{
    const SessionInfo info = session();
    const std::vector<std::string> paths = makePaths(2000);
    auto writer = must(JournalWriter::create(file, info, {}));
    const double cpu = cpuSeconds();
    const auto start = Steady::now();
    constexpr std::uint64_t kEvents = 100'000;
    for (std::uint64_t i = 0; i < kEvents; ++i) {
        writer->append(sample(i, info, paths));
        if (i % 100 == 99) {
            std::this_thread::sleep_until(start + (i + 1) * 50us); // 20,000 a second
        }
    }
    const bool flushed = writer->flush();
    const double spent = (cpuSeconds() - cpu) / static_cast<double>(kEvents) * 1e6;
    std::printf("paced 20k/s: %.3f us CPU an event, appending included\n", spent);
    goal("us CPU an event, paced", spent, 0.8, true);
    if (!flushed || !writer->close()) {
        std::exit(1);
    }
    return spent * 1e3;
}

} // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path folder = std::filesystem::path(argc > 1 ? argv[1] : "/var/tmp")
        / ("bench_journal." + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    benchCreate(folder);
    const double bare = benchBare(folder / "bare.db");
    std::printf("ratio full speed, 2000 paths, to bare: %.2f\n",
                benchFullSpeed(folder / "few.db", 1'000'000, 2000) / bare);
    std::printf("ratio full speed, 50000 paths, to bare: %.2f\n",
                benchFullSpeed(folder / "many.db", 1'000'000, 50'000) / bare);
    std::printf("ratio paced to bare: %.2f\n", benchPaced(folder / "paced.db") / bare);
    benchRead(folder / "many.db");
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return 0;
}
