// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/pty_program.h"
#include "tests/integration/processes.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <csignal>

using namespace revet::test;

namespace {

/// Sessions of a terminal outlive it, and so a test that has failed.
class TerminalWorld : public World
{
public:
    TerminalWorld() = default;
    ~TerminalWorld() { static_cast<void>(runner().revet({"stop", "--all", "--force"})); }
    TerminalWorld(const TerminalWorld&) = delete;
    TerminalWorld& operator=(const TerminalWorld&) = delete;
    TerminalWorld(TerminalWorld&&) = delete;
    TerminalWorld& operator=(TerminalWorld&&) = delete;
};

std::vector<std::string> inBox(const std::string& tier, const std::vector<std::string>& command)
{
    std::vector<std::string> words{SessionRunner::program("revet"), "run", "--tier", tier, "--"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

std::string lineOf(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words) {
        line += '\'' + word + "' ";
    }
    return line + '\n';
}

std::vector<std::string> shell()
{
    return {"/bin/bash", "--norc", "-i"};
}

/// How long each of `count` keys takes to come back from a program that echoes, sorted.
std::vector<std::chrono::microseconds> echoTimes(PtyProgram& program, int count)
{
    std::vector<std::chrono::microseconds> times;
    for (int i = 0; i < count; ++i) {
        const std::string key(1, static_cast<char>('a' + i % 26));
        const auto start = std::chrono::steady_clock::now();
        program.type(key);
        if (!program.shows(key)) {
            return {};
        }
        times.push_back(
            std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start));
        QTest::qSleep(5); // as a person types: the way must be woken up each time
    }
    std::sort(times.begin(), times.end());
    return times;
}

/// Echoes keys one by one, as an editor does.
const std::vector<std::string> kEchoing{"/bin/bash", "-c", "stty raw -echo; echo ready; exec cat"};

} // namespace

/// On a terminal `revet run` is the command itself: keys, signals, job control, size, and the terminal's end.
class RunTerminalTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void tellsTheTerminalsSizeAndItsChanges_data() { addTierRows(); }
    void tellsTheTerminalsSizeAndItsChanges()
    {
        const TerminalWorld world;
        PtyProgram program(
            world.home(),
            inBox(fetched("tier"),
                  {"/bin/bash", "-c",
                   "stty size; trap 'stty size; exit 7' WINCH; echo ready; for i in {1..600}; do "
                   "sleep 0.05; done"}));
        QVERIFY2(program.shows("24 80"), program.output().c_str());
        QVERIFY(program.shows("ready"));
        program.resize(30, 101);
        QVERIFY2(program.shows("30 101"), program.output().c_str());
        QCOMPARE(program.status(), std::optional<int>(7));
    }

    void listsWhatItLeaves_data() { addTierRows(); }
    void listsWhatItLeaves()
    {
        const TerminalWorld world;
        PtyProgram program(
            world.home(),
            inBox(
                fetched("tier"),
                {"/bin/bash", "-c",
                 "for i in {1..40}; do echo > a-file-with-quite-a-name-$i; done; touch $'0\\e[31mred'; "
                 "git init -q sub; echo '{\"scripts\": {\"test\": \"x\"}}' > package.json; mkdir ~/.config; "
                 "echo > ~/.config/mine; echo > /tmp/scratch; rm /tmp/scratch; echo > /tmp/left"}));
        QCOMPARE(program.status(), std::optional<int>(0));
        const std::string& shown = program.output();
        const bool isDirect = fetched("tier") == "sandbox";
        for (const std::string& line :
             {std::string("changed: 0\\x1B[31mred, a-file-with-quite-a-name-1 and 40 more"),
              std::string(isDirect ? "the host runs later" : "held back") + ": package.json (scripts.test)",
              std::string("new repositories: sub/.git"),
              std::string("kept in the private home: ").append(world.home().home() / ".config/mine"),
              std::string("gone with the box: /tmp/left")}) {
            QVERIFY2(shown.find(line + "\r\n") != std::string::npos, (line + '\n' + shown).c_str());
        }
    }

    void endsTheCommandByTheInterruptKey_data() { addTierRows(); }
    void endsTheCommandByTheInterruptKey()
    {
        const TerminalWorld world;
        PtyProgram program(world.home(),
                           inBox(fetched("tier"), {"/bin/sh", "-c", "echo ready; exec sleep 100"}));
        QVERIFY2(program.shows("ready"), program.output().c_str());
        program.type("\x03");
        QCOMPARE(program.status(), std::optional<int>(128 + SIGINT));
    }

    void letsTheCommandHandleTheInterruptKey_data() { addTierRows(); }
    void letsTheCommandHandleTheInterruptKey()
    {
        const TerminalWorld world;
        PtyProgram program(
            world.home(),
            inBox(fetched("tier"),
                  // Not one long sleep: a signal just before it starts would have to wait for its end.
                  {"/bin/bash", "-c",
                   "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.1; done"}));
        QVERIFY2(program.shows("ready"), program.output().c_str());
        program.type("\x03");
        QVERIFY(program.shows("caught"));
        QCOMPARE(program.status(), std::optional<int>(5));
    }

    void endsTheInputByItsKey_data() { addTierRows(); }
    void endsTheInputByItsKey()
    {
        const TerminalWorld world;
        PtyProgram program(world.home(),
                           inBox(fetched("tier"), {"/bin/sh", "-c", "echo ready; cat; exit 6"}));
        QVERIFY2(program.shows("ready"), program.output().c_str());
        program.type("line\n\x04");
        QVERIFY(program.shows("line\r\nline\r\n"));
        QCOMPARE(program.status(), std::optional<int>(6));
    }

    void stopsAndGoesOnAsAJobOfTheShell_data() { addTierRows(); }
    void stopsAndGoesOnAsAJobOfTheShell()
    {
        const TerminalWorld world;
        PtyProgram program(world.home(), shell());
        QVERIFY(program.shows("> "));
        program.type(lineOf(inBox(fetched("tier"), {"/bin/sh", "-c", "echo rea''dy; cat; echo en''ded"})));
        QVERIFY2(program.shows("ready"), program.output().c_str());
        // Once cat runs: a shell that waits for its vfork child to exec cannot stop, in a box or outside.
        program.type("first\n");
        QVERIFY2(program.shows("first\r\nfirst\r\n"), program.output().c_str());
        program.type("\x1a");
        QVERIFY2(program.shows("Stopped"), program.output().c_str());
        QVERIFY(program.shows("> "));
        program.type("jobs | grep -c Stop''ped; stty -a | grep -o ' icanon'\n");
        // The shell has its terminal back as it was.
        QVERIFY2(program.shows("1\r\n icanon"), program.output().c_str());
        program.type("fg\n");
        program.type("once more\n");
        QVERIFY2(program.shows("once more\r\nonce more\r\n"), program.output().c_str());
        program.type("\x04");
        QVERIFY2(program.shows("ended"), program.output().c_str());
        QVERIFY(program.shows("> ")); // keys typed ahead would be the box's
        program.type("exit 3\n");
        QCOMPARE(program.status(), std::optional<int>(3));
    }

    void runsInTheBackgroundWithoutTakingTheKeys_data() { addTierRows(); }
    void runsInTheBackgroundWithoutTakingTheKeys()
    {
        const TerminalWorld world;
        PtyProgram program(world.home(), shell());
        QVERIFY(program.shows("> "));
        std::string line
            = lineOf(inBox(fetched("tier"), {"/bin/sh", "-c", "sleep 1; echo in-the-back''ground"}));
        line.insert(line.size() - 1, "&");
        program.type(line);
        program.type("echo for''eground\n");
        QVERIFY2(program.shows("foreground"), program.output().c_str());
        QVERIFY2(program.shows("in-the-background"), program.output().c_str());
        program.type("wait; exit 0\n");
        QCOMPARE(program.status(), std::optional<int>(0));
    }

    void goesOnWhenItsTerminalVanishesAndCanBeStopped_data() { addTierRows(); }
    void goesOnWhenItsTerminalVanishesAndCanBeStopped()
    {
        const TerminalWorld world;
        const std::string mark = world.project() / "mark";
        PtyProgram program(
            world.home(),
            inBox(fetched("tier"),
                  {"/bin/bash", "-c",
                   "trap '' HUP; echo ready; while :; do sleep 0.1; echo tick; done # " + mark}));
        QVERIFY2(program.shows("tick"), program.output().c_str());
        program.vanish();
        QVERIFY(program.status().has_value());
        QTest::qWait(1000); // longer than any of its ends would take
        QCOMPARE(world.runner().list({"ps"}).size(), std::size_t{1});
        QVERIFY(!processesMentioning(mark).empty());
        const Finished stopped = world.runner().revet({"stop"});
        QVERIFY2(stopped.status == 0, stopped.err.c_str());
        QVERIFY(comesTrue(1000, [&] { return processesMentioning(mark).empty(); }));
    }

    void showsThreeLinesBeforeAndOneAfter_data() { addTierRows(); }
    void showsThreeLinesBeforeAndOneAfter()
    {
        const TerminalWorld world;
        PtyProgram program(world.home(), inBox(fetched("tier"), {"/bin/echo", "said"}));
        QCOMPARE(program.status(), std::optional<int>(0));
        const std::string& shown = program.output();
        const std::size_t said = shown.find("said\r\n");
        QVERIFY2(said != std::string::npos, shown.c_str());
        QCOMPARE(std::count(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(said), '\n'), 3L);
        QCOMPARE(std::count(shown.begin() + static_cast<std::ptrdiff_t>(said), shown.end(), '\n'), 2L);
    }

    void asksForTheTierOnceAtTheFirstRun_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<QString>("tier");
        QTest::addRow("Enter") << QStringLiteral("\n") << QStringLiteral("sandbox");
        QTest::addRow("a letter") << QStringLiteral("c\n") << QStringLiteral("container");
        QTest::addRow("a slip, a word")
            << QStringLiteral("boxes\ncontainer\n") << QStringLiteral("container");
    }
    void asksForTheTierOnceAtTheFirstRun()
    {
        const TerminalWorld world;
        const std::vector<std::string> command{SessionRunner::program("revet"), "run", "--", "/bin/cat"};
        PtyProgram first(world.home(), command);
        QVERIFY2(first.shows("[sandbox]: "), first.output().c_str());
        first.type(fetched("answer"));
        QVERIFY2(first.shows(": " + fetched("tier") + " ("), first.output().c_str());
        first.type("typed\n"); // what follows the answer is the command's
        QVERIFY2(first.shows("see 'revet log"), first.output().c_str());
        QVERIFY2(first.shows("typed\r\ntyped\r\n"), first.output().c_str());
        // Not typed ahead: a terminal that goes from lines to raw makes a zero byte of it.
        first.type("\x04");
        QCOMPARE(first.status(), std::optional<int>(0));
        const auto settings = matching(world.runner().list({"project"}), {{"key", "tier"}});
        QCOMPARE(settings.size(), std::size_t{1});
        QCOMPARE(settings[0].value("value", ""), fetched("tier"));
        PtyProgram second(world.home(), command);
        QVERIFY2(second.shows(": " + fetched("tier") + " ("), second.output().c_str());
        QVERIFY2(second.output().find("]: ") == std::string::npos, second.output().c_str());
    }

    void runsNothingWithoutAnAnswer()
    {
        for (const auto& [keys, status] : std::vector<std::pair<std::string, int>>{
                 {"\x04", 125}, {"\x03", 128 + SIGINT}, {"a\nb\nd\n", 125}}) {
            const TerminalWorld world;
            PtyProgram program(world.home(), {SessionRunner::program("revet"), "run", "--", "/bin/true"});
            QVERIFY2(program.shows("[sandbox]: "), program.output().c_str());
            program.type(keys);
            QCOMPARE(program.status(), std::optional<int>(status));
            QVERIFY(world.runner().list({"ps", "--all"}).empty());
        }
    }

    void asksNobodyInAScriptOrInTheBackground()
    {
        const TerminalWorld world;
        QCOMPARE(world.runner().revet({"run", "--", "/bin/true"}).status, 0);
        PtyProgram program(world.home(), shell());
        QVERIFY(program.shows("> "));
        program.type(SessionRunner::program("revet") + " run -- /bin/true & wait $!; echo sta''tus $?\n");
        QVERIFY2(program.shows("status 0"), program.output().c_str());
        QVERIFY2(program.output().find("]: ") == std::string::npos, program.output().c_str());
        const auto sessions = world.runner().list({"ps", "--all"});
        QCOMPARE(matching(sessions, {{"tier", "container"}}).size(), std::size_t{2});
        QVERIFY(matching(world.runner().list({"project"}), {{"key", "tier"}}).empty());
    }

    void echoesKeysSoonEnough_data() { addTierRows(); }
    void echoesKeysSoonEnough()
    {
        constexpr int kKeys = 300;
        const TerminalWorld world;
        PtyProgram bare(world.home(), kEchoing);
        QVERIFY(bare.shows("ready"));
        PtyProgram box(world.home(), inBox(fetched("tier"), kEchoing));
        QVERIFY2(box.shows("ready"), box.output().c_str());
        const auto without = echoTimes(bare, kKeys);
        const auto with = echoTimes(box, kKeys);
        QCOMPARE(without.size(), std::size_t{kKeys});
        QCOMPARE(with.size(), std::size_t{kKeys});
        // Told, not judged: how soon depends on who else uses the machine.
        const auto at = [](const auto& times, std::size_t percent) {
            return static_cast<long>(times.at(times.size() * percent / 100).count());
        };
        qInfo("key echo, us: bare p50 %ld p99 %ld, box p50 %ld p99 %ld", at(without, 50), at(without, 99),
              at(with, 50), at(with, 99));
    }
};

QTEST_APPLESS_MAIN(RunTerminalTest)
#include "tst_run_terminal.moc"
