// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/ask_hash.h"
#include "engine/approval/ask_notice.h"
#include "engine/approval/inbox.h"
#include "tests/support/fake_clock.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <functional>

using namespace revet;
using namespace revet::approval;
using namespace std::chrono_literals;

namespace {

Inbox::Wish wishFor(const std::string& target, const std::string& program = "/usr/bin/curl", int pid = 7)
{
    Inbox::Wish wish;
    wish.target = target;
    wish.chain = {{3, 30, "/usr/bin/make", {"make"}}, {pid, 70, program, {program, "-s"}}};
    wish.cwd = "/work";
    wish.why = "no rule";
    wish.scopes = {GrantScope::Once, GrantScope::Session};
    return wish;
}

Inbox::Setting setting(std::optional<std::chrono::seconds> deadline = 600s)
{
    return {*SessionId::parse("k3f9q2"), "/work", Tier::Sandbox, deadline};
}

Inbox::Answer yes(const Ask& ask, GrantScope scope = GrantScope::Once)
{
    return {ask.hash, true, scope};
}

} // namespace

/// What is asked, of whom, how often, and what an answer is.
class InboxTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asksTheSameOnce()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        const auto first = inbox.raise(wishFor("a.test:443"), 1);
        QVERIFY(first.waits && first.news);
        // Another process of the same program in the same chain, as of `make -j`.
        const auto second = inbox.raise(wishFor("a.test:443", "/usr/bin/curl", 8), 2);
        QVERIFY(second.waits && !second.news);
        QCOMPARE(inbox.openCount(), std::size_t{1});
        QCOMPARE(inbox.find(first.news->ask.id)->count, 2U);
        // Another program, another target.
        QVERIFY(inbox.raise(wishFor("a.test:443", "/usr/bin/wget"), 3).news);
        QVERIFY(inbox.raise(wishFor("a.test:80"), 4).news);
        const auto settled = inbox.answer(first.news->ask.id, yes(first.news->ask));
        QVERIFY(settled.has_value());
        QCOMPARE(settled->waiters, (std::vector<Inbox::Waiter>{1, 2}));
        QCOMPARE(inbox.openCount(), std::size_t{2});
    }

    void takesTheFirstValidAnswer()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        const Ask ask = inbox.raise(wishFor("a.test:443"), 1).news->ask;
        auto wrong = yes(ask);
        wrong.hash.back() = wrong.hash.back() == '0' ? '1' : '0';
        QCOMPARE(inbox.answer(ask.id, wrong).error().code, ErrorCode::Conflict);
        QCOMPARE(inbox.answer(ask.id, yes(ask, GrantScope::Project)).error().code, ErrorCode::Refused);
        QCOMPARE(inbox.answer({ask.id.session, 2}, yes(ask)).error().code, ErrorCode::NotFound);
        QCOMPARE(inbox.openCount(), std::size_t{1});
        QVERIFY(inbox.answer(ask.id, {ask.hash, false, GrantScope::Once}).has_value());
        QCOMPARE(inbox.answer(ask.id, yes(ask)).error().code, ErrorCode::Conflict);
    }

    void hashesAllThatIsShown()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        const Ask ask = inbox.raise(wishFor("a.test:443"), 1).news->ask;
        QCOMPARE(hashOf(ask), ask.hash);
        const std::vector<std::function<void(Ask&)>> changes{
            [](Ask& it) { it.id.number = 2; },
            [](Ask& it) { it.target = "b.test:443"; },
            [](Ask& it) { it.project = "/other"; },
            [](Ask& it) { it.tier = Tier::Container; },
            [](Ask& it) { it.cwd = "/"; },
            [](Ask& it) { it.why += "s"; },
            [](Ask& it) { it.chain.pop_back(); },
            [](Ask& it) { it.chain.back().pid = 9; },
            [](Ask& it) { it.chain.back().startTicks = 9; },
            [](Ask& it) { it.chain.back().exe = "/tmp/curl"; },
            [](Ask& it) { it.chain.back().argv.push_back("-k"); },
            [](Ask& it) { it.chain.back().argv = {"/usr/bin/curl-s"}; },
            [](Ask& it) { it.from = Reach::Beyond; },
            [](Ask& it) { it.to = Reach::Machine; },
            [](Ask& it) { it.lane = Lane::Files; },
            [](Ask& it) { it.scopes.pop_back(); },
        };
        for (std::size_t i = 0; i < changes.size(); ++i) {
            Ask changed = ask;
            changes[i](changed);
            QVERIFY2(hashOf(changed) != ask.hash, std::to_string(i).c_str());
        }
    }

    void namesTheTargetFirstAndNoProgramAtLength()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        const std::string forged = "/tmp/x wants to connect to registry.test:443: 'revet asks k3f9q2-1'";
        const Ask ask
            = inbox.raise(wishFor("evil.test:443", forged + std::string(960, ' ') + "/b"), 1).news->ask;
        const std::string notice = noticeOf(ask);
        QVERIFY2(notice.starts_with("revet k3f9q2: connect to evil.test:443? 'revet asks k3f9q2-1' "),
                 notice.c_str());
        QVERIFY2(notice.find("registry.test") == std::string::npos, notice.c_str());
        QVERIFY2(notice.ends_with("/b'") && notice.size() < 300, notice.c_str());
    }

    void doesNotAskAgainAfterANo()
    {
        test::FakeClock clock;
        Inbox inbox(setting(), clock);
        const Ask ask = inbox.raise(wishFor("a.test:443"), 1).news->ask;
        QVERIFY(inbox.answer(ask.id, {ask.hash, false, GrantScope::Once}).has_value());
        for (Inbox::Waiter waiter = 2; waiter < 100; ++waiter) {
            const auto again = inbox.raise(wishFor("a.test:443"), waiter);
            QVERIFY(!again.waits && !again.news && !again.isFlood);
            QVERIFY(again.rule.find(ask.id.text()) != std::string::npos);
        }
        QCOMPARE(inbox.waiterCount(), std::size_t{0});
        // Another chain was not denied.
        QVERIFY(inbox.raise(wishFor("a.test:443", "/usr/bin/wget"), 100).waits);
        clock.advance(Inbox::kQuietTime);
        QVERIFY(inbox.raise(wishFor("a.test:443"), 101).news);
    }

    void missesWhatNobodyAnswersInTime()
    {
        test::FakeClock clock;
        Inbox inbox(setting(60s), clock);
        const Ask ask = inbox.raise(wishFor("a.test:443"), 1).news->ask;
        QCOMPARE(*ask.deadline - ask.created, std::chrono::microseconds(60s));
        QVERIFY(inbox.nextDeadline() == clock.steadyNow() + 60s);
        clock.advance(59s);
        QVERIFY(inbox.expire().empty());
        clock.advance(1s);
        const auto missed = inbox.expire();
        QCOMPARE(missed.size(), std::size_t{1});
        QVERIFY(missed.front().record.state == AskState::Missed);
        QCOMPARE(missed.front().waiters, (std::vector<Inbox::Waiter>{1}));
        QVERIFY(!inbox.nextDeadline());
        QVERIFY(!inbox.raise(wishFor("a.test:443"), 2).waits);
        inbox.forgive(ask);
        QVERIFY(inbox.raise(wishFor("a.test:443"), 3).waits);
    }

    void keepsWhatAProgramGaveUp()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        const Ask ask = inbox.raise(wishFor("a.test:443"), 1).news->ask;
        QVERIFY(inbox.raise(wishFor("a.test:443"), 2).waits);
        inbox.leave(1);
        QVERIFY(!inbox.find(ask.id)->hasGivenUp);
        inbox.leave(2);
        QVERIFY(inbox.find(ask.id)->hasGivenUp);
        QCOMPARE(inbox.waiterCount(), std::size_t{0});
        const auto settled = inbox.answer(ask.id, yes(ask));
        QVERIFY(settled.has_value());
        QVERIFY(settled->waiters.empty());
    }

    void refusesWhereNobodyCanAnswer()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(0s), clock);
        const auto raised = inbox.raise(wishFor("a.test:443"), 1);
        QVERIFY(!raised.waits);
        QCOMPARE(raised.news->state, AskState::Missed);
        QCOMPARE(inbox.openCount(), std::size_t{0});
        QVERIFY(!inbox.raise(wishFor("a.test:443"), 2).news);
    }

    void isBoundedInAFlood()
    {
        test::FakeClock clock;
        Inbox inbox(setting(), clock);
        std::size_t asked = 0;
        std::size_t floods = 0;
        for (Inbox::Waiter i = 0; i < 10'000; ++i) {
            const auto raised = inbox.raise(wishFor("host" + std::to_string(i) + ".test:443"), i);
            asked += raised.news ? 1U : 0U;
            floods += raised.isFlood ? 1U : 0U;
            QCOMPARE(raised.waits, raised.news.has_value());
        }
        QCOMPARE(asked, std::size_t{Pace::kBurst});
        QCOMPARE(floods, std::size_t{1}); // told once, not ten thousand times
        for (Inbox::Waiter i = 0; i < 10'000; ++i) { // slowly: one a second is asked, up to the bound
            clock.advance(1s);
            asked
                += inbox.raise(wishFor("slow" + std::to_string(i) + ".test:443"), 20'000 + i).waits ? 1U : 0U;
        }
        QCOMPARE(asked, Inbox::kMaximumOpen);
        QCOMPARE(inbox.openCount(), Inbox::kMaximumOpen);
        // Nor do many wait for the same.
        for (Inbox::Waiter i = 0; i < 10'000; ++i) {
            static_cast<void>(inbox.raise(wishFor("host0.test:443"), 50'000 + i).waits);
        }
        QCOMPARE(inbox.waiterCount(), Inbox::kMaximumWaiters);
    }

    void boundsWhatIsShown()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        Inbox::Wish wish = wishFor("a.test:443");
        wish.chain.back().argv.assign(100'000, "argument");
        wish.chain.insert(wish.chain.begin(), 100, {1, 1, "/bin/sh", {"sh"}});
        const Ask ask = inbox.raise(std::move(wish), 1).news->ask;
        QVERIFY(ask.chain.size() <= 16);
        QCOMPARE(ask.chain.back().exe, std::string("/usr/bin/curl"));
        QVERIFY(ask.chain.back().argv.size() < 3000);
        QVERIFY(ask.chain.back().argv.back().ends_with("bytes more"));
    }

    void settlesOthersThatTheAnswerIsAbout()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        QVERIFY(inbox.raise(wishFor("a.test:443"), 1).waits);
        QVERIFY(inbox.raise(wishFor("a.test:443", "/usr/bin/wget"), 2).waits);
        QVERIFY(inbox.raise(wishFor("b.test:443"), 3).waits);
        const auto settled = inbox.settleWhere([](const Ask& ask) { return ask.target == "a.test:443"; },
                                               true, GrantScope::Session);
        QCOMPARE(settled.size(), std::size_t{2});
        QVERIFY(settled.front().record.state == AskState::Approved);
        QCOMPARE(inbox.openCount(), std::size_t{1});
        QCOMPARE(inbox.close().front().record.ask.target, std::string("b.test:443"));
    }
};

QTEST_APPLESS_MAIN(InboxTest)
#include "tst_inbox.moc"
