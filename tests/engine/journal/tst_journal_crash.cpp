// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/verify.h"
#include "tests/engine/journal/journal_fixture.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::journal::test {

namespace {

constexpr std::uint64_t kFlushed = 5000;

/// The child: flushes some events, says so, and goes on without end.
int appendForever(const std::filesystem::path& file)
{
    const auto writer = createWriter(file);
    if (!writer) {
        return 1;
    }
    for (std::uint64_t i = 1;; ++i) {
        writer->append(sampleEvent(i));
        if (i == kFlushed && (!writer->flush() || ::write(STDOUT_FILENO, "f", 1) != 1)) {
            return 1;
        }
    }
}

} // namespace

class TestJournalCrash : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsAllThatWasFlushedWhenTheWriterIsKilled();
    void neverLosesARowWhileFourReadersPage();
};

void TestJournalCrash::keepsAllThatWasFlushedWhenTheWriterIsKilled()
{
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "journal.db");
    std::array<int, 2> pipe = {};
    QCOMPARE(::pipe2(pipe.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    QCOMPARE(posix_spawn_file_actions_init(&actions), 0);
    QCOMPARE(posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO), 0);
    std::string program = "/proc/self/exe";
    std::string mode = "--append";
    std::string target = file.string();
    std::array<char*, 4> arguments = {program.data(), mode.data(), target.data(), nullptr};
    pid_t child = 0;
    QCOMPARE(posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    char byte = 0;
    const bool flushed = ::read(pipe[0], &byte, 1) == 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(30)); // somewhere in a batch
    ::kill(child, SIGKILL);
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    ::close(pipe[0]);
    QVERIFY(flushed);
    QVERIFY(WIFSIGNALED(status));

    const auto report = verify(file);
    REVET_VERIFY(report);
    QVERIFY2(report->isIntact, report->problem.c_str());
    QVERIFY(!report->isSealed);
    QVERIFY(report->events >= kFlushed);
    auto reader = JournalReader::open(file);
    REVET_VERIFY(reader);
    const auto events = reader->eventsAfter({}, kFlushed);
    REVET_VERIFY(events);
    QCOMPARE(events->size(), std::size_t{kFlushed});
    QCOMPARE(events->back().detail, std::int64_t{kFlushed});
}

void TestJournalCrash::neverLosesARowWhileFourReadersPage()
{
    constexpr std::uint64_t kEvents = 30'000;
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "journal.db");
    std::atomic<int> failures = 0;
    auto writer = JournalWriter::create(file, sampleSession(), [&failures](const Error&) { ++failures; });
    REVET_VERIFY(writer);
    std::atomic<int> complete = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&file, &complete] {
            auto reader = JournalReader::open(file);
            std::uint64_t seen = 0;
            while (reader && seen < kEvents) {
                const auto page = reader->eventsAfter(EventSeq(seen), 500);
                if (!page) {
                    return;
                }
                if (page->empty()) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                for (const Event& event : *page) {
                    if (event.seq.value() != ++seen || event.detail != static_cast<std::int64_t>(seen)) {
                        return;
                    }
                }
            }
            complete += seen == kEvents ? 1 : 0;
        });
    }
    for (std::uint64_t i = 1; i <= kEvents; ++i) {
        (*writer)->append(sampleEvent(i));
    }
    const bool flushed = (*writer)->flush();
    for (std::thread& reader : readers) {
        reader.join();
    }
    QVERIFY(flushed);
    REVET_VERIFY((*writer)->close());
    QCOMPARE(failures.load(), 0);
    QCOMPARE(complete.load(), 4);
    QVERIFY(verify(file).value_or(VerifyReport()).isIntact);
}

} // namespace revet::journal::test

int main(int argc, char** argv)
{
    using revet::journal::test::TestJournalCrash;
    if (argc == 3 && std::string_view(argv[1]) == "--append") {
        return revet::journal::test::appendForever(argv[2]);
    }
    TestJournalCrash test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_journal_crash.moc"
