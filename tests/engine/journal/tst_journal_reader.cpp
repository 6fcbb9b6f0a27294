// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/database.h"
#include "tests/engine/journal/journal_fixture.h"

#include <numeric>

namespace revet::journal::test {

namespace {

std::vector<std::uint64_t> numbers(const Result<std::vector<Event>>& events)
{
    std::vector<std::uint64_t> found;
    for (const Event& event : events.value_or(std::vector<Event>())) {
        found.push_back(event.seq.value());
    }
    return found;
}

} // namespace

class TestJournalReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void pagesForwardAndBackwardWithoutGapsOrRepeats();
    void filtersByKindVerdictTimeAndProcess();
    void findsAPathByGlobInOrder_data();
    void findsAPathByGlobInOrder();
    void findsARenameByItsNewName();
    void seesNewPathsOfALiveJournalThroughTheSameFilter();
    void countsByVerdictAndSecond();
    void sumsUpFiles();
    void tellsWhatStaysChangedFromWhatCameAndWent();
    void sumsUpDestinations();
    void refusesAJournalOfANewerRevet();
    void refusesAFileThatIsNoJournal();
    void refusesAMissingFile();

private:
    [[nodiscard]] JournalReader open() const { return std::move(*JournalReader::open(m_file)); }
    const QTemporaryDir m_folder;
    const std::filesystem::path m_file = pathIn(m_folder, "journal.db");
    static constexpr std::uint64_t kEvents = 20'000; // three segments of the index
};

void TestJournalReader::initTestCase()
{
    QVERIFY(writeJournal(m_file, kEvents));
}

void TestJournalReader::pagesForwardAndBackwardWithoutGapsOrRepeats()
{
    JournalReader reader = open();
    QCOMPARE(numbers(reader.eventsAfter(EventSeq(8190), 4)),
             (std::vector<std::uint64_t>{8191, 8192, 8193, 8194}));
    QCOMPARE(numbers(reader.eventsBefore(EventSeq(8194), 3)), (std::vector<std::uint64_t>{8191, 8192, 8193}));
    QCOMPARE(numbers(reader.eventsBefore({}, 2)), (std::vector<std::uint64_t>{kEvents - 1, kEvents}));
    QCOMPARE(numbers(reader.eventsBefore(EventSeq(1), 5)).size(), std::size_t{0});
    QCOMPARE(numbers(reader.eventsAfter(EventSeq(kEvents), 5)).size(), std::size_t{0});
    QCOMPARE(reader.lastEvent().value_or(EventSeq()).value(), kEvents);
}

void TestJournalReader::filtersByKindVerdictTimeAndProcess()
{
    JournalReader reader = open();
    EventFilter denied;
    denied.verdicts = {Verdict::Denied};
    QCOMPARE(numbers(reader.eventsAfter({}, 3, denied)), (std::vector<std::uint64_t>{7, 57, 107}));
    QCOMPARE(numbers(reader.eventsBefore({}, 1, denied)), (std::vector<std::uint64_t>{19'957}));
    EventFilter both;
    both.verdicts = {Verdict::Denied, Verdict::Permitted};
    both.kinds = {ActionKind::Write};
    QCOMPARE(numbers(reader.eventsAfter(EventSeq(7), 2, both)), (std::vector<std::uint64_t>{10, 15}));
    EventFilter late;
    late.since = sampleSession().started + std::chrono::seconds(100);
    QCOMPARE(numbers(reader.eventsAfter({}, 2, late)), (std::vector<std::uint64_t>{1000, 1001}));
    EventFilter process;
    process.process = ProcessNumber(2);
    QCOMPARE(numbers(reader.eventsAfter({}, 3, process)), (std::vector<std::uint64_t>{1, 4, 7}));
}

void TestJournalReader::findsAPathByGlobInOrder_data()
{
    QTest::addColumn<std::string>("glob");
    QTest::addColumn<std::uint64_t>("after");
    QTest::addColumn<std::vector<std::uint64_t>>("expected");
    QTest::newRow("one path") << std::string("/home/dev/project/file42.c") << std::uint64_t{0}
                              << std::vector<std::uint64_t>{42, 142, 242};
    QTest::newRow("last part") << std::string("file42.*") << std::uint64_t{8142}
                               << std::vector<std::uint64_t>{8242, 8342, 8442};
    QTest::newRow("across segments") << std::string("**/file9?.c") << std::uint64_t{8198}
                                     << std::vector<std::uint64_t>{8199, 8290, 8291};
    QTest::newRow("star stays in its part")
        << std::string("/home/*.c") << std::uint64_t{0} << std::vector<std::uint64_t>{};
    QTest::newRow("nothing") << std::string("*.rs") << std::uint64_t{0} << std::vector<std::uint64_t>{};
}

void TestJournalReader::findsAPathByGlobInOrder()
{
    QFETCH(const std::string, glob);
    QFETCH(const std::uint64_t, after);
    QFETCH(const std::vector<std::uint64_t>, expected);
    JournalReader reader = open();
    EventFilter filter;
    filter.path = glob;
    QCOMPARE(numbers(reader.eventsAfter(EventSeq(after), 3, filter)), expected);
    // Backwards, the same events come from behind.
    if (!expected.empty()) {
        QCOMPARE(numbers(reader.eventsBefore(EventSeq(expected.back() + 1), 3, filter)), expected);
    }
}

void TestJournalReader::findsARenameByItsNewName()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    Event rename = sampleEvent(1);
    rename.kind = ActionKind::Rename;
    rename.other = "/home/dev/project/new.c";
    writer->append(rename);
    writer->append(sampleEvent(2));
    REVET_VERIFY(writer->close());
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    EventFilter filter;
    filter.path = "new.c";
    QCOMPARE(numbers(reader->eventsAfter({}, 10, filter)), std::vector<std::uint64_t>{1});
}

void TestJournalReader::seesNewPathsOfALiveJournalThroughTheSameFilter()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    EventFilter filter;
    filter.path = "file*.c";
    for (std::uint64_t i = 1; i <= 3; ++i) {
        writer->append(sampleEvent(i));
        QVERIFY(writer->flush());
        QCOMPARE(numbers(reader->eventsAfter({}, 10, filter)).size(), std::size_t{i});
    }
}

void TestJournalReader::countsByVerdictAndSecond()
{
    JournalReader reader = open();
    const auto counts = reader.countsByVerdict();
    REVET_VERIFY(counts);
    QCOMPARE(counts->at(static_cast<std::size_t>(Verdict::Denied)), kEvents / 50);
    QCOMPARE(std::accumulate(counts->begin(), counts->end(), std::uint64_t{0}), kEvents);
    const auto buckets = reader.buckets();
    REVET_VERIFY(buckets);
    std::uint64_t inSecondFive = 0;
    for (const Bucket& bucket : *buckets) {
        if (bucket.start == sampleSession().started + std::chrono::seconds(5)) {
            inSecondFive += bucket.events;
        }
    }
    QCOMPARE(inSecondFive, std::uint64_t{10});
    QCOMPARE(reader.farthestReach().value_or(Reach::None), Reach::Project);
}

void TestJournalReader::sumsUpFiles()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    const auto add = [&writer](ActionKind kind, Verdict verdict, const char* target, const char* other) {
        Event event;
        event.time = sampleSession().started;
        event.kind = kind;
        event.verdict = verdict;
        event.target = target;
        event.other = other;
        event.count = 2;
        writer->append(event);
    };
    add(ActionKind::Create, Verdict::Contained, "/a", "");
    add(ActionKind::Write, Verdict::Contained, "/a", "");
    add(ActionKind::Rename, Verdict::Contained, "/a", "/b");
    add(ActionKind::Read, Verdict::Permitted, "/b", "");
    add(ActionKind::Read, Verdict::Withheld, "/b", "");
    add(ActionKind::Exec, Verdict::Permitted, "/bin/sh", "");
    REVET_VERIFY(writer->close());
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    const auto files = reader->files();
    REVET_VERIFY(files);
    QCOMPARE(files->size(), std::size_t{2});
    const FileSummary& a = files->at(0);
    QCOMPARE(a.path, std::string("/a"));
    QCOMPARE(a.created, std::uint64_t{2});
    QCOMPARE(a.writes, std::uint64_t{2});
    QCOMPARE(a.deleted, std::uint64_t{2});
    QCOMPARE(a.lastVerdict, Verdict::Contained);
    const FileSummary& b = files->at(1);
    QCOMPARE(b.path, std::string("/b"));
    QCOMPARE(b.created, std::uint64_t{2});
    QCOMPARE(b.reads, std::uint64_t{2});
    QCOMPARE(b.refused, std::uint64_t{2});
    QCOMPARE(b.lastVerdict, Verdict::Withheld);
    QCOMPARE(b.last.value(), std::uint64_t{5});
}

void TestJournalReader::tellsWhatStaysChangedFromWhatCameAndWent()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    const auto add = [&writer](ActionKind kind, Reach reach, const char* target, const char* other = "",
                               Verdict verdict = Verdict::Permitted, std::int64_t detail = 0) {
        Event event;
        event.time = sampleSession().started;
        event.kind = kind;
        event.verdict = verdict;
        event.reach = reach;
        event.target = target;
        event.other = other;
        event.detail = detail;
        writer->append(event);
    };
    add(ActionKind::Write, Reach::None, "/dev/null");
    add(ActionKind::Read, Reach::None, "/read");
    add(ActionKind::Write, Reach::None, "/denied", "", Verdict::Denied);
    add(ActionKind::Create, Reach::Project, "/new");
    add(ActionKind::Create, Reach::Project, "/file.tmp");
    add(ActionKind::Write, Reach::Project, "/file.tmp");
    add(ActionKind::Rename, Reach::Project, "/file.tmp", "/file");
    add(ActionKind::Delete, Reach::Project, "/replaced");
    add(ActionKind::Create, Reach::Project, "/replaced");
    add(ActionKind::Write, Reach::Copy, "/removed");
    add(ActionKind::Delete, Reach::Copy, "/removed");
    add(ActionKind::Chmod, Reach::Project, "/mode");
    add(ActionKind::Create, Reach::Project, "/swapped");
    add(ActionKind::Rename, Reach::Project, "/swapped", "/swapped-there", Verdict::Permitted, kExchange);
    add(ActionKind::Listen, Reach::Project, "/socket");
    add(ActionKind::Listen, Reach::Project, "127.0.0.1:80");
    REVET_VERIFY(writer->close());
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    const auto files = reader->files();
    REVET_VERIFY(files);
    std::string changed;
    for (const FileSummary& file : *files) {
        changed += file.isChanged ? file.path + ' ' : "";
    }
    QCOMPARE(changed, std::string("/file /mode /new /removed /replaced /socket /swapped /swapped-there "));
}

void TestJournalReader::sumsUpDestinations()
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    QVERIFY(writer != nullptr);
    for (const Verdict verdict : {Verdict::Approved, Verdict::Permitted, Verdict::Denied}) {
        Event event;
        event.time = sampleSession().started;
        event.kind = ActionKind::Connect;
        event.verdict = verdict;
        event.reach = verdict == Verdict::Denied ? Reach::None : Reach::Beyond;
        event.target = "example.org:443";
        writer->append(event);
    }
    REVET_VERIFY(writer->close());
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    const auto destinations = reader->destinations();
    REVET_VERIFY(destinations);
    QCOMPARE(destinations->size(), std::size_t{1});
    QCOMPARE(destinations->at(0).target, std::string("example.org:443"));
    QCOMPARE(destinations->at(0).permitted, std::uint64_t{2});
    QCOMPARE(destinations->at(0).refused, std::uint64_t{1});
    QCOMPARE(destinations->at(0).lastVerdict, Verdict::Denied);
    QCOMPARE(destinations->at(0).reach, Reach::Beyond);
}

void TestJournalReader::refusesAJournalOfANewerRevet()
{
    const QTemporaryDir folder;
    QVERIFY(writeJournal(pathIn(folder, "journal.db"), 1));
    auto database = Database::open(pathIn(folder, "journal.db"), Database::Access::CreateOrOpen);
    REVET_VERIFY(database);
    REVET_VERIFY(database->execute("PRAGMA user_version = 99"));
    const auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    QVERIFY(!reader);
    QCOMPARE(reader.error().code, ErrorCode::Refused);
    QVERIFY(toString(reader.error()).find("newer Revet") != std::string::npos);
}

void TestJournalReader::refusesAFileThatIsNoJournal()
{
    const QTemporaryDir folder;
    auto database = Database::open(pathIn(folder, "other.db"), Database::Access::CreateOrOpen);
    REVET_VERIFY(database);
    REVET_VERIFY(database->execute("CREATE TABLE t (a INTEGER); PRAGMA user_version = 1"));
    const auto reader = JournalReader::open(pathIn(folder, "other.db"));
    QVERIFY(!reader);
    QCOMPARE(reader.error().code, ErrorCode::Malformed);
}

void TestJournalReader::refusesAMissingFile()
{
    const auto reader = JournalReader::open(pathIn(m_folder, "missing.db"));
    QVERIFY(!reader);
    QCOMPARE(reader.error().code, ErrorCode::NotFound);
    QVERIFY(!std::filesystem::exists(pathIn(m_folder, "missing.db")));
}

} // namespace revet::journal::test

QTEST_APPLESS_MAIN(revet::journal::test::TestJournalReader)
#include "tst_journal_reader.moc"
