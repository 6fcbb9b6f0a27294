// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/event.h"
#include "engine/domain/session_info.h"
#include "engine/journal/journal_reader.h"
#include "engine/journal/journal_writer.h"
#include "tests/support/tostring.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// Ends the test with the error's text when a Result is one.
#define REVET_VERIFY(result)                                                                                 \
    QVERIFY2((result).has_value(), (result).has_value() ? "" : toString((result).error()).c_str())

namespace revet::journal::test {

inline std::filesystem::path pathIn(const QTemporaryDir& folder, const char* name)
{
    return std::filesystem::path(folder.path().toStdString()) / name;
}

inline SessionInfo sampleSession()
{
    SessionInfo session;
    session.id = *SessionId::parse("k3f9q2");
    session.label = "nightly";
    session.project = "/home/dev/project";
    session.tier = Tier::Container;
    session.command = {"make", "-j2", "all tests"};
    session.started = WallTime(std::chrono::microseconds(1'700'000'000'123'456));
    session.state = SessionState::Running;
    return session;
}

/// Ten a second after the session's start, over a hundred paths.
inline Event sampleEvent(std::uint64_t number)
{
    Event event;
    event.time = sampleSession().started + std::chrono::milliseconds(100 * number);
    event.kind = number % 5 == 0 ? ActionKind::Write : ActionKind::Read;
    event.verdict = number % 50 == 7 ? Verdict::Denied : Verdict::Permitted;
    event.reach = event.kind == ActionKind::Write ? Reach::Project : Reach::None;
    event.process = ProcessNumber(1 + static_cast<std::uint32_t>(number % 3));
    event.target = "/home/dev/project/file" + std::to_string(number % 100) + ".c";
    event.rule = event.verdict == Verdict::Denied ? "hidden table" : "";
    event.errnoValue = event.verdict == Verdict::Denied ? 1 : 0;
    event.detail = static_cast<std::int64_t>(number);
    return event;
}

inline ProcessRecord sampleProcess(std::uint32_t number)
{
    ProcessRecord process;
    process.number = ProcessNumber(number);
    process.parent = ProcessNumber(number - 1);
    process.pid = 4000 + static_cast<std::int32_t>(number);
    process.startTicks = 123456;
    process.started = sampleSession().started + std::chrono::seconds(number);
    process.exe = "/usr/bin/cc";
    process.argv = {"cc", "", "two words", "-c"};
    process.cwd = "/home/dev/project";
    return process;
}

inline std::unique_ptr<JournalWriter> createWriter(const std::filesystem::path& file)
{
    auto writer = JournalWriter::create(file, sampleSession(), {});
    return writer ? std::move(*writer) : nullptr;
}

/// A closed journal with `events` sample events and three processes.
inline bool writeJournal(const std::filesystem::path& file, std::uint64_t events)
{
    const auto writer = createWriter(file);
    if (!writer) {
        return false;
    }
    for (std::uint32_t number = 1; number <= 3; ++number) {
        writer->update(sampleProcess(number));
    }
    for (std::uint64_t i = 1; i <= events; ++i) {
        writer->append(sampleEvent(i));
        if (i % (events > 200 ? 5000 : 40) == 0 && !writer->flush()) { // several batches
            return false;
        }
    }
    return writer->close().has_value();
}

} // namespace revet::journal::test
