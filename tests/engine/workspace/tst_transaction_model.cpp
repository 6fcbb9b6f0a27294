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
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::test {

namespace fs = std::filesystem;

namespace {

/// Does something to a tree, anything; what fails is nothing.
class Mutator
{
public:
    Mutator(fs::path top, unsigned seed)
        : m_top(std::move(top))
        , m_random(seed)
    {
    }

    void act()
    {
        std::error_code ignored;
        const fs::path one = anyPath();
        const fs::path other = anyPath();
        switch (below(9)) {
        case 0:
        case 1:
            write(one);
            break;
        case 2:
            fs::remove_all(one, ignored);
            break;
        case 3:
            fs::rename(one, other, ignored);
            break;
        case 4:
            fs::create_directories(one, ignored);
            break;
        case 5:
            if (!fs::is_symlink(one)) {
                ::chmod(one.c_str(), fs::is_directory(one) ? 0700 | below(0100) : 0600 | below(0200));
            }
            break;
        case 6:
            fs::create_symlink("target" + std::to_string(below(4)), one, ignored);
            break;
        case 7:
            fs::create_hard_link(one, other, ignored);
            break;
        default:
            ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
        }
    }

private:
    unsigned below(unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(m_random); }
    fs::path anyPath()
    {
        fs::path path = m_top;
        for (unsigned depth = 1 + below(3); depth > 0; --depth) {
            path /= std::string(1, static_cast<char>('a' + below(4)));
        }
        return path;
    }
    /// As a program writes that does not care for links: in place.
    void write(const fs::path& file)
    {
        const int fd = ::open(
            file.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (below(2) != 0 ? O_TRUNC : 0), 0644);
        if (fd >= 0) {
            const std::string bytes(below(20), static_cast<char>('A' + below(26)));
            static_cast<void>(!::write(fd, bytes.data(), bytes.size()));
            ::close(fd);
        }
    }

    fs::path m_top;
    std::mt19937 m_random;
};

} // namespace

// NOLINTNEXTLINE(misc-use-internal-linkage)
class TransactionModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesAnyTreeToAnyOtherAndBack_data()
    {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 300; ++seed) {
            QTest::newRow(std::to_string(seed).c_str()) << seed;
        }
    }
    void takesAnyTreeToAnyOtherAndBack()
    {
        QFETCH(unsigned, seed);
        // Links are copied as several files: their groups are told apart in other tests.
        const bool hasMemory = fs::is_directory("/dev/shm");
        const QTemporaryDir folder(hasMemory ? QStringLiteral("/dev/shm/revet-XXXXXX") : QString());
        const fs::path top = folder.path().toStdString();
        fs::create_directory(top / "tree");
        Mutator start(top / "tree", seed);
        for (int i = 0; i < 40; ++i) {
            start.act();
        }
        const std::string copy
            = "cp -a '" + (top / "tree").string() + "' '" + (top / "wanted").string() + "'";
        QCOMPARE(std::system(copy.c_str()), 0); // NOLINT(concurrency-mt-unsafe, cert-env33-c)
        Mutator change(top / "wanted", seed + 1'000'000);
        for (int i = 0; i < 25; ++i) {
            change.act();
        }
        const UniqueFd tree(::open((top / "tree").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        const auto store = workspace::RecordStore::open(top / "store");
        QVERIFY2(store, why(store));

        const TreeSnapshot before = snapshotOf(top / "tree");
        workspace::Transaction transaction(tree.get(), *store, {});
        for (auto& operation : operationsBetween(top / "tree", top / "wanted")) {
            transaction.add(std::move(operation));
        }
        const auto applied = transaction.commit();
        QVERIFY2(applied, why(applied));
        const TreeSnapshot after = snapshotOf(top / "tree");
        QCOMPARE(treeDifferences(withoutGroups(snapshotOf(top / "wanted", DirectoryTimes::Ignored)),
                                 withoutGroups(snapshotOf(top / "tree", DirectoryTimes::Ignored))),
                 std::string());
        for (int i = 0; i < 2; ++i) {
            takeBack(tree.get(), *store);
            QCOMPARE(treeDifferences(before, snapshotOf(top / "tree")), std::string());
            takeBack(tree.get(), *store);
            QCOMPARE(treeDifferences(after, snapshotOf(top / "tree")), std::string());
        }
        QVERIFY(removeTree(top / "store"));
    }

private:
    static void takeBack(int tree, const workspace::RecordStore& store)
    {
        const auto records = store.records();
        QVERIFY2(records, why(records));
        auto step = workspace::History({}, *records).takeBack(tree, {});
        if (records->empty()) {
            return; // the two trees were the same
        }
        QVERIFY2(step, why(step));
        workspace::Record record;
        record.purpose = workspace::Purpose::Undo;
        record.undoes = step->undoes;
        workspace::Transaction transaction(tree, store, record);
        for (auto& operation : step->operations) {
            transaction.add(std::move(operation));
        }
        const auto done = transaction.commit();
        QVERIFY2(done, why(done));
    }
    /// Which names are of one file is not told by the operations of this test.
    static TreeSnapshot withoutGroups(TreeSnapshot snapshot)
    {
        for (auto& [path, line] : snapshot) {
            const std::size_t group = line.find(" =");
            if (group != std::string::npos) {
                line.erase(group + 1, line.find(' ', group + 1) - group);
            }
        }
        return snapshot;
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::TransactionModelTest)

#include "tst_transaction_model.moc"
