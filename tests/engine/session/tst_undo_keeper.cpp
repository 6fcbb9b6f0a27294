// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/session/undo_bench.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <csignal>
#include <random>

#include <sys/resource.h>

using namespace revet;
using namespace revet::test;
namespace fs = std::filesystem;

namespace {

/// Steps of chance, on few names so that they meet.
class Chaos
{
public:
    Chaos(BrokerBench& bench, unsigned seed)
        : m_bench(bench)
        , m_random(seed)
    {
    }
    void step()
    {
        const std::string path = any();
        switch (m_random() % 16) {
        case 0:
        case 1:
        case 2:
            tried(m_bench.error(call(Operation::Remove, at(path))));
            break;
        case 3:
            tried(m_bench.error(call(Operation::RemoveDirectory, at(path))));
            break;
        case 4:
            tried(m_bench.error(withMode(Operation::MakeDirectory, at(path), 0755)));
            break;
        case 5:
        case 6:
        case 7:
            tried(m_bench.error(twoPaths(Operation::Rename, at(path), at(any()))));
            break;
        case 8:
            tried(m_bench.error(twoPaths(Operation::Rename, at(path), at(any()), RENAME_EXCHANGE)));
            break;
        case 9:
            tried(m_bench.error(twoPaths(Operation::MakeLink, at(path), at(any()))));
            break;
        case 10:
            tried(m_bench.error(symlinking("target" + std::to_string(m_random() % 3), at(path))));
            break;
        case 11:
            tried(m_bench.error(withMode(Operation::ChangeMode, at(path), 0700 | (m_random() % 0100))));
            break;
        case 12:
            tried(m_bench.error(call(Operation::ChangeTimes, at(path))));
            break;
        case 13:
            tried(m_bench.write(path, "appended", O_APPEND));
            break;
        case 14:
            tried(m_bench.error(truncating(path, static_cast<std::int64_t>(m_random() % 6000))));
            break;
        default:
            tried(m_bench.write(path, "written " + std::to_string(m_random())));
            break;
        }
    }
    [[nodiscard]] int succeeded() const { return m_succeeded; }

private:
    std::string any()
    {
        static constexpr std::array<const char*, 5> kDirectories{"", "a/", "a/b/", "c/", "c/empty/"};
        static constexpr std::array<const char*, 7> kNames{"x", "y", "z", "link", "a", "b", "new"};
        return std::string(kDirectories.at(m_random() % kDirectories.size()))
            + kNames.at(m_random() % kNames.size());
    }
    void tried(int error) { m_succeeded += error == 0 ? 1 : 0; }

    BrokerBench& m_bench;
    std::mt19937 m_random;
    int m_succeeded = 0;
};

std::set<std::string> namesOf(const Tree& tree)
{
    std::set<std::string> names;
    for (const auto& [path, part] : tree) {
        names.insert(path);
    }
    return names;
}

std::string joined(const std::set<std::string>& names)
{
    std::string text;
    for (const std::string& name : names) {
        text += name + ' ';
    }
    return text;
}

} // namespace

class TestUndoKeeper : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatIsDestroyed_data()
    {
        QTest::addColumn<int>("way");
        QTest::addColumn<bool>("copies");
        for (std::size_t i = 0; i < destroyingWays().size(); ++i) {
            for (const bool copies : {false, true}) {
                QTest::addRow("%s%s", destroyingWays()[i].name, copies ? ", by copies" : "")
                    << static_cast<int>(i) << copies;
            }
        }
    }
    void keepsWhatIsDestroyed()
    {
        QFETCH(int, way);
        QFETCH(bool, copies);
        UndoBench bench(copies ? UndoBench::Way::Copy : UndoBench::Way::Take);
        fill(bench.project());
        bench.start();
        destroyingWays()[static_cast<std::size_t>(way)].destroy(bench.broker);
        QVERIFY(!difference(bench.before, treeAt(bench.project())).empty());
        QCOMPARE(QString::fromStdString(bench.lost()), QString());
        bench.keeper->seal();
        QVERIFY(bench.changes()->images().isSealed);
        QCOMPARE(QString::fromStdString(bench.lost()), QString());
        QCOMPARE(bench.takeBack(), std::string());
        QCOMPARE(difference(bench.before, treeAt(bench.project())), std::string());
    }

    void survivesChance_data()
    {
        QTest::addColumn<bool>("copies");
        QTest::newRow("take") << false;
        QTest::newRow("copy") << true;
    }
    void survivesChance()
    {
        QFETCH(bool, copies);
        for (unsigned seed = 1; seed <= 40; ++seed) {
            UndoBench bench(copies ? UndoBench::Way::Copy : UndoBench::Way::Take);
            fill(bench.project());
            bench.start();
            Chaos chaos(bench.broker, seed);
            for (int i = 0; i < 60; ++i) {
                chaos.step();
            }
            QVERIFY(chaos.succeeded() > 5);
            QVERIFY2(bench.lost().empty(), (std::to_string(seed) + ": " + bench.lost()).c_str());
            // What is told of the two trees, applied to the names of one, gives the other's.
            std::set<std::string> names = namesOf(bench.before);
            const auto told = bench.changes()->changes();
            QVERIFY(told);
            for (const workspace::Change& change : *told) {
                using Kind = workspace::Change::Kind;
                if (change.kind == Kind::Deleted || change.kind == Kind::Renamed) {
                    names.erase(change.kind == Kind::Renamed ? change.from : change.path);
                }
                if (change.kind == Kind::Added || change.kind == Kind::Renamed) {
                    names.insert(change.path);
                }
            }
            const std::set<std::string> present = namesOf(treeAt(bench.project()));
            QVERIFY2(names == present, (std::to_string(seed) + '\n' + bench.told()).c_str());
            bench.keeper->seal();
            for (int i = 0; i < 2; ++i) {
                QCOMPARE(std::to_string(seed) + bench.takeBack(), std::to_string(seed));
                QCOMPARE(std::to_string(seed) + difference(bench.before, treeAt(bench.project())),
                         std::to_string(seed));
                QCOMPARE(std::to_string(seed) + bench.takeBack(), std::to_string(seed));
                // Names alone: the time of a file may have been changed by a name of it that is gone again.
                QCOMPARE(std::to_string(seed) + ' ' + joined(namesOf(treeAt(bench.project()))),
                         std::to_string(seed) + ' ' + joined(present));
            }
        }
    }

    void tellsChanges()
    {
        UndoBench bench;
        fill(bench.project());
        bench.start();
        QCOMPARE(bench.told(), std::string());
        QCOMPARE(bench.broker.write("x", "new", O_TRUNC), 0);
        QCOMPARE(bench.broker.write("new/", "n"), EROFS);
        QCOMPARE(bench.broker.error(withMode(Operation::MakeDirectory, at("new"), 0755)), 0);
        QCOMPARE(bench.broker.write("new/file", "n"), 0);
        QCOMPARE(bench.broker.error(call(Operation::Remove, at("y"))), 0);
        QCOMPARE(bench.broker.error(twoPaths(Operation::Rename, at("a"), at("d"))), 0);
        QCOMPARE(bench.broker.write("c/x", "", O_APPEND), 0); // opened, and nothing written
        QCOMPARE(bench.told(),
                 std::string("R a -> d\nR a/b -> d/b\nR a/b/x -> d/b/x\nR a/link -> d/link\nR a/x -> d/x\n"
                             "R a/y -> d/y\nR a/z -> d/z\nA new\nA new/file\nM x\nD y\n"));
    }

    void sparesRecordsOfChurn()
    {
        UndoBench bench;
        fill(bench.project());
        bench.start();
        std::size_t records = 0;
        for (int i = 0; i < 50; ++i) {
            QCOMPARE(bench.broker.write("journal", "n"), 0);
            QCOMPARE(bench.broker.write("x.tmp", "n"), 0);
            QCOMPARE(bench.broker.error(twoPaths(Operation::Rename, at("x.tmp"), at("x"))), 0);
            QCOMPARE(bench.broker.error(call(Operation::Remove, at("journal"))), 0);
            if (i == 1) {
                records = bench.changes()->images().records.size();
            }
        }
        QCOMPARE(bench.changes()->images().records.size(), records);
        QCOMPARE(bench.lost(), std::string());
    }

    /// What is moved there and back again costs a line each time, and no more.
    void remembersAttributesOnce()
    {
        UndoBench bench;
        fill(bench.project());
        const std::string large(3000, 'v');
        QCOMPARE(::setxattr((bench.project() / "x").c_str(), "user.large", large.data(), large.size(), 0), 0);
        bench.start();
        for (int i = 0; i < 100; ++i) {
            QCOMPARE(bench.broker.error(twoPaths(Operation::Rename, at("x"), at("moved"))), 0);
            QCOMPARE(bench.broker.error(twoPaths(Operation::Rename, at("moved"), at("x"))), 0);
        }
        QVERIFY(bench.changes()->images().length < 50'000);
        QCOMPARE(bench.broker.error(twoPaths(Operation::Rename, at("x"), at("y"))), 0);
        QCOMPARE(bench.lost(), std::string());
    }

    void isNotRecordedByWhatFailed()
    {
        UndoBench bench;
        fill(bench.project());
        bench.start();
        // Onto a directory that holds something.
        QVERIFY(bench.broker.error(twoPaths(Operation::Rename, at("x"), at("a"))) != 0);
        QCOMPARE(bench.broker.error(withMode(Operation::ChangeMode, at("x"), 0600)), 0);
        QCOMPARE(bench.lost(), std::string());
    }

    void boundsItsList()
    {
        workspace::PreImageLimits limits;
        limits.manifest = 20'000;
        UndoBench bench(UndoBench::Way::Take, limits);
        fill(bench.project());
        bench.start();
        int error = 0;
        for (int i = 0; i < 1000 && error == 0; ++i) {
            error = bench.broker.error(twoPaths(Operation::Rename, at("x"), at("moved")));
            error
                = error != 0 ? error : bench.broker.error(twoPaths(Operation::Rename, at("moved"), at("x")));
        }
        QCOMPARE(error, ENOSPC);
        QCOMPARE(bench.broker.error(call(Operation::Remove, at("y"))), ENOSPC);
        QCOMPARE(bench.broker.write("a/x", "new", O_TRUNC), ENOSPC);
        QVERIFY(bench.changes()->images().length < 22'000);
        QCOMPARE(bench.lost(), std::string());
    }

    void saysWhatItDoesNotKeep()
    {
        workspace::PreImageLimits limits;
        limits.largestCopy = 4096;
        limits.budget = 5000;
        UndoBench bench(UndoBench::Way::Take, limits);
        fill(bench.project());
        writeFile(bench.project() / "small", std::string(3000, 's'));
        writeFile(bench.project() / "little", std::string(3000, 'l'));
        writeFile(bench.project() / "node_modules/m", "m");
        bench.start();
        QCOMPARE(bench.broker.write("x", "new", O_TRUNC), 0);
        QCOMPARE(bench.broker.write("small", "new", O_TRUNC), 0);
        QCOMPARE(bench.broker.write("little", "new", O_TRUNC), 0);
        QCOMPARE(bench.broker.write("node_modules/m", "new", O_TRUNC), 0);
        std::string rules;
        for (const Fact& fact : bench.broker.facts.take()) {
            rules += fact.rule + '\n';
        }
        QVERIFY2(rules.find("not undoable: build output is not copied") != std::string::npos, rules.c_str());
        QVERIFY2(rules.find("not undoable: larger than 4 KiB") != std::string::npos, rules.c_str());
        QVERIFY2(rules.find("for copies are used up") != std::string::npos, rules.c_str());
        QVERIFY(bench.keeper->describeEnd().find("3 changes cannot be undone") != std::string::npos);
        // Removing needs no space.
        QCOMPARE(bench.broker.error(call(Operation::Remove, at("y"))), 0);
        const auto saved = bench.changes()->before().saved();
        QVERIFY(saved.at("y").content == workspace::PreImageRecord::Content::Kept);
        QVERIFY(saved.at("x").content == workspace::PreImageRecord::Content::Lost);
    }

    void keepsSparseFilesSparse()
    {
        UndoBench bench;
        const fs::path file = bench.project() / "sparse";
        writeFile(file, "begin");
        fs::resize_file(file, std::uintmax_t{1} << 30U);
        {
            const UniqueFd middle(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
            QCOMPARE(::pwrite(middle.get(), "middle", 6, 500'000'000), 6);
        }
        bench.start();
        QCOMPARE(bench.broker.write("sparse", "new", O_TRUNC), 0);
        const auto changes = bench.changes();
        workspace::Change change;
        change.path = "sparse";
        const auto kept = changes->openBefore(change);
        QVERIFY(kept);
        struct stat status = {};
        ::fstat(kept->get(), &status);
        QCOMPARE(status.st_size, off_t{1} << 30U);
        QVERIFY(status.st_blocks < 10'000);
        std::array<char, 6> bytes{};
        QCOMPARE(::pread(kept->get(), bytes.data(), bytes.size(), 500'000'000), 6);
        QCOMPARE(std::string(bytes.data(), bytes.size()), std::string("middle"));
    }

    void keepsNothingOfOthersDoing()
    {
        // A number that the box's own file had may be given to somebody's new one.
        UndoBench bench;
        fill(bench.project());
        bench.start();
        for (int i = 0; i < 50; ++i) {
            QCOMPARE(bench.broker.write("mine", "by the box"), 0);
            struct stat mine = {};
            ::stat((bench.project() / "mine").c_str(), &mine);
            fs::remove(bench.project() / "mine");
            writeFile(bench.project() / "theirs", "by a person");
            struct stat theirs = {};
            ::stat((bench.project() / "theirs").c_str(), &theirs);
            QCOMPARE(bench.broker.error(call(Operation::Remove, at("theirs"))), 0);
            QVERIFY(bench.changes()->before().saved().contains("theirs"));
            if (mine.st_ino == theirs.st_ino) {
                return;
            }
        }
        QSKIP("this file system gives no number twice");
    }

    void refusesWhereTheStoreCannotWrite()
    {
        UndoBench bench;
        fill(bench.project());
        bench.start();
        struct rlimit old = {};
        ::getrlimit(RLIMIT_FSIZE, &old);
        const struct rlimit none
        {
            1, old.rlim_max
        };
        QVERIFY(::signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
        ::setrlimit(RLIMIT_FSIZE, &none);
        const int removed = bench.broker.error(call(Operation::Remove, at("x")));
        const int made = bench.broker.error(opening(at("new"), O_WRONLY | O_CREAT));
        const int written = bench.broker.error(opening(at("y"), O_WRONLY | O_TRUNC));
        ::setrlimit(RLIMIT_FSIZE, &old);
        QCOMPARE(removed, EPERM);
        QCOMPARE(made, EPERM);
        QCOMPARE(written, EPERM);
        QCOMPARE(difference(bench.before, treeAt(bench.project())), std::string());
        const auto denied = bench.broker.facts.take();
        QVERIFY(!denied.empty());
        QVERIFY(denied.back().verdict == Verdict::Denied);
        QVERIFY2(denied.back().rule.starts_with("undo: "), denied.back().rule.c_str());
        // And goes on when there is room again.
        QCOMPARE(bench.broker.error(call(Operation::Remove, at("x"))), 0);
        QCOMPARE(bench.lost(), std::string());
    }

    void brakes()
    {
        UndoBench bench(UndoBench::Way::Take, {}, {5, std::chrono::seconds(600), 20, 20});
        for (int i = 0; i < 20; ++i) {
            writeFile(bench.project() / "src" / std::to_string(i), "s");
            writeFile(bench.project() / "node_modules/m" / std::to_string(i), "m");
        }
        bench.start();
        const auto removes
            = [&](const std::string& path) { return bench.broker.error(call(Operation::Remove, at(path))); };
        for (int i = 0; i < 20; ++i) {
            // Of no account: what a build makes, what the box made, what is replaced or written to.
            QCOMPARE(removes("node_modules/m/" + std::to_string(i)), 0);
            QCOMPARE(bench.broker.write("src/own", "n"), 0);
            QCOMPARE(removes("src/own"), 0);
            QCOMPARE(bench.broker.write("src/own", "n"), 0);
            const std::string file = "src/" + std::to_string(i);
            QCOMPARE(bench.broker.error(twoPaths(Operation::Rename, at("src/own"), at(file))), 0);
        }
        for (int i = 0; i < 10; ++i) {
            writeFile(bench.project() / "theirs" / std::to_string(i), "t");
        }
        for (int i = 0; i < 10; ++i) {
            QCOMPARE(removes("theirs/" + std::to_string(i)), i < 5 ? 0 : EPERM);
        }
        const Fact fact = bench.broker.facts.take().back();
        QVERIFY(fact.verdict == Verdict::Denied);
        QCOMPARE(fact.rule, std::string("brake: 5 files gone within 600 s"));
        QVERIFY(fs::exists(bench.project() / "theirs/9"));
        QVERIFY(bench.keeper->describeEnd().find("the brake refused 5 removals") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestUndoKeeper)
#include "tst_undo_keeper.moc"
