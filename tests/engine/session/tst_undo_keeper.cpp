// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/undo_keeper.h"
#include "tests/engine/supervisor/broker_steps.h"
#include "tests/engine/workspace/reconstruct.h"

#include <QTest>

#include <csignal>
#include <cstring>
#include <functional>
#include <random>

#include <sys/mman.h>
#include <sys/resource.h>

using namespace revet;
using namespace revet::test;
using session::UndoKeeper;
using workspace::DirectChanges;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTable = "names = [\"node_modules\"]\n";

/// A project, the broker of its box, and what keeps the pre-images.
class Bench
{
public:
    enum class Way { Take, Copy };
    explicit Bench(Way way = Way::Take, const workspace::PreImageLimits& limits = {},
                   const workspace::Brake::Limits& brake = {0, std::chrono::seconds(10), 20, 20})
        : m_way(way)
        , m_limits(limits)
        , m_brake(brake)
    {
        static int number = 0;
        m_session = (way == Way::Copy ? fs::path("/dev/shm") : broker.outside())
            / ("revet-test-" + std::to_string(::getpid()) + '-' + std::to_string(++number));
        fs::create_directories(m_session);
        fs::permissions(m_session, fs::perms::owner_all);
    }
    ~Bench()
    {
        keeper.reset();
        fs::permissions(broker.outside(), fs::perms::owner_all);
        removeTree(m_session);
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    Bench(Bench&&) = delete;
    Bench& operator=(Bench&&) = delete;

    /// What is in the project now is what was there before.
    void start()
    {
        if (m_way == Way::Copy) { // no room beside the project
            fs::permissions(broker.outside(), fs::perms::owner_read | fs::perms::owner_exec);
        }
        before = treeAt(broker.project());
        UndoKeeper::Setup setup{SessionId::parse("k3f9q2").value(),
                                m_session,
                                {broker.project().string()},
                                policy::BuildOutputTable::parse(kTable).value(),
                                m_limits,
                                m_brake};
        auto made = UndoKeeper::create(setup, m_clock);
        if (!made) {
            qFatal("%s", toString(made.error()).c_str());
        }
        keeper = std::move(*made);
        broker.keepPreImages(*keeper);
    }
    [[nodiscard]] std::unique_ptr<DirectChanges> changes() const
    {
        auto opened = DirectChanges::open(workspace::preImagesDirectory(m_session, 0));
        if (!opened) {
            qFatal("%s", toString(opened.error()).c_str());
        }
        return std::move(*opened);
    }
    /// How what can be put together differs from what was there before; empty: not at all.
    [[nodiscard]] std::string lost() const { return difference(before, treeBefore(*changes())); }
    [[nodiscard]] std::string told() const
    {
        std::string text;
        const auto told = changes()->changes();
        for (const workspace::Change& change : *told) {
            constexpr std::string_view kKinds = "AMDR";
            text += std::string(1, kKinds.at(static_cast<std::size_t>(change.kind))) + ' '
                + (change.from.empty() ? "" : change.from + " -> ") + change.path + '\n';
        }
        return text;
    }
    [[nodiscard]] fs::path project() const { return broker.project(); }

    BrokerBench broker;
    std::unique_ptr<UndoKeeper> keeper;
    Tree before;

private:
    Way m_way;
    workspace::PreImageLimits m_limits;
    workspace::Brake::Limits m_brake;
    SystemClock m_clock;
    fs::path m_session;
};

void fill(const fs::path& project)
{
    for (const char* const directory : {"a", "a/b", "c", "c/empty"}) {
        fs::create_directories(project / directory);
    }
    int number = 0;
    for (const char* const file : {"x", "y", "a/x", "a/y", "a/b/x", "c/x", "c/z"}) {
        writeFile(project / file, "content " + std::to_string(++number) + std::string(5000, 'z'));
    }
    fs::create_hard_link(project / "c/z", project / "a/z");
    fs::create_symlink("../x", project / "a/link");
    fs::create_symlink("nowhere", project / "c/link");
    fs::permissions(project / "c/x", fs::perms::owner_all);
    ::setxattr((project / "y").c_str(), "user.note", "v", 1, 0);
    const std::array<struct timespec, 2> old{timespec{1'000'000, 1}, timespec{1'000'000, 123'456'789}};
    ::utimensat(AT_FDCWD, (project / "a/x").c_str(), old.data(), 0);
    ::utimensat(AT_FDCWD, (project / "c").c_str(), old.data(), 0);
}

/// A way in which a file can be destroyed, on one called "x" among others.
struct Way
{
    const char* name;
    std::function<void(BrokerBench&)> destroy;
};

int opened(BrokerBench& bench, const std::string& path, int flags, UniqueFd* file)
{
    Seen seen = bench.run(opening(at(path), flags));
    *file = std::move(seen.descriptor);
    return seen.error;
}

void require(bool holds)
{
    if (!holds) {
        qFatal("a step of the test failed, errno %d", errno);
    }
}

const std::vector<Way>& ways()
{
    static const std::vector<Way> all{
        {"unlink", [](BrokerBench& bench) { require(bench.error(call(Operation::Remove, at("x"))) == 0); }},
        {"unlink and make anew",
         [](BrokerBench& bench) {
             require(bench.error(call(Operation::Remove, at("x"))) == 0);
             require(bench.write("x", "new", O_CREAT | O_EXCL) == 0);
         }},
        {"rename over",
         [](BrokerBench& bench) {
             require(bench.write("x.new", "new") == 0);
             require(bench.error(twoPaths(Operation::Rename, at("x.new"), at("x"))) == 0);
         }},
        {"rename another over",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::Rename, at("y"), at("x"))) == 0);
         }},
        {"truncate at opening", [](BrokerBench& bench) { require(bench.write("x", "new", O_TRUNC) == 0); }},
        {"truncate", [](BrokerBench& bench) { require(bench.error(truncating("x", 3)) == 0); }},
        {"write in the middle",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_WRONLY, &file) == 0 && ::pwrite(file.get(), "NEW", 3, 100) == 3);
         }},
        {"ftruncate",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0 && ::ftruncate(file.get(), 10) == 0);
         }},
        {"mmap",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0);
             void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
             require(memory != MAP_FAILED);
             std::memset(memory, 'm', 4096);
             ::munmap(memory, 4096);
         }},
        {"copy_file_range",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_WRONLY, &file) == 0);
             const UniqueFd from(::open((bench.project() / "y").c_str(), O_RDONLY | O_CLOEXEC));
             require(::copy_file_range(from.get(), nullptr, file.get(), nullptr, 3000, 0) == 3000);
         }},
        {"fallocate",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0);
             require(::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0);
         }},
        {"a descriptor opened before it was renamed",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("c/moved"))) == 0);
             require(::write(file.get(), "NEW", 3) == 3);
         }},
        {"a descriptor opened before it was unlinked",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0);
             require(bench.error(call(Operation::Remove, at("x"))) == 0);
             require(::write(file.get(), "NEW", 3) == 3);
         }},
        {"through a link made for it",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::MakeLink, at("x"), at("l"))) == 0);
             require(bench.write("l", "new", O_TRUNC) == 0);
         }},
        {"unlink, then through a link made before",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::MakeLink, at("x"), at("l"))) == 0);
             require(bench.error(call(Operation::Remove, at("x"))) == 0);
             require(bench.write("l", "new", O_TRUNC) == 0);
         }},
        {"a name of two, then the other",
         [](BrokerBench& bench) {
             require(bench.write("c/z", "new", O_TRUNC) == 0);
             require(bench.write("a/z", "newer", O_TRUNC) == 0);
             require(bench.error(call(Operation::Remove, at("a/z"))) == 0);
         }},
        {"mode, times and attributes",
         [](BrokerBench& bench) {
             require(bench.error(withMode(Operation::ChangeMode, at("x"), 0400)) == 0);
             require(bench.error(withMode(Operation::ChangeMode, at("a"), 0750)) == 0);
             Call times = call(Operation::ChangeTimes, at("y"));
             require(bench.error(times) == 0);
             require(bench.error(attribute(at("y"), "user.note")) == 0);
         }},
        {"swap",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("a/b"), RENAME_EXCHANGE)) == 0);
             require(bench.write("x/x", "new", O_TRUNC) == 0);
         }},
        {"rename chains",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("t"))) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("y"), at("x"))) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("t"), at("y"))) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("a"), at("d"))) == 0);
             require(bench.error(call(Operation::Remove, at("d/b/x"))) == 0);
             require(bench.error(call(Operation::RemoveDirectory, at("d/b"))) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("d"), at("c/empty"))) == 0);
         }},
        {"a whole tree",
         [](BrokerBench& bench) {
             for (const char* const file :
                  {"x", "y", "a/x", "a/y", "a/z", "a/link", "a/b/x", "c/x", "c/z", "c/link"}) {
                 require(bench.error(call(Operation::Remove, at(file))) == 0);
             }
             for (const char* const directory : {"a/b", "a", "c/empty", "c"}) {
                 require(bench.error(call(Operation::RemoveDirectory, at(directory))) == 0);
             }
         }},
        {"what fails",
         [](BrokerBench& bench) {
             require(bench.error(call(Operation::RemoveDirectory, at("a"))) == ENOTEMPTY);
             require(bench.error(call(Operation::Remove, at("a"))) != 0);
             require(bench.error(call(Operation::Remove, at("x/"))) == ENOTDIR);
             require(bench.error(twoPaths(Operation::Rename, at("a"), at("c"))) == ENOTEMPTY);
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("c"))) == EISDIR);
             require(bench.error(twoPaths(Operation::Rename, at("a"), at("a/b/a"))) == EINVAL);
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("y"), RENAME_NOREPLACE)) == EEXIST);
             require(bench.write("x", "new", O_TRUNC) == 0);
         }},
    };
    return all;
}

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

} // namespace

class TestUndoKeeper : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatIsDestroyed_data()
    {
        QTest::addColumn<int>("way");
        QTest::addColumn<bool>("copies");
        for (std::size_t i = 0; i < ways().size(); ++i) {
            for (const bool copies : {false, true}) {
                QTest::addRow("%s%s", ways()[i].name, copies ? ", by copies" : "")
                    << static_cast<int>(i) << copies;
            }
        }
    }
    void keepsWhatIsDestroyed()
    {
        QFETCH(int, way);
        QFETCH(bool, copies);
        Bench bench(copies ? Bench::Way::Copy : Bench::Way::Take);
        fill(bench.project());
        bench.start();
        ways()[static_cast<std::size_t>(way)].destroy(bench.broker);
        QVERIFY(!difference(bench.before, treeAt(bench.project())).empty());
        QCOMPARE(QString::fromStdString(bench.lost()), QString());
        bench.keeper->seal();
        QVERIFY(bench.changes()->images().isSealed);
        QCOMPARE(QString::fromStdString(bench.lost()), QString());
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
        for (unsigned seed = 1; seed <= 60; ++seed) {
            Bench bench(copies ? Bench::Way::Copy : Bench::Way::Take);
            fill(bench.project());
            bench.start();
            Chaos chaos(bench.broker, seed);
            for (int i = 0; i < 60; ++i) {
                chaos.step();
            }
            QVERIFY(chaos.succeeded() > 5);
            QVERIFY2(bench.lost().empty(), (std::to_string(seed) + ": " + bench.lost()).c_str());
            // What is told of the two trees, applied to the names of one, gives the other's.
            std::set<std::string> names;
            for (const auto& [path, part] : bench.before) {
                names.insert(path);
            }
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
            std::set<std::string> present;
            for (const auto& [path, part] : treeAt(bench.project())) {
                present.insert(path);
            }
            QVERIFY2(names == present, (std::to_string(seed) + '\n' + bench.told()).c_str());
        }
    }

    void tellsChanges()
    {
        Bench bench;
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
        Bench bench;
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

    void saysWhatItDoesNotKeep()
    {
        workspace::PreImageLimits limits;
        limits.largestCopy = 4096;
        limits.budget = 5000;
        Bench bench(Bench::Way::Take, limits);
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
        QVERIFY2(rules.find("not undoable: larger than 0 MiB") != std::string::npos, rules.c_str());
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
        Bench bench;
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
        Bench bench;
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
        Bench bench;
        fill(bench.project());
        bench.start();
        struct rlimit old = {};
        ::getrlimit(RLIMIT_FSIZE, &old);
        const struct rlimit none
        {
            1, old.rlim_max
        };
        ::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &none);
        const int removed = bench.broker.error(call(Operation::Remove, at("x")));
        const int written = bench.broker.error(opening(at("y"), O_WRONLY | O_TRUNC));
        ::setrlimit(RLIMIT_FSIZE, &old);
        QCOMPARE(removed, EPERM);
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
        Bench bench(Bench::Way::Take, {}, {5, std::chrono::seconds(600), 20, 20});
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
