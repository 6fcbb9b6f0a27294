// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/session/undo_bench.h"
#include "tests/engine/workspace/killed_program.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <sys/socket.h>

using namespace revet;
using namespace revet::test;
namespace fs = std::filesystem;

namespace {

/// Each way in which something comes into being, and some in which it does not.
void makeAll(BrokerBench& bench)
{
    const auto make = [&bench](int expected, const Call& made) {
        if (bench.error(made) != expected) {
            ::_exit(1);
        }
    };
    make(0, opening(at("new"), O_CREAT | O_WRONLY, 0600));
    make(EEXIST, opening(at("x"), O_CREAT | O_EXCL | O_WRONLY, 0600));
    make(0, opening(at("c/link"), O_CREAT | O_WRONLY, 0600)); // behind it
    make(0, withMode(Operation::MakeDirectory, at("d"), 0700));
    make(0, opening(at("d/in"), O_CREAT | O_WRONLY, 0600));
    make(EEXIST, withMode(Operation::MakeDirectory, at("a"), 0700));
    make(0, withMode(Operation::MakeNode, at("fifo"), S_IFIFO | 0600));
    make(EEXIST, withMode(Operation::MakeNode, at("y"), S_IFIFO | 0600));
    make(0, symlinking("x", at("s")));
    make(EEXIST, symlinking("x", at("a/y")));
    make(0, twoPaths(Operation::MakeLink, at("new"), at("a/l")));
    make(0, twoPaths(Operation::MakeLink, at("x"), at("a/b/l")));
    make(EEXIST, twoPaths(Operation::MakeLink, at("x"), at("y")));
    make(0, twoPaths(Operation::Rename, at("a/l"), at("moved")));
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    Call binding = call(Operation::BindLocalSocket, at("socket"));
    binding.socket = socket.get();
    make(0, binding);
    make(EADDRINUSE, binding);
    make(0, opening(at("c/z"), O_WRONLY | O_TRUNC)); // of which another name could lie anywhere: made anew
    make(0, withMode(Operation::MakeDirectory, at("c/empty/w"), 0700));
    if (bench.write("c/empty/.git", "gitdir: w\n") != 0) {
        ::_exit(1);
    }
    bench.settle();
}

void removePassingFiles(const fs::path& project)
{
    for (const auto& directory : {project, project / "c", project / "c/empty"}) {
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(directory, none)) {
            if (entry.path().filename().string().starts_with(".revet-")) {
                fs::remove(entry.path());
            }
        }
    }
}

} // namespace

class TestUndoKeeperKill : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // Hundreds of runs that sync: in memory, where that costs nothing.
        if (fs::is_directory("/dev/shm")) {
            qputenv("TMPDIR", "/dev/shm");
        }
    }

    /// Nothing that was made stays and nothing that was there goes, wherever the broker is killed.
    void survivesDeathWhileItMakes()
    {
        int done = 0;
        for (bool isKilled = true; isKilled; ++done) {
            UndoBench bench;
            fill(bench.project());
            bench.start();
            const auto program = [&bench] {
                static_cast<void>(::getppid());
                makeAll(bench.broker);
            };
            const KilledProgram end = runAndKill(program, done);
            isKilled = end.isKilled;
            QVERIFY(isKilled || end.status == 0);
            removePassingFiles(bench.project()); // as the next session does
            QCOMPARE(std::to_string(done) + bench.lost(), std::to_string(done));
            QVERIFY(bench.recover());
            const bool isChanged = !difference(bench.before, treeAt(bench.project())).empty();
            const std::string failure = isChanged ? bench.takeBack() : std::string();
            QCOMPARE(std::to_string(done) + failure, std::to_string(done));
            QCOMPARE(std::to_string(done) + difference(bench.before, treeAt(bench.project())),
                     std::to_string(done));
        }
        QVERIFY(done > 100);
    }
};

QTEST_APPLESS_MAIN(TestUndoKeeperKill)
#include "tst_undo_keeper_kill.moc"
