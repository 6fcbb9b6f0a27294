// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/observe/coalescer.h"
#include "tests/support/fake_clock.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

using namespace revet;
using observe::Coalescer;

namespace {

[[nodiscard]] Fact factOf(const std::string& target, Verdict verdict = Verdict::Permitted,
                          ActionKind kind = ActionKind::Read)
{
    Fact fact;
    fact.kind = kind;
    fact.verdict = verdict;
    fact.target = target;
    return fact;
}

/// The machine's, and how often it was looked at.
class CountingClock final : public Clock
{
public:
    [[nodiscard]] WallTime now() const override { return m_clock.now(); }
    [[nodiscard]] SteadyTime steadyNow() const override
    {
        ++asked;
        return m_clock.steadyNow();
    }
    mutable std::atomic<int> asked = 0;

private:
    SystemClock m_clock;
};

} // namespace

class CoalescerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void countsRepeatsWithinTheWindow();
    void keepsProcessesAndErrorsApart();
    void startsANewRowAfterTheWindow();
    void letsRefusalsOutAtOnceAndInOrder();
    void countsRepeatsOfARefusalInOneMoreRow();
    void losesNothingOfFiftyThousandFactsASecond();
    void thinsAFloodAndSaysSo();
    void neverThinsRefusalsOrExecs();
    void sleepsWhileNothingIsHeldBack();

private:
    static constexpr ProcessNumber kProcess{1};
    test::FakeClock m_clock;
    std::vector<Event> m_events;
    std::unique_ptr<Coalescer> m_coalescer;
};

void CoalescerTest::init()
{
    m_events.clear();
    m_coalescer
        = std::make_unique<Coalescer>(m_clock, [this](Event event) { m_events.push_back(std::move(event)); });
}

void CoalescerTest::countsRepeatsWithinTheWindow()
{
    const WallTime first = m_clock.now();
    for (int i = 0; i < 5; ++i) {
        m_coalescer->add(kProcess, factOf("/a"));
        m_clock.advance(std::chrono::milliseconds(10));
    }
    m_coalescer->flush(Coalescer::Flush::Due);
    QVERIFY(m_events.empty());
    m_clock.advance(std::chrono::seconds(1));
    m_coalescer->flush(Coalescer::Flush::Due);
    QCOMPARE(m_events.size(), std::size_t{1});
    QCOMPARE(m_events[0].count, 5U);
    QCOMPARE(m_events[0].time, first);
    QCOMPARE(m_events[0].target, std::string("/a"));
}

void CoalescerTest::keepsProcessesAndErrorsApart()
{
    Fact failed = factOf("/a");
    failed.errnoValue = EACCES;
    m_coalescer->add(kProcess, factOf("/a"));
    m_coalescer->add(ProcessNumber(2), factOf("/a"));
    m_coalescer->add(kProcess, failed);
    m_coalescer->add(kProcess, factOf("/a", Verdict::Permitted, ActionKind::Write));
    m_coalescer->flush(Coalescer::Flush::All);
    QCOMPARE(m_events.size(), std::size_t{4});
    for (const Event& event : m_events) {
        QCOMPARE(event.count, 1U);
    }
}

void CoalescerTest::startsANewRowAfterTheWindow()
{
    m_coalescer->add(kProcess, factOf("/a"));
    m_clock.advance(std::chrono::seconds(2));
    m_coalescer->add(kProcess, factOf("/a"));
    m_coalescer->flush(Coalescer::Flush::All);
    QCOMPARE(m_events.size(), std::size_t{2});
}

void CoalescerTest::letsRefusalsOutAtOnceAndInOrder()
{
    m_coalescer->add(kProcess, factOf("/before"));
    m_coalescer->add(kProcess, factOf("/secret", Verdict::Denied));
    QCOMPARE(m_events.size(), std::size_t{2});
    QCOMPARE(m_events[0].target, std::string("/before"));
    QCOMPARE(m_events[1].target, std::string("/secret"));
}

void CoalescerTest::countsRepeatsOfARefusalInOneMoreRow()
{
    for (int i = 0; i < 100; ++i) {
        m_coalescer->add(kProcess, factOf("/secret", Verdict::Denied));
        m_coalescer->add(kProcess, factOf("/other", Verdict::Withheld));
    }
    QCOMPARE(m_events.size(), std::size_t{2});
    m_coalescer->flush(Coalescer::Flush::All);
    QCOMPARE(m_events.size(), std::size_t{4});
    QCOMPARE(m_events[2].count, 99U);
    QCOMPARE(m_events[3].count, 99U);
}

void CoalescerTest::losesNothingOfFiftyThousandFactsASecond()
{
    constexpr std::uint32_t kFacts = 150'000; // of three seconds
    for (std::uint32_t i = 0; i < kFacts; ++i) {
        m_coalescer->add(kProcess, factOf("/f" + std::to_string(i)));
        m_clock.advance(std::chrono::microseconds(20));
    }
    m_coalescer->flush(Coalescer::Flush::All);
    QCOMPARE(m_events.size(), std::size_t{kFacts});
    QCOMPARE(m_events[kFacts - 1].target, "/f" + std::to_string(kFacts - 1));
}

void CoalescerTest::thinsAFloodAndSaysSo()
{
    constexpr std::int64_t kFacts = 300'000; // without time to pass
    for (std::int64_t i = 0; i < kFacts; ++i) {
        m_coalescer->add(kProcess, factOf("/f" + std::to_string(i)));
    }
    m_coalescer->flush(Coalescer::Flush::All);
    const Event& last = m_events.back();
    QCOMPARE(last.kind, ActionKind::Limit);
    QVERIFY(last.detail > 0);
    QCOMPARE(static_cast<std::int64_t>(m_events.size()) - 1 + last.detail, kFacts);
    QCOMPARE(last.target, "read " + std::to_string(last.detail));
}

void CoalescerTest::neverThinsRefusalsOrExecs()
{
    constexpr int kFacts = 250'000;
    std::map<Verdict, int> rows;
    int execs = 0;
    for (int i = 0; i < kFacts; ++i) {
        const std::string name = "/f" + std::to_string(i);
        m_coalescer->add(kProcess, factOf(name));
        if (i % 100 == 0) {
            m_coalescer->add(kProcess, factOf(name, Verdict::Denied));
            m_coalescer->add(kProcess, factOf(name, Verdict::Permitted, ActionKind::Exec));
        }
    }
    m_coalescer->flush(Coalescer::Flush::All);
    for (const Event& event : m_events) {
        ++rows[event.verdict];
        execs += event.kind == ActionKind::Exec ? 1 : 0;
    }
    QCOMPARE(rows[Verdict::Denied], kFacts / 100);
    QCOMPARE(execs, kFacts / 100);
    QVERIFY(rows[Verdict::Permitted] < kFacts);
}

void CoalescerTest::sleepsWhileNothingIsHeldBack()
{
    const CountingClock clock;
    std::mutex mutex;
    std::vector<Event> events;
    Coalescer coalescer(clock, [&](Event event) {
        const std::scoped_lock lock(mutex);
        events.push_back(std::move(event));
    });
    std::thread releaser([&] {
        while (coalescer.flushWhenDue()) { }
    });
    const auto isOut = [&](std::size_t count) {
        return QTest::qWaitFor([&] {
            const std::scoped_lock lock(mutex);
            return events.size() == count;
        });
    };
    bool areOut = true;
    bool hasSlept = true;
    for (std::size_t burst = 1; burst <= 2; ++burst) {
        coalescer.add(kProcess, factOf("/a"));
        coalescer.add(kProcess, factOf("/a"));
        areOut = areOut && isOut(burst);
        coalescer.flush(Coalescer::Flush::Due); // waits for the other thread's
        const int asked = clock.asked;
        QTest::qWait(200);
        hasSlept = hasSlept && clock.asked == asked;
    }
    coalescer.stop();
    releaser.join();
    QVERIFY(areOut);
    QVERIFY(hasSlept);
    QCOMPARE(events[1].count, 2U);
}

QTEST_GUILESS_MAIN(CoalescerTest)
#include "tst_coalescer.moc"
