// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/database.h"
#include "engine/journal/verify.h"
#include "tests/engine/journal/journal_fixture.h"

#include <fstream>
#include <iterator>

namespace revet::journal::test {

namespace {

std::string contentOf(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write(const std::filesystem::path& file, const std::string& content)
{
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    for (const char* log : {"-wal", "-shm"}) {
        std::filesystem::remove(file.string() + log);
    }
}

/// Everything that a reader shows, in one string; an error's text where it cannot.
std::string shown(const std::filesystem::path& file)
{
    auto database = Database::open(file, Database::Access::ReadOnly);
    std::string all;
    for (const char* table :
         {"SELECT * FROM event ORDER BY seq", "SELECT * FROM text ORDER BY id",
          "SELECT * FROM command ORDER BY id", "SELECT * FROM process ORDER BY id",
          "SELECT * FROM info ORDER BY id", "SELECT * FROM bucket ORDER BY slot",
          "SELECT * FROM chain ORDER BY batch", "PRAGMA user_version", "PRAGMA application_id"}) {
        auto statement = database ? database->prepare(table) : Result<Statement>(fail(database.error()));
        while (statement) {
            const auto row = statement->next();
            if (!row || !*row) {
                all += row ? "" : "broken";
                break;
            }
            for (int i = 0; i < statement->columnCount(); ++i) {
                all += std::to_string(statement->isInteger(i)) + std::string(statement->bytes(i)) + "|";
            }
        }
        all += statement ? "\n" : "unreadable";
    }
    return all;
}

bool isReportedIntact(const std::filesystem::path& file)
{
    const auto report = verify(file);
    return report && report->isIntact;
}

} // namespace

class TestVerify : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QVERIFY(m_folder.isValid()); }
    void findsAJournalIntact();
    void namesTheBatchOfAChangedRow_data();
    void namesTheBatchOfAChangedRow();
    void verifiesALiveJournal();
    void findsEveryFlippedByteThatChangesWhatIsShown();
    void failsOnAMissingFile();

private:
    const QTemporaryDir m_folder;
};

void TestVerify::findsAJournalIntact()
{
    const auto file = pathIn(m_folder, "intact.db");
    QVERIFY(writeJournal(file, 100));
    const auto report = verify(file);
    REVET_VERIFY(report);
    QCOMPARE(report->problem, std::string());
    QVERIFY(report->isIntact);
    QVERIFY(report->isSealed);
    QCOMPARE(report->events, std::uint64_t{100});
    QVERIFY(report->batches >= 4); // the first, two flushes, the last
}

void TestVerify::namesTheBatchOfAChangedRow_data()
{
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<bool>("namesBatch");
    QTest::newRow("an event's verdict") << QByteArray("UPDATE event SET verdict = 0 WHERE seq = 57") << true;
    QTest::newRow("an event's count") << QByteArray("UPDATE event SET count = 2 WHERE seq = 57") << true;
    QTest::newRow("an event's time") << QByteArray("UPDATE event SET time = time + 1 WHERE seq = 57") << true;
    QTest::newRow("a deleted event") << QByteArray("DELETE FROM event WHERE seq = 57") << true;
    QTest::newRow("a path") << QByteArray("UPDATE text SET bytes = x'2f' WHERE id = 12") << true;
    QTest::newRow("a path as text") << QByteArray("UPDATE text SET bytes = CAST(bytes AS TEXT) WHERE id = 12")
                                    << true;
    QTest::newRow("a process's exe") << QByteArray("UPDATE process SET exe = 3 WHERE id = 2") << true;
    QTest::newRow("a command line") << QByteArray("UPDATE command SET arguments = x'00'") << true;
    QTest::newRow("the session's project")
        << QByteArray("UPDATE info SET value = x'2f' WHERE name = CAST('project' AS BLOB)") << true;
    QTest::newRow("a bucket") << QByteArray("UPDATE bucket SET events = events + 1 WHERE slot > 900")
                              << false;
    QTest::newRow("a deleted bucket") << QByteArray("DELETE FROM bucket WHERE slot > 900") << false;
    QTest::newRow("a hash") << QByteArray("UPDATE chain SET hash = zeroblob(32) WHERE batch = 3") << true;
    QTest::newRow("a deleted batch") << QByteArray("DELETE FROM chain WHERE batch = 3") << true;
    QTest::newRow("the last batch cut off")
        << QByteArray("DELETE FROM chain WHERE batch = (SELECT max(batch) FROM chain)") << false;
    QTest::newRow("a forged event") << QByteArray(
        "INSERT INTO event SELECT 101, time, process, kind, verdict, reach, target, other, rule, "
        "count, errno, detail FROM event WHERE seq = 100")
                                    << false;
    QTest::newRow("a dropped index") << QByteArray("DROP INDEX event_security") << false;
    QTest::newRow("a table more") << QByteArray("CREATE TABLE extra (a INTEGER)") << false;
}

void TestVerify::namesTheBatchOfAChangedRow()
{
    QFETCH(const QByteArray, sql);
    QFETCH(const bool, namesBatch);
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "journal.db");
    QVERIFY(writeJournal(file, 100));
    {
        auto database = Database::open(file, Database::Access::CreateOrOpen);
        REVET_VERIFY(database);
        REVET_VERIFY(database->execute(sql.constData()));
    }
    const auto report = verify(file);
    REVET_VERIFY(report);
    QVERIFY(!report->isIntact);
    QVERIFY(!report->problem.empty());
    QCOMPARE(report->badBatch != 0, namesBatch);
    if (report->firstBadEvent != 0 && sql.contains("57")) {
        QVERIFY(report->firstBadEvent <= 57 && report->lastBadEvent >= 57);
        QCOMPARE(report->events, report->firstBadEvent - 1);
    }
}

void TestVerify::verifiesALiveJournal()
{
    const auto file = pathIn(m_folder, "live.db");
    const auto writer = createWriter(file);
    QVERIFY(writer != nullptr);
    writer->append(sampleEvent(1));
    QVERIFY(writer->flush());
    const auto report = verify(file);
    REVET_VERIFY(report);
    QVERIFY(report->isIntact);
    QVERIFY(!report->isSealed);
    QCOMPARE(report->events, std::uint64_t{1});
}

void TestVerify::findsEveryFlippedByteThatChangesWhatIsShown()
{
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "journal.db");
    QVERIFY(writeJournal(file, 12));
    const std::string intact = contentOf(file);
    const std::string before = shown(file);
    QVERIFY(isReportedIntact(file));
    int found = 0;
    for (std::size_t at = 0; at < intact.size(); ++at) {
        // Every 11th byte that holds something, and a few of the free space: each costs a whole verification.
        if (at % (intact[at] == '\0' ? 256 : 11) != 0) {
            continue;
        }
        std::string damaged = intact;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << (at % 8)));
        write(file, damaged);
        if (!isReportedIntact(file)) {
            ++found;
            continue;
        }
        // Not found: then the byte must be one that means nothing, as in the file's counters.
        write(file, damaged);
        QVERIFY2(shown(file) == before, std::to_string(at).c_str());
    }
    QVERIFY(found > 100);
}

void TestVerify::failsOnAMissingFile()
{
    const auto report = verify(pathIn(m_folder, "missing.db"));
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::NotFound);
}

} // namespace revet::journal::test

QTEST_APPLESS_MAIN(revet::journal::test::TestVerify)
#include "tst_verify.moc"
