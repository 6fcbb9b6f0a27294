// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/decided_world.h"
#include "tests/cli/traced_program.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/tostring.h"
#include "tests/support/tree_snapshot.h"

#include <QTest>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* kBefore = "mkdir -p dir gone; echo one > a; echo x > gone/x; echo kept > dir/kept; git "
                                "add .; git commit -qm more";
constexpr const char* kDeeds
    = "echo two >> a; rm -r gone; mkdir -p new/deep; echo new > new/deep/file; chmod +x "
      "dir/kept; git add .; git commit -qm two; git branch topic";

} // namespace

/// `revet apply` and `revet undo`, killed and without room on the disk, at each system call that changes
/// something there: files, a repository's refs, records, the journal and the catalogue.
class DecideKillTest : public QObject, protected DecidedWorld
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_LAYERS();
        REVET_NEEDS_PROGRAM("git");
    }
    void init()
    {
        m_world = std::make_unique<World>();
        m_world->makeRepository();
        m_world->prepare(kBefore);
        m_before = tree();
        QCOMPARE(m_world->runner().runScript("container", kDeeds).status, 0);
        m_id = m_world->runner().lastSession();
        // The states that both ways are walked from and to.
        QCOMPARE(revet({"apply"}).status, 0);
        m_after = tree(DirectoryTimes::Ignored);
        QVERIFY(!treeDifferences(m_before, m_after).empty());
        QCOMPARE(revet({"undo"}).status, 0);
        QCOMPARE(treeDifferences(m_before, tree()), std::string());
        m_rows = {{"apply", rows("apply")}, {"undo", rows("undo")}};
        QCOMPARE(m_rows["apply"], std::size_t{1});
    }

    void isAllOrNothingWhereverItIsKilled_data() { addDeeds(); }
    void isAllOrNothingWhereverItIsKilled() { hurtEverywhere(fetched("deed"), 0); }

    void tellsTheTruthWhenTheDiskIsFull_data() { addDeeds(); }
    void tellsTheTruthWhenTheDiskIsFull() { hurtEverywhere(fetched("deed"), ENOSPC); }

private:
    static void addDeeds()
    {
        QTest::addColumn<QString>("deed");
        QTest::newRow("apply") << QStringLiteral("apply");
        QTest::newRow("undo") << QStringLiteral("undo");
    }

    void hurtEverywhere(const std::string& deed, int error)
    {
        const std::string reverse = deed == "apply" ? "undo" : "apply";
        const bool isForward = deed == "apply";
        if (!isForward) {
            pass("apply");
        }
        const int all = trace(deed, -1, error).calls; // that is none of them: it is done
        count(deed);
        pass(reverse);
        QVERIFY(all > 20);
        int undoneCount = 0;
        int doneCount = 0;
        const int step = REVET_KILLS == 0 ? 1 : std::max(1, all / REVET_KILLS);
        // Behind the commit point there are few calls, and each counts.
        const int tail = error == 0 ? 16 : 8;
        for (int at = 0; !QTest::currentTestFailed();
             at += at + step < all - tail ? step : std::min(step, 2)) {
            const TracedEnd end = trace(deed, at, error);
            const bool isWhole = error == 0 ? !end.isKilled : end.calls <= at;
            const bool isChanged = isAfter() == isForward;
            const std::string where = deed + " at " + std::to_string(at) + " of " + std::to_string(end.calls)
                + ": " + readFile(m_world->project().parent_path() / "out")
                + readFile(m_world->project().parent_path() / "err");
            // Who was not killed says what has happened.
            QVERIFY2(end.isKilled || (end.status == 0) == isChanged, where.c_str());
            QCOMPARE(revet({"undo", m_id, "no/such/file"}).status, 3);
            const bool isDone = isAfter() == isForward;
            QVERIFY2(end.isKilled || isDone == isChanged, where.c_str());
            const std::string half = isAfter() ? treeDifferences(m_after, tree(DirectoryTimes::Ignored))
                                               : treeDifferences(m_before, tree());
            QVERIFY2(half.empty(), (where + half).c_str());
            QVERIFY2(locks().empty(), (where + locks()).c_str());
            (isDone ? doneCount : undoneCount) += 1;
            if (isDone) {
                count(deed);
            }
            QVERIFY2(rows(deed) == m_rows[deed], where.c_str());
            QVERIFY2(state() == (isAfter() ? "closed" : "review"), (where + state()).c_str());
            if (isDone) {
                pass(reverse);
            }
            QVERIFY2(!isWhole || isDone, where.c_str());
            if (isWhole) {
                break;
            }
        }
        QVERIFY2(undoneCount > 1 && doneCount > 1,
                 qPrintable(QStringLiteral("%1 + %2 of %3").arg(undoneCount).arg(doneCount).arg(all)));
        QCOMPARE(revet({"log", m_id, "--verify"}).status, 0);
    }

    void count(const std::string& deed) { ++m_rows[deed]; }
    void pass(const std::string& deed)
    {
        QCOMPARE(revet({deed, m_id}).status, 0);
        count(deed);
    }
    [[nodiscard]] TracedEnd trace(const std::string& deed, int at, int error) const
    {
        TracedCommand command;
        command.command = {SessionRunner::program("revet"), deed, m_id};
        command.directory = m_world->project();
        command.environment = m_world->home().environment();
        command.program = "revet-review";
        command.at = at;
        command.error = error;
        return runTraced(command);
    }
    [[nodiscard]] bool isAfter() const { return readFile(m_world->project() / "a") == "one\ntwo\n"; }
    /// Without what stays after an undo. What is the same each time that it is done: not the times of a log's
    /// lines, nor of refs.
    [[nodiscard]] TreeSnapshot tree(DirectoryTimes times = DirectoryTimes::Compared) const
    {
        TreeSnapshot all = snapshotOf(m_world->project(), times);
        std::erase_if(all, [times](const auto& entry) {
            return entry.first.starts_with(".git/objects")
                || (times == DirectoryTimes::Ignored && entry.first.starts_with(".git/logs"));
        });
        for (auto& [path, text] : all) {
            if (times == DirectoryTimes::Ignored && path.starts_with(".git/refs/")) {
                text.erase(0, text.find(' ', text.find(' ') + 1)); // "MODE TIME CONTENT"
            }
        }
        return all;
    }
    [[nodiscard]] std::string locks() const
    {
        std::string found;
        for (const auto& entry : fs::recursive_directory_iterator(m_world->project() / ".git")) {
            found += entry.path().extension() == ".lock" ? entry.path().string() + ' ' : "";
        }
        return found;
    }
    [[nodiscard]] std::size_t rows(const std::string& rule) const
    {
        const auto all = m_world->runner().list({"log", m_id, "--kind", "apply"});
        return matching(all, {{"rule", rule}, {"target", (m_world->project() / "a").string()}}).size();
    }
    [[nodiscard]] std::string state() const
    {
        const auto found = matching(m_world->runner().list({"ps", "--all"}), {{"session", m_id}});
        return found.empty() ? "" : found.front().value("state", "");
    }

    TreeSnapshot m_before;
    TreeSnapshot m_after;
    std::map<std::string, std::size_t> m_rows; ///< of the journal, about the file a
};

QTEST_APPLESS_MAIN(DecideKillTest)

#include "tst_decide_kill.moc"
