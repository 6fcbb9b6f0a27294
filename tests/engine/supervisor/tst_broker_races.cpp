// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/shared_turn.h"
#include "tests/engine/supervisor/broker_bench.h"

#include <QTest>

#include <atomic>
#include <optional>
#include <thread>

#include <fcntl.h>

using namespace revet;
using namespace revet::test;
namespace fs = std::filesystem;

namespace {

/// Exchanges two names without rest, behind the broker's back.
class Swapper
{
public:
    Swapper(fs::path one, fs::path other)
        : m_thread([this, one = std::move(one), other = std::move(other)] {
            while (!m_stop) {
                ::syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
            }
        })
    {
    }
    ~Swapper()
    {
        m_stop = true;
        m_thread.join();
    }
    Swapper(const Swapper&) = delete;
    Swapper& operator=(const Swapper&) = delete;
    Swapper(Swapper&&) = delete;
    Swapper& operator=(Swapper&&) = delete;

private:
    std::atomic<bool> m_stop{false};
    std::thread m_thread;
};

constexpr int kRounds = 400;
constexpr int kSamples = 40;

std::vector<supervisor::TurnLock> locks(const BrokerBench& bench, bool isExclusive)
{
    const std::string path = bench.outside() / "turns";
    std::vector<supervisor::TurnLock> made;
    made.push_back({UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)), isExclusive});
    return made;
}

} // namespace

class TestBrokerRaces : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void neverLeavesTheProjectThroughALinkThatComesAndGoes()
    {
        BrokerBench bench;
        const fs::path victim = bench.outside() / "victim";
        writeFile(victim / "f", "theirs");
        fs::create_directory(bench.project() / "d");
        writeFile(bench.project() / "d/f", "own");
        fs::create_directory_symlink(victim, bench.project() / "l");
        const Swapper swapper(bench.project() / "d", bench.project() / "l");
        int done = 0;
        for (int i = 0; i < kRounds; ++i) {
            done += bench.write("d/f", "x") == 0 ? 1 : 0;
            static_cast<void>(bench.write("d/new", "x"));
            static_cast<void>(bench.error(withMode(Operation::MakeDirectory, at("d/dir"), 0700)));
            static_cast<void>(bench.error(call(Operation::RemoveDirectory, at("d/dir"))));
            static_cast<void>(bench.error(withMode(Operation::ChangeMode, at("d/f"), 0600)));
            static_cast<void>(bench.error(twoPaths(Operation::Rename, at("d/new"), at("d/newer"))));
            static_cast<void>(bench.error(call(Operation::Remove, at("d/newer"))));
        }
        QVERIFY(done > 0);
        QCOMPARE(readFile(victim / "f"), std::string("theirs"));
        QCOMPARE(fs::status(victim / "f").permissions(), fs::perms(0644));
        QCOMPARE(std::distance(fs::directory_iterator(victim), fs::directory_iterator()), 1);
    }

    void neverWritesAProtectedNameThroughALinkThatComesAndGoes()
    {
        BrokerBench bench;
        const fs::path hooks = bench.project() / ".git/hooks";
        writeFile(hooks / "pre-commit", "host");
        writeFile(bench.project() / "d/pre-commit", "own");
        fs::create_directory_symlink(".git/hooks", bench.project() / "l");
        const Swapper swapper(bench.project() / "d", bench.project() / "l");
        int refused = 0;
        for (int i = 0; i < kRounds; ++i) {
            refused += bench.write("d/pre-commit", "evil") == EACCES ? 1 : 0;
            static_cast<void>(bench.write("d/post-commit", "evil"));
            static_cast<void>(
                bench.error(twoPaths(Operation::Rename, at("d/post-commit"), at("d/pre-push"))));
            static_cast<void>(bench.error(twoPaths(Operation::MakeLink, at("d/pre-push"), at("d/update"))));
            static_cast<void>(bench.error(symlinking("/tmp/x", at("d/post-merge"))));
            static_cast<void>(bench.error(call(Operation::Remove, at("d/post-merge"))));
        }
        QVERIFY(refused > 0);
        QCOMPARE(readFile(hooks / "pre-commit"), std::string("host"));
        QCOMPARE(std::distance(fs::directory_iterator(hooks), fs::directory_iterator()), 1);
    }

    void takesTurnsBetweenThreads()
    {
        BrokerBench bench;
        // One makes the shape of a repository and undoes it, another writes what would run in one.
        fs::create_directories(bench.project() / "b/objects");
        fs::create_directories(bench.project() / "b/refs");
        std::atomic<bool> stop{false};
        std::thread other([&] {
            while (!stop) {
                static_cast<void>(bench.write("b/config", "[core]\n\tfsmonitor = evil\n"));
                static_cast<void>(bench.error(call(Operation::Remove, at("b/config"))));
            }
        });
        int both = 0;
        for (int i = 0; i < kRounds; ++i) {
            if (bench.write("b/HEAD", "ref: x\n") == 0) {
                std::error_code ignored;
                both += fs::file_size(bench.project() / "b/config", ignored) > 0 && !ignored ? 1 : 0;
                static_cast<void>(bench.error(call(Operation::Remove, at("b/HEAD"))));
            }
        }
        stop = true;
        other.join();
        QCOMPARE(both, 0);
    }

    void takesTurnsBetweenSessions()
    {
        BrokerBench bench;
        BrokerBench other;
        bench.share(bench.project(), locks(bench, true));
        other.share(bench.project(), locks(bench, true));
        // One makes a directory a repository, which is looked through first; the other makes a hook in it.
        for (int i = 0; i < kSamples; ++i) {
            writeFile(bench.project() / "d/hooks" / (std::to_string(i) + ".sample"), "x");
        }
        std::atomic<bool> stop{false};
        std::thread hooks([&] {
            while (!stop) {
                static_cast<void>(other.write("d/hooks/post-commit", "evil"));
                static_cast<void>(other.error(call(Operation::Remove, at("d/hooks/post-commit"))));
            }
        });
        int both = 0;
        int done = 0;
        constexpr int kMostRounds = 100 * kRounds; // the hook may be there every time, on a busy machine
        for (int i = 0; i < kRounds || (done == 0 && i < kMostRounds); ++i) {
            if (bench.error(twoPaths(Operation::Rename, at("d"), at(".git"))) == 0) {
                ++done;
                both += fs::exists(bench.project() / ".git/hooks/post-commit") ? 1 : 0;
                fs::rename(bench.project() / ".git", bench.project() / "d");
            }
        }
        stop = true;
        hooks.join();
        QVERIFY(done > 0);
        QCOMPARE(both, 0);
    }

    void waitsForNobodyForEver()
    {
        BrokerBench bench;
        bench.share(bench.project(), locks(bench, true));
        // One with a root inside of ours, which was stopped in its turn.
        const std::vector<supervisor::TurnLock> nested = locks(bench, false);
        std::optional<supervisor::SharedTurn> turn(nested);
        QVERIFY(turn->isHeld());
        QCOMPARE(bench.write("file", "x"), EPERM);
        QVERIFY(!fs::exists(bench.project() / "file"));
        turn.reset();
        QCOMPARE(bench.write("file", "x"), 0);
    }
};

QTEST_APPLESS_MAIN(TestBrokerRaces)
#include "tst_broker_races.moc"
