// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/scope_exit.h"
#include "engine/observe/process_tree.h"
#include "engine/os/proc_fs.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace revet;
using observe::ProcessTree;

namespace {

[[nodiscard]] pid_t spawnShell(const std::string& script)
{
    std::string shell = "/bin/sh";
    std::string option = "-c";
    std::string text = script;
    char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
    pid_t pid = -1;
    return ::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, arguments, environ) == 0 ? pid : -1;
}

/// A shell that has stopped itself, so that its exec is over: posix_spawn() comes back in the middle of it.
[[nodiscard]] pid_t spawnStopped(const std::string& after = {})
{
    const pid_t pid = spawnShell("kill -STOP $$; " + after);
    int status = 0;
    return ::waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) ? pid : -1;
}

[[nodiscard]] std::vector<int> childrenOf(int pid)
{
    const Result<os::ProcessDirectory> process = os::ProcessDirectory::open(pid);
    return process ? process->children(16) : std::vector<int>();
}

} // namespace

class ProcessTreeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void knowsAProcessByOneNumber();
    void namesTheParentThatWasSeen();
    void namesNoParentThatIsNotOfTheBox();
    void foldsThreadsToTheirProcess();
    void givesTheProgramAfterAnExecANumber();
    void tellsHowAProcessEnded_data();
    void tellsHowAProcessEnded();
    void tellsTheEndLast();
    void tellsEveryEndBeforeItStops();
    void keepsTheParentOfADaemonsChild();
    void hasNoNumberForAThreadThatHasGone();

private:
    [[nodiscard]] ProcessRecord told(ProcessNumber number)
    {
        const std::scoped_lock lock(m_mutex);
        return m_told[number];
    }

    SystemClock m_clock;
    std::mutex m_mutex;
    std::map<ProcessNumber, ProcessRecord> m_told;
    std::atomic<bool> m_isHeldUp = false; ///< the listener waits before it takes note of a beginning
    std::atomic<bool> m_isWaiting = false; ///< it does
    std::unique_ptr<ProcessTree> m_tree;
    std::thread m_exits;
    pid_t m_child = -1;
};

void ProcessTreeTest::init()
{
    m_told.clear();
    m_tree = std::make_unique<ProcessTree>(m_clock, [this](const ProcessRecord& record) {
        while (m_isHeldUp && !record.ended) {
            m_isWaiting = true;
            std::this_thread::yield();
        }
        const std::scoped_lock lock(m_mutex);
        m_told[record.number] = record;
    });
    m_exits = std::thread([this] {
        while (m_tree->waitForExits()) { }
    });
}

void ProcessTreeTest::cleanup()
{
    m_tree->stop();
    m_exits.join();
    if (m_child > 0) {
        ::kill(m_child, SIGKILL);
        ::waitpid(m_child, nullptr, 0);
        m_child = -1;
    }
}

void ProcessTreeTest::knowsAProcessByOneNumber()
{
    m_child = spawnStopped();
    const ProcessNumber number = m_tree->sighted(m_child);
    QVERIFY(!number.isNone());
    QCOMPARE(m_tree->sighted(m_child), number);
    const ProcessRecord record = told(number);
    QCOMPARE(record.pid, m_child);
    QVERIFY(record.startTicks > 0);
    QVERIFY(!record.ended);
}

void ProcessTreeTest::namesTheParentThatWasSeen()
{
    m_child = spawnShell("sleep 60 & wait");
    const ProcessNumber parent = m_tree->sighted(m_child);
    QTRY_COMPARE(childrenOf(m_child).size(), std::size_t{1});
    const int sleeper = childrenOf(m_child)[0];
    const ProcessNumber child = m_tree->sighted(sleeper);
    QCOMPARE(told(child).parent, parent);
    ::kill(sleeper, SIGKILL);
}

void ProcessTreeTest::namesNoParentThatIsNotOfTheBox()
{
    m_child = spawnStopped();
    QVERIFY(told(m_tree->sighted(m_child)).parent.isNone());
}

void ProcessTreeTest::foldsThreadsToTheirProcess()
{
    const ProcessNumber own = m_tree->sighted(::getpid());
    ProcessNumber ofThread;
    std::thread([&] { ofThread = m_tree->sighted(static_cast<int>(::syscall(SYS_gettid))); }).join();
    QCOMPARE(ofThread, own);
}

void ProcessTreeTest::givesTheProgramAfterAnExecANumber()
{
    m_child = spawnStopped();
    const ProcessNumber number = m_tree->sighted(m_child);
    m_tree->aboutToExec(m_child);
    ::kill(m_child, SIGKILL);
    ::waitpid(m_child, nullptr, 0);
    QTRY_VERIFY(told(number).ended.has_value());

    m_child = spawnStopped("exec sleep 60");
    const ProcessNumber second = m_tree->sighted(m_child);
    QVERIFY(second != number);
    m_tree->aboutToExec(m_child);
    QCOMPARE(m_tree->sighted(m_child), second); // the exec has failed
    m_tree->aboutToExec(m_child);
    ::kill(m_child, SIGCONT);
    const auto isSleeping = [&] {
        const Result<os::ProcessDirectory> process = os::ProcessDirectory::open(m_child);
        const Result<std::string> exe
            = process ? process->readLink("exe") : Result<std::string>(fail(process.error()));
        return exe && exe->ends_with("/sleep");
    };
    QTRY_VERIFY(isSleeping());
    const ProcessNumber third = m_tree->sighted(m_child);
    QVERIFY(third != second);
    QCOMPARE(m_tree->sighted(m_child), third);
    const ProcessRecord before = told(second);
    QCOMPARE(before.argv.at(1), std::string("-c"));
    const ProcessRecord record = told(third);
    QVERIFY(record.exe.ends_with("/sleep"));
    QCOMPARE(record.argv, (std::vector<std::string>{"sleep", "60"}));
    QCOMPARE(record.parent, second);
    QCOMPARE(record.pid, before.pid);
    QCOMPARE(record.startTicks, before.startTicks);
    ::kill(m_child, SIGKILL);
    ::waitpid(m_child, nullptr, 0);
    m_child = -1;
    QTRY_COMPARE(told(third).waitStatus, std::optional<std::int32_t>(SIGKILL));
    QVERIFY(!told(second).ended.has_value());
}

void ProcessTreeTest::tellsHowAProcessEnded_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<int>("status");
    QTest::newRow("status 0") << QByteArray("read line; exit 0") << 0;
    QTest::newRow("status 7") << QByteArray("read line; exit 7") << (7 << 8);
    QTest::newRow("killed") << QByteArray("read line; kill -9 $$") << SIGKILL;
}

void ProcessTreeTest::tellsHowAProcessEnded()
{
    QFETCH(const QByteArray, script);
    QFETCH(const int, status);
    int input[2] = {};
    QCOMPARE(::pipe2(input, O_CLOEXEC), 0);
    const ScopeExit closeReading([&] { ::close(input[0]); });
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    std::string text = script.toStdString();
    std::string shell = "sh";
    std::string option = "-c";
    char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
    QCOMPARE(::posix_spawn(&m_child, "/bin/sh", &actions, nullptr, arguments, environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);

    const ProcessNumber number = m_tree->sighted(m_child);
    ::close(input[1]); // the end of its input is what lets it go on
    ::waitpid(m_child, nullptr, 0);
    m_child = -1;
    QTRY_VERIFY(told(number).ended.has_value());
    const ProcessRecord record = told(number);
    QVERIFY(record.waitStatus.has_value());
    QCOMPARE(*record.waitStatus, status);
}

void ProcessTreeTest::tellsTheEndLast()
{
    m_child = spawnStopped();
    m_isHeldUp = true;
    ProcessNumber number;
    std::thread sighting([&] { number = m_tree->sighted(m_child); });
    QTRY_VERIFY(m_isWaiting.load());
    ::kill(m_child, SIGKILL);
    ::waitpid(m_child, nullptr, 0);
    m_child = -1;
    QTest::qWait(50); // for an end that would be told before the beginning
    m_isHeldUp = false;
    sighting.join();
    QTRY_VERIFY(told(number).ended.has_value());
    QCOMPARE(told(number).waitStatus, std::optional<std::int32_t>(SIGKILL));
}

void ProcessTreeTest::tellsEveryEndBeforeItStops()
{
    std::map<ProcessNumber, int> ends;
    ProcessTree tree(m_clock, [&ends](const ProcessRecord& record) {
        ends[record.number] += record.ended && record.waitStatus == SIGKILL ? 1 : 0;
    });
    constexpr int kMany = 150; // more than are looked at in one go
    std::vector<pid_t> children;
    for (int i = 0; i < kMany; ++i) {
        children.push_back(::fork());
        if (children.back() == 0) {
            ::pause();
            ::_exit(0);
        }
        QVERIFY(!tree.sighted(children.back()).isNone());
    }
    for (const pid_t child : children) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    tree.stop();
    while (tree.waitForExits()) { }
    QCOMPARE(ends.size(), std::size_t{kMany});
    QVERIFY(std::all_of(ends.begin(), ends.end(), [](const auto& end) { return end.second == 1; }));
}

void ProcessTreeTest::keepsTheParentOfADaemonsChild()
{
    m_child = spawnShell("sleep 60 & kill -STOP $$");
    const ProcessNumber parent = m_tree->sighted(m_child);
    QTRY_COMPARE(childrenOf(m_child).size(), std::size_t{1});
    const int orphan = childrenOf(m_child)[0];
    m_tree->aboutToExit(m_child, 0);
    ::kill(m_child, SIGKILL);
    ::waitpid(m_child, nullptr, 0);
    m_child = -1;
    QTRY_VERIFY(told(parent).ended.has_value());
    QCOMPARE(told(m_tree->sighted(orphan)).parent, parent);
    ::kill(orphan, SIGKILL);
}

void ProcessTreeTest::hasNoNumberForAThreadThatHasGone()
{
    const pid_t pid = spawnShell("exit 0");
    ::waitpid(pid, nullptr, 0);
    QVERIFY(m_tree->sighted(pid).isNone());
}

QTEST_APPLESS_MAIN(ProcessTreeTest)
#include "tst_process_tree.moc"
