// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/processes.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>

#include <sys/resource.h>

using namespace revet::test;

namespace {

constexpr int kPatience = 15'000; ///< ms for a session to come up on a busy machine
constexpr int kGrace = 1'000; ///< ms in which all of a session must be gone

/// A `revet run` that goes on beside the test.
class RunningSession
{
public:
    RunningSession(const World& world, const std::string& tier, const std::vector<std::string>& command)
    {
        QProcessEnvironment environment;
        for (const auto& [name, value] : world.home().environment()) {
            environment.insert(QString::fromStdString(name), QString::fromStdString(value));
        }
        m_process.setProcessEnvironment(environment);
        m_process.setWorkingDirectory(QString::fromStdString(world.project()));
        QStringList arguments{QStringLiteral("run"), QStringLiteral("--tier"), QString::fromStdString(tier),
                              QStringLiteral("--")};
        for (const std::string& word : command) {
            arguments << QString::fromStdString(word);
        }
        m_process.start(QString::fromStdString(SessionRunner::program("revet")), arguments);
    }
    ~RunningSession()
    {
        m_process.kill();
        m_process.waitForFinished(kPatience);
    }
    RunningSession(const RunningSession&) = delete;
    RunningSession& operator=(const RunningSession&) = delete;
    RunningSession(RunningSession&&) = delete;
    RunningSession& operator=(RunningSession&&) = delete;

    /// Waits until the victim has said `word`.
    bool says(const char* word)
    {
        while (!m_output.contains(word) && m_process.waitForReadyRead(kPatience)) {
            m_output += m_process.readAllStandardOutput();
        }
        return m_output.contains(word);
    }
    int status()
    {
        m_process.waitForFinished(kPatience);
        return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
    }
    QProcess& process() { return m_process; }
    /// Goes on after `read`: what is to be tried happens under the changed circumstances.
    void goOn() { m_process.write("go\n"); }
    std::string rest()
    {
        m_process.waitForFinished(kPatience);
        m_output += m_process.readAllStandardOutput();
        return m_output.toStdString();
    }
    std::string errors() { return m_process.readAllStandardError().toStdString(); }

private:
    QProcess m_process;
    QByteArray m_output;
};

/// Narrows a limit of a running session from outside, as a full disk or a full table would.
void limitSession(pid_t session, __rlimit_resource what, rlim_t most)
{
    const struct rlimit limit = {most, most};
    if (::prlimit(session, what, &limit, nullptr) != 0) {
        QTest::qFail("cannot limit the session", __FILE__, __LINE__);
    }
}

/// Keeps a box busy, so that there is something to record; ends by itself where nothing stops it.
const char* const kBusy = "echo ready; read go; i=0; while [ $i -lt 4000 ]; do : > made-$i; rm -f made-$i; "
                          "i=$((i+1)); done; echo survived";

std::uintmax_t sizeOf(const std::filesystem::path& file)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    return error ? 0 : size;
}

} // namespace

/// SECURITY.md E017, E078, E099, E100: what is left of a session, however it ends, and what the next one
/// finds.
class EscapeLifecycleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void leavesNothingRunningAfterTheCommand_data() { addTierRows(); }
    void leavesNothingRunningAfterTheCommand()
    {
        const World world;
        const Finished finished = world.deed(fetched("tier"), "outlive", {"leave", "tick"});
        QCOMPARE(finished.out, "ticking\n");
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"create", "write"}, .target = "tick"}));
        verifyGone(world);
    }

    void leavesNothingWhenTheSessionIsKilled_data() { addTierRows(); }
    void leavesNothingWhenTheSessionIsKilled()
    {
        const World world;
        RunningSession session(world, fetched("tier"), {world.victim("outlive"), "stay", "tick"});
        QVERIFY(session.says("ticking"));
        const pid_t pid = sessionProcess(world.home().runtimeDirectory());
        QVERIFY(pid > 0);
        QCOMPARE(::kill(pid, SIGKILL), 0);
        verifyGone(world);
        QCOMPARE(session.status(), 125);
        verifyNextSessionWorks(world);
    }

    void removesWhatAKilledSessionWasPuttingInPlace()
    {
        const World world;
        const std::filesystem::path large = world.home().home() / "large";
        writeFile(large, {});
        std::filesystem::resize_file(large, std::uintmax_t{250} << 20U);
        std::filesystem::create_hard_link(large, world.project() / "linked");
        const auto isSomethingLeft = [&] {
            const std::filesystem::directory_iterator entries(world.project());
            return std::any_of(begin(entries), end(entries), [](const auto& entry) {
                return entry.path().filename().string().starts_with(".revet-");
            });
        };
        bool isLeft = false;
        for (int attempt = 0; attempt < 20 && !isLeft; ++attempt) {
            RunningSession session(world, "sandbox",
                                   {"/bin/sh", "-c", "echo ready; read go; : >> linked; echo done"});
            QVERIFY(session.says("ready"));
            const pid_t pid = sessionProcess(world.home().runtimeDirectory());
            QVERIFY(pid > 0);
            session.goOn();
            while (!isLeft && !session.process().waitForReadyRead(0)
                   && session.process().state() == QProcess::Running) {
                isLeft = isSomethingLeft();
            }
            QCOMPARE(::kill(pid, SIGKILL), 0);
            static_cast<void>(session.rest());
            isLeft = isSomethingLeft();
        }
        if (!isLeft) {
            QSKIP("a copy is made too quickly here to be interrupted");
        }
        // The kernel may take its time with what was killed in the middle of a copy.
        QVERIFY(comesTrue(kPatience, [&] {
            return world.runner().run("sandbox", {"/bin/true"}).status == 0 && !isSomethingLeft();
        }));
        QVERIFY(std::filesystem::equivalent(world.project() / "linked", large));
    }

    void leavesNothingWhenTheClientIsKilled_data() { addTierRows(); }
    void leavesNothingWhenTheClientIsKilled()
    {
        const World world;
        RunningSession session(world, fetched("tier"), {world.victim("outlive"), "stay", "tick"});
        QVERIFY(session.says("ticking"));
        session.process().kill();
        // Without a terminal the session ends with its client: TERM, ten seconds, KILL; the victim is deaf.
        constexpr int kTermPatience = 12'000;
        QVERIFY(comesTrue(kTermPatience, [&] { return processesMentioning(world.project()).empty(); }));
        verifyGone(world);
    }

    void leavesNothingWhenTheClientIsKilledBeforeTheCommandRuns_data() { addTierRows(); }
    void leavesNothingWhenTheClientIsKilledBeforeTheCommandRuns()
    {
        const World world;
        constexpr int kMoments = 30;
        const auto begun = std::chrono::steady_clock::now();
        QCOMPARE(world.runner().run(fetched("tier"), {"/bin/true"}).status, 0);
        const auto start
            = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
        for (int i = 0; i < kMoments; ++i) { // spread over a start, on a slow machine too
            RunningSession session(world, fetched("tier"), {"/bin/sleep", "600"});
            QVERIFY(session.process().waitForStarted(kPatience));
            QTest::qWait(static_cast<int>(start.count() * i / kMoments));
            session.process().kill();
            session.process().waitForFinished(kPatience);
        }
        QVERIFY(comesTrue(kPatience, [&] { return processesMentioning(world.project()).empty(); }));
        verifyGone(world);
        const Finished listed = world.runner().revet({"ps"});
        QVERIFY2(listed.status == 0 && listed.out.find("running") == std::string::npos, listed.out.c_str());
    }

    void leavesNothingWhenStopped_data() { addTierRows(); }
    void leavesNothingWhenStopped()
    {
        const World world;
        RunningSession session(world, fetched("tier"), {world.victim("outlive"), "stay", "tick"});
        QVERIFY(session.says("ticking"));
        const Finished stopped = world.runner().revet({"stop", "--all"});
        QVERIFY2(stopped.status == 0, stopped.err.c_str());
        static_cast<void>(session.status());
        verifyGone(world);
    }

    void endsTheBoxWhenTheJournalIsDeleted_data() { addTierRows(); }
    void endsTheBoxWhenTheJournalIsDeleted()
    {
        const World world;
        RunningSession session(world, fetched("tier"), {"/bin/sh", "-c", kBusy});
        QVERIFY(session.says("ready"));
        world.prepare("rm -f ~/.local/share/revet/sessions/*/journal.db*");
        session.goOn();
        const std::string output = session.rest();
        QCOMPARE(session.status(), 125);
        QVERIFY2(output.find("survived") == std::string::npos, output.c_str());
        const std::string errors = session.errors();
        QVERIFY2(errors.find("journal") != std::string::npos, errors.c_str());
        QVERIFY(comesTrue(kGrace, [&] { return processesMentioning(world.project()).empty(); }));
    }

    void endsTheBoxWhenTheJournalCannotGrow_data() { addTierRows(); }
    void endsTheBoxWhenTheJournalCannotGrow()
    {
        const World world;
        RunningSession session(world, fetched("tier"), {"/bin/sh", "-c", kBusy});
        QVERIFY(session.says("ready"));
        const pid_t pid = sessionProcess(world.home().runtimeDirectory());
        QVERIFY(pid > 0);
        constexpr rlim_t kFull = 4096; // less than there is: the next page does not fit
        limitSession(pid, RLIMIT_FSIZE, kFull);
        session.goOn();
        const std::string output = session.rest();
        QCOMPARE(session.status(), 125);
        QVERIFY2(output.find("survived") == std::string::npos, output.c_str());
        const std::string errors = session.errors();
        QVERIFY2(errors.find("journal") != std::string::npos, errors.c_str());
        QVERIFY(comesTrue(kGrace, [&] { return processesMentioning(world.project()).empty(); }));
    }

    void runsNothingWhereTheJournalCannotBeMade_data() { addTierRows(); }
    void runsNothingWhereTheJournalCannotBeMade()
    {
        const World world;
        QCOMPARE(world.runner().run(fetched("tier"), {"/bin/true"}).status, 0);
        world.prepare("python3 -c 'import sqlite3, sys; "
                      "sqlite3.connect(sys.argv[1]).execute(\"PRAGMA wal_checkpoint(TRUNCATE)\")' "
                      "~/.local/share/revet/catalogue.db");
        // Blocks of 512 bytes: the catalogue's log has room, and the first page of a journal, but not all.
        const Finished finished = world.runner().bare(
            {"/bin/sh", "-c", "ulimit -f 92; exec \"$@\"", "sh", SessionRunner::program("revet"), "run",
             "--tier", fetched("tier"), "--", "/bin/sh", "-c", "echo ran; : > made"});
        QCOMPARE(finished.status, 125);
        QVERIFY2(finished.err.find("journal.db") != std::string::npos, finished.err.c_str());
        QCOMPARE(finished.out, std::string());
        QCOMPARE(differences({}, snapshot(world.project())), "");
    }

    void permitsNothingWithoutDescriptorsOfItsOwn_data() { addTierRows(); }
    void permitsNothingWithoutDescriptorsOfItsOwn()
    {
        const World world;
        RunningSession session(world, fetched("tier"),
                               {"/bin/sh", "-c",
                                "echo ready; read go; echo x > .envrc; echo x > made && echo unseen; "
                                "mkdir .git; echo x > .git/config; mv made moved; exit 7"});
        QVERIFY(session.says("ready"));
        const pid_t pid = sessionProcess(world.home().runtimeDirectory());
        QVERIFY(pid > 0);
        limitSession(pid, RLIMIT_NOFILE, 3);
        session.goOn();
        const std::string output = session.rest();
        // A refusal each, or the end of the box; never a call that nobody could look at.
        QVERIFY2(output.find("unseen") == std::string::npos, output.c_str());
        QVERIFY(session.status() == 7 || session.status() == 125);
        QCOMPARE(differences({}, snapshot(world.project())), "");
    }

    void recordsWhatComesIntoTheLayerHoweverFewDescriptorsItHas_data()
    {
        QTest::addColumn<int>("spare");
        for (int spare = 0; spare < 8; ++spare) {
            QTest::newRow(std::to_string(spare).c_str()) << spare;
        }
    }
    void recordsWhatComesIntoTheLayerHoweverFewDescriptorsItHas()
    {
        QFETCH(const int, spare);
        const World world;
        for (const char* const name : {"lower-1", "lower-2", "lower-3"}) {
            std::filesystem::create_directory(world.project() / name);
        }
        // Processes that are new to the supervisor, since it remembers those that it has looked at.
        RunningSession session(world, "container",
                               {"/bin/sh", "-c",
                                "echo ready; read go; for i in 1 2 3; do (mkdir made-$i); (rmdir lower-$i); "
                                "(: > file-$i); (: > old-$i; mv old-$i new-$i); (ln -s x link-$i); "
                                "done; exit 7"});
        QVERIFY(session.says("ready"));
        const pid_t pid = sessionProcess(world.home().runtimeDirectory());
        QVERIFY(pid > 0);
        const std::filesystem::path records
            = world.home().dataHome() / "revet/sessions" / world.runner().lastSession();
        QVERIFY(comesTrue(kPatience, [&] { return sizeOf(records / "journal.db-wal") > 0; }));
        const std::filesystem::directory_iterator open("/proc/" + std::to_string(pid) + "/fd");
        limitSession(pid, RLIMIT_NOFILE, static_cast<rlim_t>(std::distance(begin(open), end(open)) + spare));
        session.goOn();
        static_cast<void>(session.rest());
        if (session.status() == 125) {
            return; // it could not write its journal either, ended the box and said so
        }
        const std::filesystem::path closed = records / "layer/closed";
        std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
        for (const auto& entry : std::filesystem::directory_iterator(closed / "upper")) {
            REVET_VERIFY_NONE(
                missingEvent(world, {.verdicts = {"contained"}, .target = entry.path().filename().string()}));
        }
    }

    void leavesTheCallersLimitsToTheBox_data() { addTierRows(); }
    void leavesTheCallersLimitsToTheBox()
    {
        const World world;
        const Finished finished
            = world.runner().bare({"/bin/sh", "-c", "ulimit -Sn 200; ulimit -Hn 900; exec \"$@\"", "sh",
                                   SessionRunner::program("revet"), "run", "--tier", fetched("tier"), "--",
                                   "/bin/sh", "-c", "ulimit -Sn; ulimit -Hn; read wait"},
                                  {.input = "x\n"});
        QCOMPARE(finished.out, "200\n900\n");
    }

    void takesAllTheDescriptorsThatItMayHave_data() { addTierRows(); }
    void takesAllTheDescriptorsThatItMayHave()
    {
        const World world;
        struct rlimit own = {};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &own), 0);
        const struct rlimit low = {200, own.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &low), 0);
        RunningSession session(world, fetched("tier"), {"/bin/sh", "-c", "echo ready; read go"});
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &own), 0);
        QVERIFY(session.says("ready"));
        struct rlimit limit = {};
        QCOMPARE(::prlimit(sessionProcess(world.home().runtimeDirectory()), RLIMIT_NOFILE, nullptr, &limit),
                 0);
        QCOMPARE(limit.rlim_cur, limit.rlim_max);
        session.goOn();
        QCOMPARE(session.status(), 0);
    }

    void findsNothingToTamperWith_data() { addTierRows(); }
    void findsNothingToTamperWith()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::string uid = std::to_string(::getuid());
        // What is the box's own: the project, its private home, and places that end with it.
        const Finished finished
            = world.deed(tier, "tamper_session",
                         {world.project(), world.home().home(), "/tmp", "/var/tmp", "/dev/shm", "/dev/pts",
                          "/run", "/run/lock", "/run/user", "/run/user/" + uid, "/dev/null", "/dev/zero",
                          "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", world.home().root()});
        QVERIFY2(finished.status == 1, (finished.out + finished.err).c_str());
        for (const auto& [plant, result] : resultsOf(finished)) {
            QVERIFY2(result != "OK", plant.c_str());
        }
    }

    void confinesTheNextSessionAlikeAfterTampering_data() { addTierRows(); }
    void confinesTheNextSessionAlikeAfterTampering()
    {
        const World world;
        const std::string tier = fetched("tier");
        const Snapshot configuration = snapshot(world.home().home() / ".config");
        const Finished first = world.deed(tier, "show_confinement");
        const Finished tampering = world.runner().runScript(
            tier,
            "mkdir -p ~/.config/revet ~/.local/bin ~/.local/share/revet ~/.config/git; "
            "echo 'tier = \"host\"' > ~/.config/revet/config.toml; "
            "printf '[core]\\n\\tfsmonitor = touch ~/fired\\n' | tee ~/.gitconfig > ~/.config/git/config; "
            "for f in revet revet-session revet-launch git sh ip; do printf '#!/bin/sh\\ntouch ~/fired\\n' > "
            "~/.local/bin/$f; chmod +x ~/.local/bin/$f; done; "
            "echo 'export LD_PRELOAD=/tmp/x.so' | tee ~/.bashrc > ~/.profile; echo 'tier = \"host\"' > "
            ".revet.toml || true");
        QVERIFY2(tampering.status == 0, tampering.err.c_str());
        const Finished second = world.deed(tier, "show_confinement");
        QCOMPARE(withoutNamespaces(second.out), withoutNamespaces(first.out));
        QVERIFY(first.out.find("NoNewPrivs:\t1") != std::string::npos);
        QVERIFY(first.out.find("CapEff:\t0000000000000000") != std::string::npos);
        QVERIFY(first.out.find("CapBnd:\t0000000000000000") != std::string::npos);
        QCOMPARE(differences(configuration, snapshot(world.home().home() / ".config")), "");
        QVERIFY(!std::filesystem::exists(world.home().home() / "fired"));
        QVERIFY(!std::filesystem::exists(world.home().home() / ".bashrc"));
    }

    void confinesTwoSessionsOfOneProjectAlike_data() { addTierRows(); }
    void confinesTwoSessionsOfOneProjectAlike()
    {
        const World world;
        const std::string tier = fetched("tier");
        RunningSession running(world, tier, {"/bin/sh", "-c", "echo ready; sleep 30"});
        QVERIFY(running.says("ready"));
        const Finished second = world.deed(tier, "show_confinement");
        QVERIFY2(second.status == 0, second.err.c_str());
        const Finished others = world.deed(tier, "ptrace_neighbour", {"visible"});
        QCOMPARE(others.out, "visible 2\n");
    }

private:
    static std::string withoutNamespaces(const std::string& text)
    {
        std::string kept;
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = std::min(text.find('\n', start), text.size() - 1);
            const std::string line = text.substr(start, end - start + 1);
            kept += line.rfind("namespace", 0) == 0 ? "" : line;
            start = end + 1;
        }
        return kept;
    }

    /// Within a second: no process, no growth, no mount, no socket; and an ordinary rm can remove it all.
    static void verifyGone(const World& world)
    {
        const std::string project = world.project();
        QVERIFY(comesTrue(kGrace, [&] { return processesMentioning(project + "/victims").empty(); }));
        const std::uintmax_t size = sizeOf(world.project() / "tick");
        QTest::qWait(100);
        QCOMPARE(sizeOf(world.project() / "tick"), size);
        QVERIFY(mountsMentioning(world.home().root()).empty());
        QVERIFY(comesTrue(kGrace, [&] { return sessionProcess(world.home().runtimeDirectory()) == 0; }));
        for (const auto& [path, state] : snapshot(world.project())) {
            QVERIFY2(path.rfind("tick", 0) == 0, ("left behind: " + path).c_str());
        }
        const Finished removed = world.runner().bare(
            {"/bin/sh", "-c", R"(chmod -R u+rwx "$0" && rm -rf "$0")", world.home().dataHome() / "revet"});
        QVERIFY2(removed.status == 0, removed.err.c_str());
    }

    static void verifyNextSessionWorks(const World& world)
    {
        const Finished next = world.runner().run("sandbox", {"/bin/echo", "alive"});
        QVERIFY2(next.out == "alive\n", next.err.c_str());
    }
};

QTEST_APPLESS_MAIN(EscapeLifecycleTest)
#include "tst_escape_lifecycle.moc"
