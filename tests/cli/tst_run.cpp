// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <chrono>
#include <filesystem>
#include <random>

using namespace revet::test;

namespace {

std::string revetRun(const std::string& tier)
{
    return SessionRunner::program("revet") + " run --tier " + tier + " -- ";
}

/// A line of bash, with "BOX" for `revet run` in one of the two runs and for nothing in the other.
struct Pair
{
    Finished bare;
    Finished box;
};

Pair bothWays(const World& world, const std::string& tier, const std::string& script,
              const RunOptions& options = {})
{
    const auto with = [&](const std::string& prefix) {
        std::string text = script;
        for (std::size_t at = 0; (at = text.find("BOX ", at)) != std::string::npos; at += prefix.size()) {
            text.replace(at, 4, prefix);
        }
        return world.runner().bare({"/bin/bash", "-c", text}, options);
    };
    return {with(""), with(revetRun(tier))};
}

} // namespace

/// `revet run` behaves as the command itself: in scripts, in pipelines, with its streams.
class RunTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void endsWithTheCommandsStatus_data()
    {
        QTest::addColumn<QString>("tier");
        QTest::addColumn<QString>("command");
        QTest::addColumn<int>("status");
        for (const char* const tier : {"sandbox", "container"}) {
            const auto row = [tier](const char* command, int status) {
                QTest::addRow("%s %s", tier, command)
                    << QString::fromLatin1(tier) << QString::fromLatin1(command) << status;
            };
            row("true", 0);
            row("sh -c 'exit 3'", 3);
            row("sh -c 'exit 255'", 255);
            row("./not-executable", 126);
            row("/usr", 126);
            row("./missing", 127);
            row("no-such-program", 127);
            row("sh -c 'kill -TERM $$'", 128 + 15);
            row("sh -c 'kill -KILL $$'", 128 + 9);
            row("sh -c 'kill -SEGV $$'", 128 + 11);
        }
    }
    void endsWithTheCommandsStatus()
    {
        QFETCH(int, status);
        const World world;
        writeFile(world.project() / "not-executable", "text");
        const Pair pair = bothWays(world, fetched("tier"), "BOX " + fetched("command") + "; exit $?");
        QCOMPARE(pair.bare.status, status);
        QVERIFY2(pair.box.status == status, pair.box.err.c_str());
    }

    void refusesNonsenseWithItsOwnStatus()
    {
        const World world;
        QCOMPARE(world.runner().revet({"run"}).status, 125);
        QCOMPARE(world.runner().revet({"run", "--no-such-option", "--", "true"}).status, 125);
        const Finished notBuilt = world.runner().run("vm", {"true"});
        QCOMPARE(notBuilt.status, 125);
        QVERIFY2(notBuilt.err.rfind("revet: ", 0) == 0 && notBuilt.err.find("; ") != std::string::npos,
                 notBuilt.err.c_str());
    }

    void keepsOutputAndErrorsApart_data() { addTierRows(); }
    void keepsOutputAndErrorsApart()
    {
        const World world;
        const Finished finished
            = world.runner().runScript(fetched("tier"), "echo out; echo err >&2; echo out again");
        QCOMPARE(finished.out, "out\nout again\n");
        QVERIFY2(finished.err.rfind("err\n", 0) == 0, finished.err.c_str());
        // One summary line, with the id that the listings take.
        QCOMPARE(std::count(finished.err.begin(), finished.err.end(), '\n'), 2L);
        QVERIFY(finished.err.find(world.runner().lastSession()) != std::string::npos);
    }

    void countsWhatMetAWall_data() { addTierRows(); }
    void countsWhatMetAWall()
    {
        const World world;
        writeFile(world.home().home() / "secret", "s");
        writeFile(world.project() / ".env", "KEY=1"); // hidden, but nothing asks for it
        const std::string secret = world.home().home() / "secret";
        const Finished walls = world.runner().runScript(
            fetched("tier"), "cat " + secret + "; bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'");
        QVERIFY2(walls.err.find(" events, 1 denied, 1 withheld, reached: ") != std::string::npos,
                 walls.err.c_str());
        for (const std::string verdict : {"denied", "withheld"}) {
            const auto rows = matching(world.runner().lastEvents(), {{"verdict", verdict}});
            QCOMPARE(rows.size(), verdict == "denied" ? std::size_t{1} : std::size_t{2});
        }
        const Finished none = world.runner().run(fetched("tier"), {"true"});
        QVERIFY2(none.err.find(" events, reached: ") != std::string::npos, none.err.c_str());
    }

    void behavesInAScript_data()
    {
        addTierRows(
            "script",
            {
                "BOX yes | head -1; echo ${PIPESTATUS[0]}",
                "BOX yes | head -c 20000000 | md5sum",
                "BOX seq 200000 | BOX tail -1",
                "BOX cat < /dev/null; echo $?",
                "printf 'a\\nb\\nc\\n' > list; while read -r line; do BOX echo $line; done < list",
                "printf 'a\\nb\\nc\\n' > list; (BOX true; read -r line; echo $line) < list; rm list",
                "BOX sh -c 'cat 2>/dev/null; echo over' <&-",
                "BOX sh -c 'echo lost; echo kept >&2' 2>&1 >&- | grep -o kept",
                "BOX sh -c 'echo lost >&2; echo kept' 2>&-",
                "BOX sh -c 'echo lost; echo inner $? >&2' 2>&1 >&- | grep inner",
                "BOX sh -c 'echo lost >&2; echo inner $?' 2>&-",
                "BOX sh -c 'cat; echo inner $?' <&- 2>/dev/null",
                "BOX sh -c 'cat; echo inner $?' <&- 2>&- >&-; echo $?",
                "BOX sh -c 'sleep 0.3; echo background' & wait $!; echo $?",
                "BOX sh -c 'exit 4' & wait $!; echo $?",
                "seq 6 | xargs -P 4 -I{} BOX true; echo $?",
                "seq 3 | xargs -P 3 -I{} BOX sh -c 'exit 1'; echo $?",
                "printf 'all: a b c\\na b c:\\n\\t@BOX echo made\\n' > Makefile; make -s -j 3; rm Makefile",
                "BOX sh -c 'for n in 1 2 3 4 5; do echo out $n; echo err $n >&2; done' 2>&1 | grep -v ^revet",
                "BOX sh -c 'for n in 1 2 3; do echo out; echo err >&2; done' > both 2>&1; head -6 both",
                "BOX sh -c 'echo out; echo err >&2' > one 2> two; head -1 one two",
                "timeout 3 BOX sleep 60; echo $?",
                // It tells its child and then its group, so the signal may come twice.
                "timeout -s INT 3 BOX sh -c 'trap \"trap : INT; echo caught; exit 9\" INT; sleep 60 & wait'; "
                "echo $?",
                "trap '' INT QUIT USR1; BOX sh -c 'kill -INT $$; kill -QUIT $$; kill -USR1 $$; echo alive'",
                "nohup BOX sh -c 'kill -HUP $$; echo alive' 2>/dev/null",
                "x=$(BOX printf '\\0\\1binary' | od -c); echo \"$x\"",
                "BOX sh -c 'echo to-tty > /dev/tty' 2>/dev/null; echo $?",
                "BOX env -i sh -c 'ulimit -n; ulimit -c; nice; umask'",
                "umask 027; BOX sh -c 'umask'; (ulimit -n 99; BOX sh -c 'ulimit -n')",
            });
    }
    void behavesInAScript()
    {
        const World world;
        RunOptions options;
        options.timeout = std::chrono::minutes(2);
        const Pair pair = bothWays(world, fetched("tier"), fetched("script"), options);
        QVERIFY(!pair.bare.timedOut);
        QVERIFY2(!pair.box.timedOut, pair.box.err.c_str());
        QVERIFY2(pair.box.out == pair.bare.out,
                 ("bare: " + pair.bare.out + "box: " + pair.box.out + pair.box.err).c_str());
        QCOMPARE(pair.box.status, pair.bare.status);
    }

    void failsWhereItsOutputCannotBeWritten_data() { addTierRows(); }
    void failsWhereItsOutputCannotBeWritten()
    {
        const World world;
        const Pair pair = bothWays(world, fetched("tier"), "BOX echo lost > /dev/full");
        QVERIFY(pair.bare.status != 0);
        QVERIFY2(pair.box.status == 125, pair.box.err.c_str());
        QVERIFY2(pair.box.err.rfind("revet: write the command's output: ", 0) == 0, pair.box.err.c_str());
    }

    void carriesAMebibyteOfBytesBothWays_data() { addTierRows(); }
    void carriesAMebibyteOfBytesBothWays()
    {
        const World world;
        std::mt19937 random(1); // NOLINT(cert-msc51-cpp,cert-msc32-c): the same bytes in every run
        RunOptions options;
        options.input.resize(1024 * 1024);
        for (char& byte : options.input) {
            byte = static_cast<char>(random());
        }
        const Finished finished = world.runner().run(fetched("tier"), {"cat"}, {}, options);
        QCOMPARE(finished.status, 0);
        QVERIFY2(finished.out == options.input, std::to_string(finished.out.size()).c_str());
    }

    void runsSeveralSessionsOfOneProjectAtOnce_data() { addTierRows(); }
    void runsSeveralSessionsOfOneProjectAtOnce()
    {
        const World world;
        const Finished finished = world.runner().bare(
            {"/bin/bash", "-c",
             "for n in 1 2 3 4; do " + revetRun(fetched("tier"))
                 + "sh -c \"sleep 0.5; echo $n > file-$n; cat file-$n\" 2>/dev/null & done; wait"},
            {.timeout = std::chrono::minutes(2)});
        std::string lines = finished.out;
        std::sort(lines.begin(), lines.end());
        QCOMPARE(lines, "\n\n\n\n1234");
        QCOMPARE(matching(world.runner().list({"ps", "--all"}), {{"status", 0}}).size(), std::size_t{4});
        QCOMPARE(std::filesystem::exists(world.project() / "file-1"), fetched("tier") == "sandbox");
    }
};

QTEST_APPLESS_MAIN(RunTest)
#include "tst_run.moc"
