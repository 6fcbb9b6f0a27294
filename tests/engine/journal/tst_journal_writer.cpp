// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"
#include "tests/engine/journal/journal_fixture.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace std::chrono_literals;
using namespace std::string_literals;

namespace revet::journal::test {

class TestJournalWriter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void createsTheFileForItsOwnerOnly();
    void refusesAFileThatExists();
    void writesWhatWaitedOnceAnIdleOneIsHurried();
    void tellsThatAnIdleOneCannotBegin();
    void numbersEventsInOrderAndKeepsEveryField();
    void showsEventsToReadersWithin200MillisecondsWithoutAFlush();
    void keepsTheNewestStateOfAProcess();
    void keepsTheNewestStateOfTheSession();
    void sealsTheJournalOnCloseAndClosesTwice();
    void losesNothingWhenManyThreadsFillTheQueue();
    void tellsHowFarItCanBeRead();
    void tellsOnceWhenTheFileIsDeleted();
    void tellsOnceWhenTheFileIsReplaced();
    void tellsWhenTheLogIsDeleted();
    void tellsOnceWhenTheDiskIsFull();
    void recordsAFullQueueOnAFullDisk();
    void knowsTheFarthestReach();
};

void TestJournalWriter::createsTheFileForItsOwnerOnly()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    writer->append(sampleEvent(1));
    QVERIFY(writer->flush());
    for (const char* name : {"journal.db", "journal.db-wal", "journal.db-shm"}) {
        struct stat status = {};
        QCOMPARE(::stat(pathIn(folder, name).c_str(), &status), 0);
        QCOMPARE(status.st_mode & 07777U, 0600U);
    }
}

void TestJournalWriter::refusesAFileThatExists()
{
    const QTemporaryDir folder;
    std::ofstream(pathIn(folder, "journal.db")) << "precious";
    const auto writer = JournalWriter::create(pathIn(folder, "journal.db"), sampleSession(), {});
    QVERIFY(!writer);
    QCOMPARE(writer.error().code, ErrorCode::Conflict);
    QCOMPARE(std::filesystem::file_size(pathIn(folder, "journal.db")), std::uintmax_t{8});
}

void TestJournalWriter::writesWhatWaitedOnceAnIdleOneIsHurried()
{
    const QTemporaryDir folder;
    const auto writer = JournalWriter::createIdle(pathIn(folder, "journal.db"), sampleSession(), {});
    REVET_VERIFY(writer);
    (*writer)->append(sampleEvent(1));
    QVERIFY(!std::filesystem::exists(pathIn(folder, "journal.db-wal")));
    (*writer)->hurry();
    (*writer)->append(sampleEvent(2));
    QVERIFY((*writer)->flush());
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    const auto events = reader->eventsAfter({}, 10);
    REVET_VERIFY(events);
    QCOMPARE(events->size(), std::size_t{2});
    REVET_VERIFY((*writer)->close());
}

void TestJournalWriter::tellsThatAnIdleOneCannotBegin()
{
    const QTemporaryDir folder;
    std::atomic<int> failures = 0;
    const auto writer = JournalWriter::createIdle(pathIn(folder, "journal.db"), sampleSession(),
                                                  [&failures](const Error&) { ++failures; });
    REVET_VERIFY(writer);
    (*writer)->append(sampleEvent(1));
    std::ofstream(pathIn(folder, "journal.db"), std::ios::trunc) << "no database at all, but a text";
    QVERIFY(!(*writer)->flush());
    QVERIFY(!(*writer)->takesRows());
    QVERIFY(!(*writer)->close());
    QCOMPARE(failures.load(), 1);
}

void TestJournalWriter::numbersEventsInOrderAndKeepsEveryField()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    Event odd;
    odd.time = sampleSession().started - 5s; // a clock that was set back
    odd.kind = ActionKind::Rename;
    odd.verdict = Verdict::Failed;
    odd.reach = Reach::Beyond;
    odd.process = ProcessNumber(4'000'000'000U);
    odd.target = "bytes \xff\n{\"verdict\":\"permitted\"}\0tail"s;
    odd.other = "/new\x1b[31m";
    odd.rule = "a rule";
    odd.count = 4'000'000'000U;
    odd.errnoValue = -7;
    odd.detail = std::numeric_limits<std::int64_t>::min();
    for (std::uint64_t i = 1; i <= 100; ++i) { // crosses the rows that are inserted together
        writer->append(i == 37 ? odd : sampleEvent(i));
    }
    REVET_VERIFY(writer->close());
    QCOMPARE(writer->eventCount(), std::uint64_t{100});

    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    const auto events = reader->eventsAfter({}, 1000);
    REVET_VERIFY(events);
    QCOMPARE(events->size(), std::size_t{100});
    for (std::uint64_t i = 1; i <= 100; ++i) {
        const Event& found = events->at(i - 1);
        const Event expected = i == 37 ? odd : sampleEvent(i);
        QCOMPARE(found.seq.value(), i);
        QCOMPARE(found.time.time_since_epoch().count(), expected.time.time_since_epoch().count());
        QCOMPARE(found.kind, expected.kind);
        QCOMPARE(found.verdict, expected.verdict);
        QCOMPARE(found.reach, expected.reach);
        QCOMPARE(found.process.value(), expected.process.value());
        QCOMPARE(found.target, expected.target);
        QCOMPARE(found.other, expected.other);
        QCOMPARE(found.rule, expected.rule);
        QCOMPARE(found.count, expected.count);
        QCOMPARE(found.errnoValue, expected.errnoValue);
        QCOMPARE(found.detail, expected.detail);
    }
}

void TestJournalWriter::showsEventsToReadersWithin200MillisecondsWithoutAFlush()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    writer->append(sampleEvent(1));
    // The batch is due after 50 ms; the rest is patience with a busy machine.
    QTRY_COMPARE_WITH_TIMEOUT(reader->lastEvent().value_or(EventSeq()).value(), std::uint64_t{1}, 5000);
}

void TestJournalWriter::keepsTheNewestStateOfAProcess()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    ProcessRecord process = sampleProcess(2);
    writer->update(sampleProcess(1));
    writer->update(process);
    QVERIFY(writer->flush());
    process.exe = "/usr/bin/as";
    process.argv = {"as"};
    process.ended = process.started + 3s;
    process.waitStatus = 256;
    writer->update(process);
    REVET_VERIFY(writer->close());

    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    const auto processes = reader->processes();
    REVET_VERIFY(processes);
    QCOMPARE(processes->size(), std::size_t{2});
    QCOMPARE(processes->at(0).argv, sampleProcess(1).argv);
    QVERIFY(!processes->at(0).ended);
    QVERIFY(!processes->at(0).waitStatus);
    const auto found = reader->process(ProcessNumber(2));
    REVET_VERIFY(found);
    QVERIFY(found->has_value());
    QCOMPARE((*found)->exe, std::string("/usr/bin/as"));
    QCOMPARE((*found)->waitStatus.value_or(0), 256);
    QVERIFY((*found)->ended == process.ended);
    QCOMPARE((*found)->startTicks, process.startTicks);
    const auto unknown = reader->process(ProcessNumber(3));
    REVET_VERIFY(unknown);
    QVERIFY(!unknown->has_value());
}

void TestJournalWriter::keepsTheNewestStateOfTheSession()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    SessionInfo session = sampleSession();
    session.state = SessionState::Ended;
    session.ended = session.started + 90s;
    session.waitStatus = 9;
    session.endReason = "stopped";
    writer->update(session);
    REVET_VERIFY(writer->close());
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    const auto found = reader->session();
    REVET_VERIFY(found);
    QCOMPARE(found->id.text(), session.id.text());
    QCOMPARE(found->label, session.label);
    QCOMPARE(found->project, session.project);
    QCOMPARE(found->tier, session.tier);
    QCOMPARE(found->command, session.command);
    QCOMPARE(found->state, SessionState::Ended);
    QVERIFY(found->ended == session.ended);
    QCOMPARE(found->waitStatus.value_or(0), 9);
    QCOMPARE(found->endReason, session.endReason);
}

void TestJournalWriter::sealsTheJournalOnCloseAndClosesTwice()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    QVERIFY(!reader->isSealed().value_or(true));
    REVET_VERIFY(writer->close());
    REVET_VERIFY(writer->close());
    QVERIFY(reader->isSealed().value_or(false));
    writer->append(sampleEvent(1)); // ignored
    QVERIFY(writer->flush());
    QCOMPARE(reader->lastEvent().value_or(EventSeq(99)).value(), std::uint64_t{0});
}

void TestJournalWriter::losesNothingWhenManyThreadsFillTheQueue()
{
    constexpr std::uint64_t kThreads = 4;
    constexpr std::uint64_t kEach = 20'000; // together more than the queue holds
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&writer, thread] {
            for (std::uint64_t i = 0; i < kEach; ++i) {
                Event event = sampleEvent(i);
                event.detail = static_cast<std::int64_t>(thread * kEach + i);
                writer->append(std::move(event));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    REVET_VERIFY(writer->close());
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    std::vector<bool> seen(kThreads * kEach, false);
    EventSeq after;
    while (true) {
        const auto page = reader->eventsAfter(after, 10'000);
        REVET_VERIFY(page);
        if (page->empty()) {
            break;
        }
        for (const Event& event : *page) {
            seen.at(static_cast<std::size_t>(event.detail)) = true;
        }
        after = page->back().seq;
    }
    QCOMPARE(after.value(), kThreads * kEach);
    QVERIFY(std::find(seen.begin(), seen.end(), false) == seen.end());
}

void TestJournalWriter::tellsHowFarItCanBeRead()
{
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "journal.db");
    std::atomic<std::uint64_t> committed = 0;
    std::atomic<bool> isReadable = true;
    const auto writer = JournalWriter::create(file, sampleSession(), {}, [&](EventSeq last) {
        bool isThere = false;
        if (auto reader = JournalReader::open(file)) {
            const auto page = reader->eventsAfter(EventSeq(last.value() - 1), 1);
            isThere = page && page->size() == 1;
        }
        isReadable = isReadable && isThere;
        committed = last.value();
    });
    REVET_VERIFY(writer);
    for (std::uint64_t i = 1; i <= 10; ++i) {
        (*writer)->append(sampleEvent(i));
        QVERIFY(i % 5 != 0 || (*writer)->flush());
        QVERIFY(i % 5 != 0 || committed == i);
    }
    QVERIFY(isReadable);
}

namespace {

/// Appends until the writer fails or gives up; returns how often the failure callback was called.
int failuresAfter(const std::filesystem::path& file, const std::function<void()>& harm)
{
    std::atomic<int> failures = 0;
    auto writer = JournalWriter::create(file, sampleSession(), [&failures](const Error&) { ++failures; });
    if (!writer) {
        return -1;
    }
    (*writer)->append(sampleEvent(1));
    if (!(*writer)->flush() || !(*writer)->takesRows()) {
        return -2;
    }
    harm();
    for (std::uint64_t i = 0; i < 5'000; ++i) {
        Event event = sampleEvent(i);
        event.target += std::string(200, 'x') + std::to_string(i);
        (*writer)->append(std::move(event));
    }
    if ((*writer)->flush() || (*writer)->takesRows()) {
        return -3;
    }
    (*writer)->append(sampleEvent(2)); // must neither wait nor fail again
    if ((*writer)->flush() || (*writer)->close()) {
        return -4;
    }
    return failures;
}

} // namespace

void TestJournalWriter::tellsOnceWhenTheFileIsDeleted()
{
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "journal.db");
    QCOMPARE(failuresAfter(file, [&file] { std::filesystem::remove(file); }), 1);
}

void TestJournalWriter::tellsOnceWhenTheFileIsReplaced()
{
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "journal.db");
    QCOMPARE(failuresAfter(file,
                           [&file] {
                               std::filesystem::rename(file, file.string() + ".away");
                               std::filesystem::copy_file(file.string() + ".away", file);
                           }),
             1);
}

void TestJournalWriter::tellsWhenTheLogIsDeleted()
{
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "journal.db");
    QCOMPARE(failuresAfter(file, [&file] { std::filesystem::remove(file.string() + "-wal"); }), 1);
}

void TestJournalWriter::tellsOnceWhenTheDiskIsFull()
{
    // A limit on the size of files stands in for a full disk: a write fails in the same place.
    const QTemporaryDir folder;
    QVERIFY(std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    rlimit before = {};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const int failures = failuresAfter(pathIn(folder, "journal.db"), [&before] {
        rlimit small = before;
        small.rlim_cur = rlim_t{300} * 1024;
        ::setrlimit(RLIMIT_FSIZE, &small);
    });
    ::setrlimit(RLIMIT_FSIZE, &before);
    QCOMPARE(failures, 1);
}

namespace {

/// In a process of its own, with a small file system of its own. What went wrong, or 0.
int fillDiskAndQueue(const std::filesystem::path& folder)
{
    const std::string uid = "0 " + std::to_string(::getuid()) + " 1";
    const std::string gid = "0 " + std::to_string(::getgid()) + " 1";
    const auto map = [](const char* file, const std::string& text) { std::ofstream(file) << text; };
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return 1;
    }
    map("/proc/self/setgroups", "deny");
    map("/proc/self/uid_map", uid);
    map("/proc/self/gid_map", gid);
    if (::mount("none", folder.c_str(), "tmpfs", 0, "size=20m") != 0) {
        return 2;
    }
    std::atomic<int> failures = 0;
    auto writer = JournalWriter::create(folder / "journal.db", sampleSession(),
                                        [&failures](const Error&) { ++failures; });
    if (!writer) {
        return 3;
    }
    (*writer)->append(sampleEvent(1));
    if (!(*writer)->flush() || failures != 0) {
        return 4;
    }
    const std::string block(4096, 'x');
    {
        const UniqueFd filler(::open((folder / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        while (::write(filler.get(), block.data(), block.size()) > 0) { }
    }
    constexpr std::uint64_t kMany = 60'000;
    for (std::uint64_t i = 2; i <= kMany; ++i) {
        Event event = sampleEvent(i);
        event.target = "/home/person/project/directory/of/some/depth/made-" + std::to_string(i);
        if (i == kMany
            && !(*writer)->flush()) { // all may have been one batch; before the next is looked for room
            return 7;
        }
        (*writer)->append(event);
    }
    if (!(*writer)->flush() || failures != 1) {
        return 5;
    }
    static_cast<void>((*writer)->close().has_value());
    std::filesystem::remove(folder / "filler");
    auto reader = JournalReader::open(folder / "journal.db");
    const auto last = reader ? reader->lastEvent() : Result<EventSeq>(fail(reader.error()));
    return last && last->value() == kMany ? 0 : 6;
}

} // namespace

void TestJournalWriter::recordsAFullQueueOnAFullDisk()
{
    const QTemporaryDir folder;
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(fillDiskAndQueue(folder.path().toStdString()));
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
}

void TestJournalWriter::knowsTheFarthestReach()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    QCOMPARE(writer->farthestReach(), Reach::None);
    Event event = sampleEvent(1);
    event.reach = Reach::Machine;
    writer->append(event);
    writer->append(sampleEvent(5));
    QCOMPARE(writer->farthestReach(), Reach::Machine);
    REVET_VERIFY(writer->close());
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    QCOMPARE(reader->farthestReach().value_or(Reach::None), Reach::Machine);
}

} // namespace revet::journal::test

QTEST_APPLESS_MAIN(revet::journal::test::TestJournalWriter)
#include "tst_journal_writer.moc"
