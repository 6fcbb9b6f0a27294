// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/process_handle.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <latch>
#include <thread>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace revet;
using os::ProcessHandle;
using os::ThreadOwner;

namespace {

[[nodiscard]] int ownThread()
{
    return static_cast<int>(::syscall(SYS_gettid));
}

/// A thread that sleeps until it is told to end.
class Sleeper
{
public:
    Sleeper()
        : m_thread([this] {
            m_tid = ownThread();
            m_started.count_down();
            m_ending.wait();
        })
    {
        m_started.wait();
    }
    /// Once the kernel has forgotten its number, which is a little later than join().
    [[nodiscard]] bool end()
    {
        m_ending.count_down();
        m_thread.join();
        return QTest::qWaitFor([this] { return ::syscall(SYS_tgkill, ::getpid(), m_tid, 0) != 0; });
    }
    [[nodiscard]] int tid() const { return m_tid; }

private:
    int m_tid = 0;
    std::latch m_started{1};
    std::latch m_ending{1};
    std::thread m_thread;
};

} // namespace

class ProcessHandleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsTheProcessOfAThread();
    void isAliveUntilItIsReaped();
    void asksAboutEachThreadByItself();
    void trustsAnAnswerForAWhileOnly();
    void failsForAThreadThatHasGone();
};

void ProcessHandleTest::findsTheProcessOfAThread()
{
    Sleeper sleeper;
    const auto ofThread = ProcessHandle::ofThread(sleeper.tid());
    const auto ofLeader = ProcessHandle::ofThread(::getpid());
    QVERIFY(sleeper.end());
    QVERIFY(ofThread && ofLeader);
    QCOMPARE(ofThread->pid(), ::getpid());
    QCOMPARE(ofLeader->pid(), ::getpid());
}

void ProcessHandleTest::isAliveUntilItIsReaped()
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    const auto handle = ProcessHandle::ofThread(child);
    const bool wasAlive = handle && handle->isAlive() && handle->hasThread(child);
    ::kill(child, SIGKILL);
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
    const bool isAliveAsZombie = handle && handle->isAlive();
    ::waitpid(child, nullptr, 0);
    QVERIFY(wasAlive);
    QVERIFY(isAliveAsZombie); // its number is nobody else's yet
    QVERIFY(!handle->isAlive());
    QVERIFY(!handle->hasThread(child));
}

void ProcessHandleTest::asksAboutEachThreadByItself()
{
    const auto handle = ProcessHandle::ofThread(::getpid());
    QVERIFY(handle);
    Sleeper staying;
    Sleeper going;
    const bool hadBoth = handle->hasThread(staying.tid()) && handle->hasThread(going.tid());
    ThreadOwner ofStaying(::getpid(), SteadyTime());
    ThreadOwner ofGoing(::getpid(), SteadyTime());
    const bool hasGone = going.end();
    const SteadyTime later = SteadyTime() + std::chrono::minutes(1);
    const bool isStillStaying = ofStaying.isStill(*handle, staying.tid(), later);
    const bool isStillGoing = ofGoing.isStill(*handle, going.tid(), later);
    QVERIFY(staying.end());
    QVERIFY(hadBoth && hasGone);
    QVERIFY(isStillStaying);
    QVERIFY(!isStillGoing);
}

void ProcessHandleTest::trustsAnAnswerForAWhileOnly()
{
    const auto handle = ProcessHandle::ofThread(::getpid());
    QVERIFY(handle);
    Sleeper sleeper;
    QVERIFY(sleeper.end());
    const SteadyTime then = SteadyTime() + std::chrono::minutes(1);
    ThreadOwner owner(::getpid(), then);
    QVERIFY(owner.isStill(*handle, sleeper.tid(), then + std::chrono::milliseconds(1)));
    QVERIFY(!owner.isStill(*handle, sleeper.tid(), then + std::chrono::milliseconds(100)));
}

void ProcessHandleTest::failsForAThreadThatHasGone()
{
    Sleeper sleeper;
    QVERIFY(sleeper.end());
    QVERIFY(!ProcessHandle::ofThread(sleeper.tid()));
}

QTEST_GUILESS_MAIN(ProcessHandleTest)
#include "tst_process_handle.moc"
