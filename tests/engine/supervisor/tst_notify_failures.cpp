// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/notify_loop.h"
#include "tests/engine/supervisor/own_calls.h"
#include "tests/support/fake_target.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/no_more_threads.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <array>
#include <atomic>
#include <csignal>

#include <sys/prctl.h>
#include <sys/wait.h>

using namespace revet;
using supervisor::Answer;
using supervisor::Call;
using supervisor::Target;
using test::arguments;
using Kind = test::FakeNotifyDevice::Answer::Kind;

/// Calls that have to wait, and what the loop does when something of its own fails.
class NotifyFailuresTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void triesAWaitingCallAgain();
    void tellsAWaitingCallThatThereIsNoThread();
    void recordsAWaitingCallThatGoesOn();
    void refusesWhatItCannotLookAt();
    void refusesWhoseViewItCannotSee();
    void refusesEverythingOnceFactsAreLost();
    void tellsOfADeviceThatFails();

private:
    std::uint64_t add(int number, std::array<std::uint64_t, 6> registers)
    {
        return m_device->add(test::ownThread(), number, registers);
    }
    [[nodiscard]] supervisor::NotifyLoop::Dependencies dependencies()
    {
        return {m_box,
                m_host,
                m_generation,
                *m_sink,
                [this](const Call& call, Target& target) { return m_broker(call, target); },
                [](std::uint64_t) {},
                [] {}};
    }
    void run()
    {
        supervisor::NotifyLoop loop(*m_device, dependencies());
        QVERIFY(loop.run().has_value());
        QVERIFY(!m_device->hasSurplusAnswers());
    }
    [[nodiscard]] Kind kindOf(std::uint64_t id) const { return m_device->answerTo(id)->kind; }
    [[nodiscard]] int errnoOf(std::uint64_t id) const
    {
        const auto answer = m_device->answerTo(id);
        return answer && answer->kind == Kind::Error ? static_cast<int>(answer->value) : 0;
    }

    std::unique_ptr<test::FakeNotifyDevice> m_device;
    std::unique_ptr<test::FactCollector> m_sink;
    supervisor::BoxView m_box;
    supervisor::HostView m_host;
    supervisor::TreeGeneration m_generation;
    std::function<Answer(const Call&, Target&)> m_broker;
};

void NotifyFailuresTest::init()
{
    m_device = std::make_unique<test::FakeNotifyDevice>();
    m_sink = std::make_unique<test::FactCollector>();
    m_box.outerRoot.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    m_broker = [](const Call&, Target&) { return Answer::failure(EIO); };
}

void NotifyFailuresTest::triesAWaitingCallAgain()
{
    std::atomic<int> tries = 0;
    m_broker = [&](const Call& call, Target&) {
        return call.path.path == "/later" && ++tries < 4 ? Answer::later() : Answer::success(0);
    };
    const std::uint64_t later = add(SYS_truncate, arguments("/later", 0));
    const std::uint64_t behind = add(SYS_truncate, arguments("/other", 0));
    supervisor::NotifyLoop loop(*m_device, dependencies());
    QVERIFY(loop.run().has_value());
    QCOMPARE(kindOf(behind), Kind::Value); // is not kept waiting by the one before
    QTRY_VERIFY(m_device->answerTo(later).has_value());
    QCOMPARE(kindOf(later), Kind::Value);
    QCOMPARE(tries.load(), 4);
}

void NotifyFailuresTest::tellsAWaitingCallThatThereIsNoThread()
{
    REVET_NEEDS_ORDINARY_USER();
    m_broker = [&](const Call&, Target&) { return Answer::later(); };
    const std::uint64_t later = add(SYS_truncate, arguments("/later", 0));
    {
        supervisor::NotifyLoop loop(*m_device, dependencies());
        const test::NoMoreThreads limit;
        QVERIFY(loop.run().has_value());
        QCOMPARE(errnoOf(later), EAGAIN);
    }
    QVERIFY(!m_device->hasSurplusAnswers());
}

void NotifyFailuresTest::recordsAWaitingCallThatGoesOn()
{
    const test::TempHome home;
    const std::string file = (home.project() / "file").string();
    test::writeFile(file, "x");
    std::atomic<int> tries = 0;
    m_broker = [&](const Call&, Target&) { return ++tries < 2 ? Answer::later() : Answer::proceed(); };
    const std::uint64_t later = add(SYS_truncate, arguments(file.c_str(), 0));
    supervisor::NotifyLoop loop(*m_device, dependencies());
    QVERIFY(loop.run().has_value());
    QTRY_VERIFY(m_device->answerTo(later).has_value());
    QCOMPARE(kindOf(later), Kind::Continue);
    const std::vector<Fact> facts = m_sink->take();
    QCOMPARE(facts.size(), std::size_t{1});
    QCOMPARE(facts[0].kind, ActionKind::Write);
    QCOMPARE(facts[0].target, file);
}

void NotifyFailuresTest::refusesWhatItCannotLookAt()
{
    const pid_t gone = ::fork();
    if (gone == 0) {
        ::_exit(0);
    }
    ::waitpid(gone, nullptr, 0);
    const std::uint64_t open = m_device->add(gone, SYS_open, arguments("/etc/passwd", O_RDONLY, 0));
    run();
    QCOMPARE(errnoOf(open), EPERM);
    const std::vector<Fact> facts = m_sink->take();
    QCOMPARE(facts.size(), std::size_t{1});
    QCOMPARE(facts[0].verdict, Verdict::Denied);
    QCOMPARE(facts[0].kind, ActionKind::Syscall);
}

void NotifyFailuresTest::refusesWhoseViewItCannotSee()
{
    std::array<int, 2> ends{};
    QCOMPARE(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd ready(ends[0]);
    UniqueFd writeEnd(ends[1]);
    const pid_t secretive = ::fork();
    if (secretive == 0) {
        ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); // its root and namespaces are nobody's to look at
        static_cast<void>(::write(writeEnd.get(), "r", 1));
        ::pause();
        ::_exit(0);
    }
    writeEnd.reset();
    char mark = 0;
    QCOMPARE(::read(ready.get(), &mark, 1), ssize_t{1});
    bool isPerformed = false;
    m_broker = [&](const Call&, Target&) {
        isPerformed = true;
        return Answer::success(0);
    };
    const std::uint64_t change = m_device->add(secretive, SYS_fchmod, arguments(0, 0600));
    run();
    ::kill(secretive, SIGKILL);
    ::waitpid(secretive, nullptr, 0);
    QCOMPARE(errnoOf(change), EPERM);
    QVERIFY(!isPerformed);
    const std::vector<Fact> facts = m_sink->take();
    QCOMPARE(facts.size(), std::size_t{1});
    QCOMPARE(facts[0].kind, ActionKind::Syscall);
    QCOMPARE(facts[0].verdict, Verdict::Denied);
}

void NotifyFailuresTest::refusesEverythingOnceFactsAreLost()
{
    m_sink->setRoom(1);
    int performed = 0;
    bool isTakenBack = false;
    m_broker = [&](const Call&, Target&) {
        ++performed;
        m_sink->record(0, {});
        Answer answer = Answer::success(0);
        answer.retract = [&isTakenBack] { isTakenBack = true; };
        return answer;
    };
    const std::uint64_t losing = add(SYS_mkdir, arguments("/x", 0700));
    const std::uint64_t change = add(SYS_unlink, arguments("/x"));
    const std::uint64_t read = add(SYS_open, arguments("/etc/passwd", O_RDONLY, 0));
    const std::uint64_t mask = add(SYS_umask, arguments(0));
    run();
    QCOMPARE(errnoOf(losing), EPERM);
    QVERIFY(isTakenBack);
    QCOMPARE(performed, 1);
    QCOMPARE(errnoOf(change), EPERM);
    QCOMPARE(errnoOf(read), EPERM);
    QCOMPARE(errnoOf(mask), EPERM);
}

void NotifyFailuresTest::tellsOfADeviceThatFails()
{
    class Failing final : public test::FakeNotifyDevice
    {
        [[nodiscard]] Result<std::optional<os::Notification>> receive() override
        {
            return fail(Error::fromErrno("receive a seccomp notification", ENOMEM));
        }
    };
    Failing device;
    supervisor::NotifyLoop loop(device, dependencies());
    const Result<void> served = loop.run();
    QVERIFY(!served);
    QCOMPARE(served.error().errnoValue, ENOMEM);
}

QTEST_APPLESS_MAIN(NotifyFailuresTest)
#include "tst_notify_failures.moc"
