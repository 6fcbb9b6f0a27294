// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/history.h"
#include "engine/workspace/transaction.h"
#include "tests/engine/workspace/wanted_tree.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"
#include "tests/support/tree_snapshot.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace revet::test {

namespace fs = std::filesystem;
using workspace::Operation;
using workspace::Transaction;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class TransactionTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_top = m_folder->path().toStdString();
        makeTree(tree());
        copyTree(tree(), wanted());
        changeTree(wanted());
        m_tree.reset(::open(tree().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    void cleanup()
    {
        removeTree(m_top);
        m_folder.reset();
    }

    void makesTheTreeAsWanted()
    {
        const auto store = openStore();
        Transaction transaction(m_tree.get(), store, {});
        addAll(transaction);
        const auto name = transaction.commit();
        QVERIFY2(name, why(name));
        QVERIFY(!name->empty());
        QCOMPARE(treeDifferences(snapshotOf(wanted(), DirectoryTimes::Ignored),
                                 snapshotOf(tree(), DirectoryTimes::Ignored)),
                 std::string());
    }

    void doesNothingTheSecondTime()
    {
        const auto store = openStore();
        Transaction first(m_tree.get(), store, {});
        addAll(first);
        QVERIFY(first.commit());
        const TreeSnapshot after = snapshotOf(tree());
        Transaction second(m_tree.get(), store, {});
        addAll(second);
        const auto name = second.commit();
        QVERIFY2(name, why(name));
        QCOMPARE(second.changed(), std::vector<std::string>());
        QCOMPARE(*name, std::string());
        QCOMPARE(treeDifferences(after, snapshotOf(tree())), std::string());
    }

    void listsAllConflictsAndDoesNothing()
    {
        const auto store = openStore();
        Transaction transaction(m_tree.get(), store, {});
        addAll(transaction);
        writeFile(tree() / "a.txt", "by hand");
        writeFile(tree() / "gone/mine", "not to be lost");
        writeFile(tree() / "new", "in the way");
        const TreeSnapshot before = snapshotOf(tree());
        const auto name = transaction.commit();
        QVERIFY(!name);
        QCOMPARE(name.error().code, ErrorCode::Conflict);
        std::vector<std::string> paths;
        for (const auto& conflict : transaction.conflicts()) {
            paths.push_back(conflict.path);
        }
        QCOMPARE(paths, (std::vector<std::string>{"a.txt", "gone/mine", "new"}));
        QCOMPARE(treeDifferences(before, snapshotOf(tree())), std::string());
        QVERIFY(store.records()->empty());
    }

    void takesEverythingBackWhenAStepFails()
    {
        const auto store = openStore();
        Transaction transaction(m_tree.get(), store, {});
        addAll(transaction);
        Operation impossible;
        impossible.path = "zzz";
        impossible.wanted.type = workspace::EntryType::File;
        impossible.wanted.mode = 0644;
        impossible.stored = "nowhere";
        transaction.add(std::move(impossible));
        const TreeSnapshot before = snapshotOf(tree());
        const auto name = transaction.commit();
        QVERIFY(!name);
        QCOMPARE(treeDifferences(before, snapshotOf(tree())), std::string());
        QVERIFY(store.names()->empty());
    }

    /// What is found changed only when its turn comes, after others have been moved and come back.
    void failsWhereItIsTakenBackLate()
    {
        const auto store = openStore();
        Transaction transaction(m_tree.get(), store, {});
        Operation removal;
        removal.path = "a.txt";
        removal.expected = workspace::lookAt(m_tree.get(), removal.path).value();
        transaction.add(removal);
        Operation late = newFile("zzz");
        late.content = [content = late.content, file = tree() / "zzz"] {
            writeFile(file, "by a person");
            return content();
        };
        transaction.add(std::move(late));
        const auto name = transaction.commit();
        QVERIFY(!name);
        QCOMPARE(name.error().code, ErrorCode::Conflict);
        QVERIFY(fs::exists(tree() / "a.txt"));
        QCOMPARE(readFile(tree() / "zzz"), std::string("by a person"));
        QCOMPARE(store.records()->size(), 1U); // how it lies there now
    }

    /// Of a directory that goes as a whole not all that is below is named.
    void takesFromADirectoryThatGoes()
    {
        const auto store = openStore();
        fs::create_directories(tree() / "whole/unnamed/inner");
        fs::permissions(tree() / "whole/unnamed", fs::perms::owner_read | fs::perms::owner_exec);
        Transaction transaction(m_tree.get(), store, {});
        for (const char* const path : {"whole", "whole/unnamed/inner"}) {
            Operation removal;
            removal.path = path;
            removal.expected = workspace::lookAt(m_tree.get(), path).value();
            removal.isWholeTree = true;
            transaction.add(std::move(removal));
        }
        const auto name = transaction.commit();
        QVERIFY2(name, name ? "" : toString(name.error()).c_str());
        QVERIFY(!fs::exists(tree() / "whole"));
    }

    void neverGoesThroughALink()
    {
        const auto store = openStore();
        fs::create_directory(m_top / "outside");
        fs::create_symlink("../outside", tree() / "way");
        Transaction transaction(m_tree.get(), store, {});
        transaction.add(newFile("way/file"));
        const auto name = transaction.commit();
        QVERIFY(!name);
        QCOMPARE(name.error().code, ErrorCode::Conflict);
        for (const char* const path : {"../outside/file", "/outside", "a/../../outside/file"}) {
            Transaction escape(m_tree.get(), store, {});
            escape.add(newFile(path));
            QVERIFY2(!escape.commit(), path);
        }
        QVERIFY(fs::is_empty(m_top / "outside"));
    }

    void dropsWhatGivesRights()
    {
        const auto store = openStore();
        Transaction transaction(m_tree.get(), store, {});
        Operation file = newFile("strong");
        file.wanted.mode = 06755;
        transaction.add(std::move(file));
        Operation directory;
        directory.path = "sticky";
        directory.wanted.type = workspace::EntryType::Directory;
        directory.wanted.mode = 07777;
        transaction.add(std::move(directory));
        QVERIFY(transaction.commit());
        QCOMPARE(modeOf("strong"), 0755U);
        QCOMPARE(modeOf("sticky"), 0777U);
    }

    void breaksTheLinkOfAFileThatOthersHaveToo()
    {
        const auto store = openStore();
        fs::create_hard_link(tree() / "a.txt", m_top / "outside");
        Transaction transaction(m_tree.get(), store, {});
        addAll(transaction);
        QVERIFY(transaction.commit());
        QCOMPARE(readFile(m_top / "outside"), std::string("one\n"));
    }

    /// Mode and time are the file's, with all the names that nobody spoke of.
    void changesTheAttributesOfNoOtherName()
    {
        const auto store = openStore();
        fs::create_directory(m_top / "outside");
        for (const fs::path& name : {m_top / "outside/a", tree() / "b.txt", tree() / "left.txt"}) {
            fs::create_hard_link(tree() / "a.txt", name);
        }
        fs::create_hard_link(tree() / "swap1", m_top / "outside/swap");
        QCOMPARE(::setxattr((tree() / "a.txt").c_str(), "user.mine", "x", 1, 0), 0);
        QCOMPARE(::setxattr((tree() / "swap1").c_str(), "user.mine", "y", 1, 0), 0);
        const TreeSnapshot before = snapshotOf(tree());
        const TreeSnapshot outside = snapshotOf(m_top / "outside");
        const std::string left = before.at("left.txt");
        const ino_t inode = inodeOf("a.txt");
        Transaction transaction(m_tree.get(), store, {});
        for (const char* const name : {"a.txt", "b.txt"}) {
            transaction.add(changeOf(name, 0751, 1'000'000'001'000'000'007));
        }
        Operation moved = changeOf("swap1", 0600, 0);
        Operation gone = moved;
        gone.wanted = {};
        moved.path = "moved";
        moved.from = "swap1";
        moved.expected = {};
        transaction.add(std::move(moved));
        transaction.add(std::move(gone));
        const auto name = transaction.commit();
        QVERIFY2(name, why(name));
        QCOMPARE(modeOf("a.txt"), 0751U);
        QCOMPARE(workspace::lookAt(m_tree.get(), "a.txt")->changed, 1'000'000'001'000'000'007);
        QCOMPARE(readFile(tree() / "a.txt"), std::string("one\n"));
        QCOMPARE(inodeOf("a.txt"), inodeOf("b.txt"));
        QCOMPARE(inodeOf("left.txt"), inode);
        QCOMPARE(modeOf("left.txt"), 0644U);
        QCOMPARE(modeOf("moved"), 0600U);
        QCOMPARE(attributeOf("a.txt"), 'x');
        QCOMPARE(attributeOf("moved"), 'y');
        QCOMPARE(treeDifferences(outside, snapshotOf(m_top / "outside")), std::string());
        const TreeSnapshot after = snapshotOf(tree());
        takeBack(store);
        QCOMPARE(treeDifferences(before, snapshotOf(tree())), std::string());
        QCOMPARE(inodeOf("a.txt"), inode);
        takeBack(store);
        QCOMPARE(treeDifferences(after, snapshotOf(tree())), std::string());
        QCOMPARE(treeDifferences(outside, snapshotOf(m_top / "outside")), std::string());
    }

    /// What comes back does not bring a name that stayed what that had before.
    void changesNothingThatItCannotMakeAnew()
    {
        const auto store = openStore();
        QCOMPARE(::chmod((tree() / "a.txt").c_str(), 0), 0);
        fs::create_hard_link(tree() / "a.txt", m_top / "outside");
        Transaction transaction(m_tree.get(), store, {});
        transaction.add(changeOf("a.txt", 0755, 0));
        const auto name = transaction.commit();
        QVERIFY(!name);
        QCOMPARE(name.error().code, ErrorCode::Conflict);
        QCOMPARE(modeOf("a.txt"), 0U);
        QVERIFY(store.names()->empty());
    }

    void makesHardLinksAndMoves()
    {
        const auto store = openStore();
        Transaction transaction(m_tree.get(), store, {});
        transaction.add(newFile("twin1"));
        Operation twin = newFile("twin2");
        twin.linkTo = "twin1";
        transaction.add(std::move(twin));
        for (const auto& [from, to] : {std::pair{"swap1", "swap2"}, std::pair{"swap2", "swap1"}}) {
            Operation swap;
            swap.path = to;
            swap.from = from;
            swap.expected = *workspace::lookAt(m_tree.get(), to);
            swap.wanted = *workspace::lookAt(m_tree.get(), from);
            transaction.add(std::move(swap));
        }
        const ino_t first = inodeOf("swap1");
        const auto name = transaction.commit();
        QVERIFY2(name, why(name));
        QCOMPARE(inodeOf("twin1"), inodeOf("twin2"));
        QCOMPARE(inodeOf("swap2"), first);
        QCOMPARE(readFile(tree() / "swap1"), std::string("second one"));
    }

    void copiesHolesAsHoles()
    {
        const auto store = openStore();
        const fs::path huge = m_top / "huge";
        writeFile(huge, "x");
        QCOMPARE(::truncate(huge.c_str(), off_t{1} << 42), 0);
        Transaction transaction(m_tree.get(), store, {});
        Operation file = newFile("huge");
        file.content
            = [huge]() -> Result<UniqueFd> { return UniqueFd(::open(huge.c_str(), O_RDONLY | O_CLOEXEC)); };
        transaction.add(std::move(file));
        const auto name = transaction.commit();
        QVERIFY2(name, why(name));
        struct stat info = {};
        QCOMPARE(::stat((tree() / "huge").c_str(), &info), 0);
        QCOMPARE(info.st_size, off_t{1} << 42);
        QVERIFY(info.st_blocks < 1000);
    }

    void refusesBytesThatAreNoRecord()
    {
        workspace::Record record;
        record.steps.resize(2);
        record.steps.front().path = "a";
        const std::string bytes = workspace::encodeRecord(record);
        QVERIFY(workspace::decodeRecord(bytes));
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            QVERIFY(!workspace::decodeRecord(std::string_view(bytes).substr(0, size)));
        }
        QVERIFY(!workspace::decodeRecord(bytes + 'x'));
    }

private:
    [[nodiscard]] fs::path tree() const { return m_top / "tree"; }
    [[nodiscard]] fs::path wanted() const { return m_top / "wanted"; }
    [[nodiscard]] workspace::RecordStore openStore() const
    {
        auto store = workspace::RecordStore::open(m_top / "store");
        if (!store) {
            qFatal("%s", toString(store.error()).c_str());
        }
        return std::move(*store);
    }
    static void copyTree(const fs::path& from, const fs::path& to)
    {
        const std::string command = "cp -a '" + from.string() + "' '" + to.string() + "'";
        QCOMPARE(std::system(command.c_str()), 0); // NOLINT(concurrency-mt-unsafe, cert-env33-c)
    }
    void addAll(Transaction& transaction) const
    {
        for (Operation& operation : operationsBetween(tree(), wanted())) {
            transaction.add(std::move(operation));
        }
    }
    [[nodiscard]] Operation newFile(const std::string& path) const
    {
        Operation operation;
        operation.path = path;
        operation.wanted.type = workspace::EntryType::File;
        operation.wanted.mode = 0644;
        operation.content = [file = tree() / "a.txt"]() -> Result<UniqueFd> {
            return UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
        };
        return operation;
    }
    [[nodiscard]] Operation changeOf(const std::string& path, mode_t mode, std::int64_t changed) const
    {
        Operation operation;
        operation.path = path;
        operation.wanted = operation.expected = *workspace::lookAt(m_tree.get(), path);
        operation.wanted.mode = mode;
        operation.wanted.changed = changed;
        return operation;
    }
    void takeBack(const workspace::RecordStore& store) const
    {
        auto step = workspace::History({}, *store.records()).takeBack(m_tree.get(), {});
        QVERIFY2(step, why(step));
        workspace::Record record;
        record.purpose = workspace::Purpose::Undo;
        record.undoes = step->undoes;
        Transaction transaction(m_tree.get(), store, record);
        for (Operation& operation : step->operations) {
            transaction.add(std::move(operation));
        }
        const auto name = transaction.commit();
        QVERIFY2(name, why(name));
    }
    [[nodiscard]] char attributeOf(const std::string& path) const
    {
        char value = 0;
        return ::getxattr((tree() / path).c_str(), "user.mine", &value, 1) == 1 ? value : '\0';
    }
    [[nodiscard]] struct stat statusOf(const std::string& path) const
    {
        struct stat info = {};
        [&] { QCOMPARE(::lstat((tree() / path).c_str(), &info), 0); }();
        return info;
    }
    [[nodiscard]] mode_t modeOf(const std::string& path) const { return statusOf(path).st_mode & 07777; }
    [[nodiscard]] ino_t inodeOf(const std::string& path) const { return statusOf(path).st_ino; }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_top;
    UniqueFd m_tree;
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::TransactionTest)

#include "tst_transaction.moc"
