// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/clock.h"
#include "engine/workspace/apply.h"
#include "engine/workspace/history.h"
#include "engine/workspace/known_bases.h"
#include "engine/workspace/text_merge.h"
#include "engine/workspace/transaction.h"
#include "tests/engine/workspace/tree_pair.h"
#include "tests/engine/workspace/wanted_tree.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"
#include "tests/support/tree_snapshot.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::test {

namespace fs = std::filesystem;
using workspace::ApplyChoice;
using workspace::ApplyItem;
using workspace::Change;
using workspace::Hold;
using workspace::Transaction;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class ApplyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_holds.clear();
        m_folder = std::make_unique<QTemporaryDir>();
        m_top = m_folder->path().toStdString();
        makeTree(m_top / "tree");
        const std::string copy = "cd '" + m_top.string() + "' && cp -a tree base && cp -a tree session";
        QCOMPARE(std::system(copy.c_str()), 0); // NOLINT(concurrency-mt-unsafe, cert-env33-c)
        changeTree(m_top / "session");
        m_tree.reset(::open((m_top / "tree").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        auto store = workspace::RecordStore::open(m_top / "store");
        QVERIFY2(store, why(store));
        m_store = std::make_unique<workspace::RecordStore>(std::move(*store));
        m_source = std::make_unique<TreePair>(m_top / "base", m_top / "session");
        waitForTheClock();
        m_began = now();
        waitForTheClock();
    }
    void cleanup()
    {
        m_source.reset();
        m_store.reset();
        removeTree(m_top);
        m_folder.reset();
    }

    void takesEverythingOver()
    {
        QVERIFY(apply({}));
        QCOMPARE(treeDifferences(snapshotOf(m_top / "session", DirectoryTimes::Ignored), presentTree()),
                 std::string());
        QVERIFY(apply({}));
        QVERIFY2(m_changed.empty(), "applying twice is harmless");
    }

    void takesOnlyWhatWasChosenAndTheDirectoriesItNeeds()
    {
        ApplyChoice choice;
        choice.paths = {"new/deep", "a.txt"};
        QVERIFY(apply(choice));
        QCOMPARE(m_changed, (std::vector<std::string>{"a.txt", "new", "new/deep", "new/deep/file"}));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("one\ntwo\n"));
        QVERIFY(fs::exists(m_top / "tree/gone/x"));
        QVERIFY(!fs::exists(fs::symlink_status(m_top / "tree/new/link")));
    }

    void refusesWhatTheHostChangedSince()
    {
        writeFile(m_top / "tree/a.txt", "by hand");
        const TreeSnapshot before = snapshotOf(m_top / "tree");
        QVERIFY(!apply({}));
        QCOMPARE(m_conflicts, (std::vector<std::string>{"a.txt"}));
        QCOMPARE(treeDifferences(before, snapshotOf(m_top / "tree")), std::string());
    }

    void seesAChangeThatKeptSizeAndTime()
    {
        struct stat info = {};
        const fs::path file = m_top / "tree/a.txt";
        QCOMPARE(::stat(file.c_str(), &info), 0);
        writeFile(file, "eno\n");
        const timespec times[2] = {info.st_atim, info.st_mtim};
        QCOMPARE(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
        QVERIFY(!apply({}));
        QCOMPARE(m_conflicts, (std::vector<std::string>{"a.txt"}));
    }

    void takesWhatTheHostMadeTheSameMeanwhile()
    {
        writeFile(m_top / "tree/a.txt", "one\ntwo\n");
        ApplyChoice choice;
        choice.paths = {"a.txt"};
        struct stat info = {};
        QCOMPARE(::stat((m_top / "session/a.txt").c_str(), &info), 0);
        const timespec times[2] = {info.st_atim, info.st_mtim};
        QCOMPARE(::utimensat(AT_FDCWD, (m_top / "tree/a.txt").c_str(), times, 0), 0);
        QVERIFY(apply(choice));
        QVERIFY(m_changed.empty());
    }

    void keepsAnEditThatAMergeWasTakenBackTo()
    {
        writeFile(m_top / "tree/a.txt", "by hand");
        ApplyChoice merge;
        merge.paths = {"a.txt"};
        merge.merged["a.txt"] = "of both";
        ApplyChoice plain;
        plain.paths = {"a.txt"};
        QVERIFY(apply(merge));
        QVERIFY(undo({}));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("by hand"));
        QVERIFY(!apply(plain));
        QVERIFY(undo({})); // the merge is there again
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("of both"));
        QVERIFY(!apply(plain));
    }

    void appliesAgainWhatWasTakenBack()
    {
        QVERIFY(apply({}));
        QVERIFY(undo({}));
        QVERIFY(apply({}));
        QVERIFY(undo({}));
        QVERIFY(undo({}));
        writeFile(m_top / "session/a.txt", "three\n");
        QVERIFY(apply({}));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("three\n"));
    }

    void aMergeKeepsTheHostsMode()
    {
        writeFile(m_top / "tree/a.txt", "by hand");
        fs::permissions(m_top / "tree/a.txt", fs::perms{0600});
        fs::permissions(m_top / "session/a.txt", fs::perms{0755});
        ApplyChoice merge;
        merge.paths = {"a.txt"};
        merge.merged["a.txt"] = "of both";
        QVERIFY(apply(merge));
        QCOMPARE(fs::status(m_top / "tree/a.txt").permissions(), fs::perms{0700});
    }

    void refusesWhatTheHostRemovedSince()
    {
        fs::remove(m_top / "tree/a.txt");
        fs::remove(m_top / "base/a.txt"); // a layer tells it then as something new
        m_replaced = {"a.txt"};
        QVERIFY(!apply({}));
        QCOMPARE(m_conflicts, (std::vector<std::string>{"a.txt"}));
        m_replaced.clear();
        QVERIFY(apply({}));
        fs::remove(m_top / "tree/new/deep/file");
        QVERIFY(!apply({}));
        QCOMPARE(m_conflicts.back(), std::string("new/deep/file"));
    }

    void appliesAgainWhatTheSessionChangedAgain()
    {
        QVERIFY(apply({}));
        writeFile(m_top / "session/a.txt", "three\n");
        QVERIFY(apply({}));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("three\n"));
        writeFile(m_top / "session/a.txt", "four\n");
        writeFile(m_top / "tree/a.txt", "by hand");
        QVERIFY(!apply({}));
    }

    void takesGivenContentForAPath()
    {
        writeFile(m_top / "tree/a.txt", "by hand");
        ApplyChoice choice;
        choice.paths = {"a.txt"};
        choice.contents["a.txt"] = "a merge";
        QVERIFY(apply(choice));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("a merge"));
    }

    void holdsWhatNeedsAYes_data()
    {
        QTest::addColumn<int>("hold");
        QTest::addColumn<bool>("released");
        QTest::newRow("pinned") << int(Hold::Pinned) << true;
        QTest::newRow("runs code") << int(Hold::RunsCode) << true;
        QTest::newRow("odd") << int(Hold::Odd) << true;
        QTest::newRow("repository") << int(Hold::Repository) << false;
        QTest::newRow("no file") << int(Hold::Impossible) << false;
    }
    void holdsWhatNeedsAYes()
    {
        QFETCH(int, hold);
        QFETCH(bool, released);
        m_holds["gone/x"] = static_cast<Hold>(hold);
        m_holds["a.txt"] = static_cast<Hold>(hold);
        QVERIFY(apply({}));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("one\n"));
        QVERIFY(fs::exists(m_top / "tree/gone/x"));
        QVERIFY(!fs::exists(m_top / "tree/gone/deep"));
        QCOMPARE(m_held, (std::vector<std::string>{"a.txt", "gone/x", "gone"}));
        ApplyChoice choice;
        choice.releasesHeld = true;
        QVERIFY(apply(choice));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string(released ? "one\ntwo\n" : "one\n"));
        QCOMPARE(fs::exists(m_top / "tree/gone"), !released);
    }

    void isTakenBackByPathAndWhole()
    {
        // After an undo by path the time of the tree's top stays that undo's: known, and no file's.
        const auto differ = [this](const TreeSnapshot& expected) {
            std::string text = treeDifferences(expected, snapshotOf(m_top / "tree"));
            const bool isTopOnly
                = text.starts_with("\n: expected") && text.find('\n', 1) == std::string::npos;
            return isTopOnly ? std::string() : text;
        };
        const TreeSnapshot before = snapshotOf(m_top / "tree");
        QVERIFY(apply({}));
        const TreeSnapshot after = snapshotOf(m_top / "tree");
        QVERIFY(undo({"a.txt"}));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("one\n"));
        QVERIFY(fs::exists(m_top / "tree/new/deep/file"));
        QVERIFY(undo({}));
        QCOMPARE(differ(before), std::string());
        QVERIFY(undo({}));
        QCOMPARE(differ(after), std::string());
    }

    void isNotTakenBackOverThePersonsOwnWork()
    {
        QVERIFY(apply({}));
        writeFile(m_top / "tree/new/deep/file", "mine");
        writeFile(m_top / "tree/new/mine", "mine");
        const TreeSnapshot now = snapshotOf(m_top / "tree");
        QVERIFY(!undo({}));
        QCOMPARE(m_conflicts, (std::vector<std::string>{"new/mine", "new/deep/file"}));
        QCOMPARE(treeDifferences(now, snapshotOf(m_top / "tree")), std::string());
        QVERIFY(undo({"a.txt"}));
    }

    void takesTwoAppliesBackOneAfterTheOther()
    {
        const TreeSnapshot before = snapshotOf(m_top / "tree");
        ApplyChoice first;
        first.paths = {"a.txt", "gone"};
        QVERIFY(apply(first));
        writeFile(m_top / "session/a.txt", "three\n");
        QVERIFY(apply({}));
        QVERIFY(undo({}));
        QCOMPARE(readFile(m_top / "tree/a.txt"), std::string("one\ntwo\n"));
        QVERIFY(undo({}));
        QCOMPARE(treeDifferences(before, snapshotOf(m_top / "tree")), std::string());
    }

    void keepsAHardLinkGroupWholeWhenItComesBack()
    {
        const TreeSnapshot before = snapshotOf(m_top / "tree");
        fs::remove(m_top / "session/hard2");
        QVERIFY(apply({}));
        QVERIFY(undo({}));
        QCOMPARE(treeDifferences(before, snapshotOf(m_top / "tree")), std::string());
    }

    void neverTakesMoreThanFilesDirectoriesAndLinks()
    {
        // By hand, as a hostile layer has them.
        const fs::path session = m_top / "session";
        QCOMPARE(::mkfifo((session / "fifo").c_str(), 0644), 0);
        writeFile(session / "strong", "x");
        ::chmod((session / "strong").c_str(), 06755);
        writeFile(session / "line\nbreak\x1b[2J", "x");
        writeFile(session / std::string(255, 'n'), "x");
        fs::create_directory(m_top / "outside");
        fs::remove_all(session / "dir");
        fs::create_symlink(m_top / "outside", session / "dir");
        writeFile(session / "future", "x");
        const timespec times[2] = {{0, UTIME_OMIT}, {std::int64_t{1} << 33, 0}};
        ::utimensat(AT_FDCWD, (session / "future").c_str(), times, 0);
        m_holds["fifo"] = Hold::Impossible;
        QVERIFY(apply({}));
        QVERIFY(!fs::exists(m_top / "tree/fifo"));
        QCOMPARE(fs::status(m_top / "tree/strong").permissions(), static_cast<fs::perms>(0755));
        QVERIFY(fs::exists(m_top / ("tree/" + std::string(255, 'n'))));
        QVERIFY(fs::is_symlink(m_top / "tree/dir"));
        QVERIFY(fs::is_empty(m_top / "outside"));
    }

    void failsWholeOnWhatNobodyHeld()
    {
        QCOMPARE(::mkfifo((m_top / "session/fifo").c_str(), 0644), 0);
        const TreeSnapshot before = snapshotOf(m_top / "tree");
        QVERIFY(!apply({}));
        QCOMPARE(treeDifferences(before, snapshotOf(m_top / "tree")), std::string());
    }

    void mergesTextsAsGitDoes()
    {
        const std::string base = "1\n2\n3\n4\n5\n6\n7\n";
        const auto clean
            = workspace::mergeTexts(base, "one\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\n6\nseven\n");
        QVERIFY2(clean, why(clean));
        QVERIFY(clean->isClean);
        QCOMPARE(clean->bytes, std::string("one\n2\n3\n4\n5\n6\nseven\n"));
        const auto marked = workspace::mergeTexts(base, "one\n2\n3\n4\n5\n6\n7\n", "uno\n2\n3\n4\n5\n6\n7\n");
        QVERIFY2(marked, why(marked));
        QVERIFY(!marked->isClean);
        QVERIFY(marked->bytes.find("<<<<<<< host\none\n=======\nuno\n>>>>>>> session\n")
                != std::string::npos);
        QVERIFY(!workspace::mergeTexts(base, std::string("a\0b", 3), "x"));
    }

private:
    [[nodiscard]] static std::int64_t now() { return SystemClock().now().time_since_epoch().count() * 1000; }
    /// ctime moves in the ticks of the kernel's clock, which is behind ours.
    void waitForTheClock() const
    {
        const fs::path probe = m_top / "probe";
        const std::int64_t since = now();
        struct stat info = {};
        do {
            writeFile(probe, "x");
            QCOMPARE(::stat(probe.c_str(), &info), 0);
        } while (info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec <= since);
    }
    [[nodiscard]] TreeSnapshot presentTree() const
    {
        return snapshotOf(m_top / "tree", DirectoryTimes::Ignored);
    }

    bool finish(Transaction& transaction)
    {
        m_changed.clear();
        m_conflicts.clear();
        const auto name = transaction.commit();
        for (const auto& conflict : transaction.conflicts()) {
            m_conflicts.push_back(conflict.path);
        }
        if (name) {
            m_changed = transaction.changed();
        }
        return name.has_value();
    }
    bool apply(const ApplyChoice& choice)
    {
        const auto changes = m_source->changes();
        std::vector<ApplyItem> items;
        for (const Change& change : *changes) {
            const auto hold = m_holds.find(change.path);
            items.push_back({change, hold == m_holds.end() ? Hold::None : hold->second, {}});
        }
        const auto records = m_store->records();
        const workspace::KnownBases bases(m_began, *records, m_replaced);
        auto plan = workspace::planApply(*m_source, items, m_tree.get(), bases, choice);
        if (!plan) {
            return false;
        }
        m_held.clear();
        for (const auto& held : plan->held) {
            m_held.push_back(held.path);
        }
        Transaction transaction(m_tree.get(), *m_store, {});
        for (auto& operation : plan->operations) {
            transaction.add(std::move(operation));
        }
        return finish(transaction);
    }
    bool undo(const std::vector<std::string>& paths)
    {
        const auto records = m_store->records();
        auto step = workspace::History({}, *records).takeBack(m_tree.get(), paths);
        if (!step) {
            return false;
        }
        workspace::Record record;
        record.purpose = workspace::Purpose::Undo;
        record.undoes = step->undoes;
        Transaction transaction(m_tree.get(), *m_store, record);
        for (auto& operation : step->operations) {
            transaction.add(std::move(operation));
        }
        return finish(transaction);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_top;
    UniqueFd m_tree;
    std::unique_ptr<workspace::RecordStore> m_store;
    std::unique_ptr<TreePair> m_source;
    std::int64_t m_began = 0;
    std::map<std::string, Hold> m_holds;
    std::set<std::string> m_replaced;
    std::vector<std::string> m_changed;
    std::vector<std::string> m_conflicts;
    std::vector<std::string> m_held;
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::ApplyTest)

#include "tst_apply.moc"
