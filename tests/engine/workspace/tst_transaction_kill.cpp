// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/record.h"
#include "tests/engine/workspace/killed_program.h"
#include "tests/engine/workspace/wanted_tree.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"
#include "tests/support/tree_snapshot.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>

namespace revet::test {

namespace fs = std::filesystem;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class TransactionKillTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        // A thousand runs that all sync: in memory, where that costs nothing.
        const bool hasMemory = fs::is_directory("/dev/shm");
        m_folder
            = std::make_unique<QTemporaryDir>(hasMemory ? QStringLiteral("/dev/shm/revet-XXXXXX")
                                                        : QDir::tempPath() + QStringLiteral("/revet-XXXXXX"));
        m_top = m_folder->path().toStdString();
        makeTree(m_top / "start");
        shell("cp -a start wanted");
        changeTree(m_top / "wanted");
        shell("mkdir tree store");
    }
    void cleanup()
    {
        removeTree(m_top);
        m_folder.reset();
    }

    void isAllOrNothingWhereverAnApplyIsKilled()
    {
        killEverywhere("apply", [] {});
        QCOMPARE(treeDifferences(snapshotOf(m_top / "wanted", DirectoryTimes::Ignored),
                                 snapshotOf(m_top / "tree", DirectoryTimes::Ignored)),
                 std::string());
    }

    void isAllOrNothingWhereverAnUndoIsKilled()
    {
        killEverywhere("undo", [this] { QCOMPARE(run("apply", kNever).status, 0); });
        QCOMPARE(treeDifferences(snapshotOf(m_top / "start"), snapshotOf(m_top / "tree")), std::string());
    }

    void isAllOrNothingWhereverARecoveryIsKilled()
    {
        restart();
        int stops = 0;
        while (run("apply", stops).isKilled) {
            restart();
            stops += 50;
        }
        const TreeSnapshot before = snapshotOf(m_top / "start");
        int tried = 0;
        for (bool isKilled = true; isKilled; ++tried) {
            restart();
            QVERIFY(run("apply", stops * 2 / 3).isKilled);
            QVERIFY(!treeDifferences(before, snapshotOf(m_top / "tree")).empty());
            isKilled = run("recover", tried).isKilled;
            QCOMPARE(run("recover", kNever).status, 0);
            QCOMPARE(treeDifferences(before, snapshotOf(m_top / "tree")), std::string());
            // No more than that what came back is as it was.
            const auto store = workspace::RecordStore::open(m_top / "store");
            const auto records = store->records();
            QVERIFY(records && records->size() == store->names()->size() && records->size() <= 1);
            QVERIFY(records->empty() || records->front().undoes == records->front().name);
        }
        QVERIFY(tried > 50);
    }

private:
    static constexpr int kNever = 1'000'000;

    void shell(const std::string& command) const
    {
        const std::string line = "cd '" + m_top.string() + "' && " + command;
        if (std::system(line.c_str()) != 0) { // NOLINT(concurrency-mt-unsafe, cert-env33-c)
            qFatal("%s", line.c_str());
        }
    }
    /// Trees hold directories that may not be written.
    void restart() const
    {
        shell("chmod -R u+w tree store && rm -rf tree store && cp -a start tree && mkdir -m 700 store");
    }
    [[nodiscard]] KilledProgram run(const std::string& deed, int after) const
    {
        return runAndKill({REVET_TRANSACTION_RUNNER, deed, m_top / "tree", m_top / "wanted", m_top / "store"},
                          after);
    }

    template<typename Prepare>
    void killEverywhere(const std::string& deed, Prepare prepare)
    {
        TreeSnapshot done;
        int undoneCount = 0;
        int doneCount = 0;
        for (bool isKilled = true; isKilled;) {
            restart();
            prepare();
            const TreeSnapshot before = snapshotOf(m_top / "tree");
            const int stop = undoneCount + doneCount;
            const KilledProgram end = run(deed, stop);
            isKilled = end.isKilled;
            QVERIFY(isKilled || end.status == 0);
            QCOMPARE(run("recover", kNever).status, 0);
            const std::string change = treeDifferences(before, snapshotOf(m_top / "tree"));
            if (change.empty()) {
                QVERIFY2(doneCount == 0, qPrintable(QString::number(stop)));
                ++undoneCount;
                continue;
            }
            // Directories that nobody gave a time have that of the moment.
            const TreeSnapshot now = snapshotOf(m_top / "tree", DirectoryTimes::Ignored);
            if (done.empty()) {
                done = now;
            }
            const std::string half = treeDifferences(done, now);
            QVERIFY2(half.empty(), (std::to_string(stop) + half + change).c_str());
            ++doneCount;
        }
        QVERIFY(undoneCount > 100);
        QVERIFY(doneCount > 1);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_top;
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::TransactionKillTest)

#include "tst_transaction_kill.moc"
