// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/processes.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

constexpr int kPatience = 30'000; ///< ms for a session to come up on a busy machine
constexpr int kGrace = 1'000; ///< ms in which all of a session must be gone

/// `revet run` without a terminal, beside the test; ready when the command has said so.
class Beside
{
public:
    Beside(const World& world, const std::string& tier, const std::string& script)
    {
        QProcessEnvironment environment;
        for (const auto& [name, value] : world.home().environment()) {
            environment.insert(QString::fromStdString(name), QString::fromStdString(value));
        }
        m_process.setProcessEnvironment(environment);
        m_process.setWorkingDirectory(QString::fromStdString(world.project()));
        m_process.start(QString::fromStdString(SessionRunner::program("revet")),
                        {QStringLiteral("run"), QStringLiteral("--tier"), QString::fromStdString(tier),
                         QStringLiteral("--"), QStringLiteral("/bin/bash"), QStringLiteral("-c"),
                         QString::fromStdString(script + " # " + world.project().string())});
    }
    bool says(const QByteArray& text)
    {
        while (!m_output.contains(text) && m_process.waitForReadyRead(kPatience)) {
            m_output += m_process.readAllStandardOutput();
        }
        return m_output.contains(text);
    }
    int status()
    {
        const bool ended = m_process.state() == QProcess::NotRunning || m_process.waitForFinished(kPatience);
        m_output += m_process.readAllStandardOutput();
        return ended && m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
    }
    [[nodiscard]] pid_t pid() const { return static_cast<pid_t>(m_process.processId()); }
    [[nodiscard]] const QByteArray& output() const { return m_output; }
    void kill() { m_process.kill(); }

private:
    QProcess m_process;
    QByteArray m_output;
};

/// The children of all threads of a process.
std::vector<pid_t> childrenOf(pid_t pid)
{
    std::vector<pid_t> children;
    std::error_code error;
    for (const fs::directory_entry& task :
         fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
        std::ifstream stream(task.path() / "children");
        for (pid_t child = 0; stream >> child;) {
            children.push_back(child);
        }
    }
    return children;
}

/// Within a second: no process, mount, socket; and what is left can be removed by anybody's rm.
std::string whatIsLeft(const World& world)
{
    const std::string root = world.home().root();
    if (!comesTrue(kGrace, [&] { return processesMentioning(root).empty(); })) {
        return "a process";
    }
    if (!comesTrue(kGrace, [&] { return sessionProcess(world.home().runtimeDirectory()) == 0; })) {
        return "a session that listens";
    }
    if (!mountsMentioning(root).empty()) {
        return "a mount: " + mountsMentioning(root).front();
    }
    // Once more while the journal is still being closed: its log goes just then.
    std::string left;
    const bool isRemoved = comesTrue(kGrace, [&] {
        const std::string script = "chmod -R u+rwx \"$0\" && rm -rf \"$0\"";
        left = world.runner().bare({"/bin/sh", "-c", script, world.home().dataHome() / "revet"}).err;
        return left.empty();
    });
    return isRemoved ? "" : left;
}

} // namespace

/// How a session without a terminal ends, by whatever end: the command is told, and nothing stays.
class RunEndTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void leavesNothingBehind_data() { addTierRows(); }
    void leavesNothingBehind()
    {
        const World world;
        QCOMPARE(world.runner()
                     .runScript(fetched("tier"), "mkdir -m 000 closed; touch file; setsid sleep 300 & :")
                     .status,
                 0);
        REVET_VERIFY_NONE(whatIsLeft(world));
        std::vector<std::string> sockets;
        for (const auto& entry : fs::recursive_directory_iterator(world.home().runtimeDirectory())) {
            if (entry.is_socket()) {
                sockets.push_back(entry.path());
            }
        }
        QVERIFY2(sockets.empty(), sockets.empty() ? "" : sockets.front().c_str());
    }

    void passesSignalsOn_data() { addTierRows("signal", {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2"}); }
    void passesSignalsOn()
    {
        const World world;
        const std::string name = fetched("signal");
        Beside run(world, fetched("tier"),
                   "trap 'echo caught; exit 9' " + name + "; echo ready; while :; do sleep 0.05; done");
        QVERIFY(run.says("ready"));
        const std::map<std::string, int> numbers{{"TERM", SIGTERM}, {"INT", SIGINT},   {"HUP", SIGHUP},
                                                 {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
        QCOMPARE(::kill(run.pid(), numbers.at(name)), 0);
        QVERIFY(run.says("caught"));
        QCOMPARE(run.status(), 9);
        REVET_VERIFY_NONE(whatIsLeft(world));
    }

    void endsByASignalThatItsCommandDoesNotHandle_data() { addTierRows(); }
    void endsByASignalThatItsCommandDoesNotHandle()
    {
        const World world;
        Beside run(world, fetched("tier"), "echo ready; exec sleep 100");
        QVERIFY(run.says("ready"));
        QCOMPARE(::kill(run.pid(), SIGTERM), 0);
        QCOMPARE(run.status(), 128 + SIGTERM);
    }

    void stopsAndContinuesWithItsClient_data() { addTierRows(); }
    void stopsAndContinuesWithItsClient()
    {
        const World world;
        Beside run(world, fetched("tier"),
                   "echo ready; for i in {1..10}; do sleep 0.1; done; echo over; exit 2");
        QVERIFY(run.says("ready"));
        QCOMPARE(::kill(run.pid(), SIGSTOP), 0);
        QTest::qWait(200);
        QCOMPARE(::kill(run.pid(), SIGCONT), 0);
        QVERIFY(run.says("over"));
        QCOMPARE(run.status(), 2);
    }

    void endsWithItsClient_data() { addTierRows(); }
    void endsWithItsClient()
    {
        const World world;
        // A shell says whose child was ended, into a pipe that nobody reads any more.
        Beside run(
            world, fetched("tier"),
            "trap '' PIPE; trap 'echo told > told; exit' TERM; echo ready; while :; do sleep 0.05; done");
        QVERIFY(run.says("ready"));
        run.kill();
        QVERIFY(comesTrue(kPatience, [&] { return processesMentioning(world.project()).empty(); }));
        if (fetched("tier") == "sandbox") {
            QVERIFY(fs::exists(world.project() / "told"));
        }
        QTest::qWait(1000); // the session may still be completing its record, for at most that long
        REVET_VERIFY_NONE(whatIsLeft(world));
    }

    void leavesNothingWhenOneOfItsProcessesIsKilled_data()
    {
        addTierRows("process", {"session", "first-child", "last-child"});
    }
    void leavesNothingWhenOneOfItsProcessesIsKilled()
    {
        const World world;
        const std::string process = fetched("process");
        Beside run(
            world, fetched("tier"),
            "trap '' TERM HUP INT; (setsid sleep 1000 &) ; sleep 1000 & kill -STOP $!; echo ready; wait");
        QVERIFY(run.says("ready"));
        const pid_t session = sessionProcess(world.home().runtimeDirectory());
        QVERIFY(session > 0);
        const std::vector<pid_t> children = childrenOf(session);
        QVERIFY(!children.empty());
        const pid_t victim = process == "session" ? session
            : process == "first-child"            ? children.front()
                                                  : children.back();
        QCOMPARE(::kill(victim, SIGKILL), 0);
        REVET_VERIFY_NONE(whatIsLeft(world));
        QVERIFY(run.status() != 0);
        QCOMPARE(world.runner().run(fetched("tier"), {"/bin/echo", "next"}).out, "next\n");
    }
};

QTEST_APPLESS_MAIN(RunEndTest)
#include "tst_run_end.moc"
