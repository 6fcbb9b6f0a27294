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
    wish.process = ProcessNumber(static_cast<std::uint32_t>(pid));
    wish.chain = {{3, 30, "/usr/bin/make", {"make"}}, {pid, 70, program, {program, "-s"}}};
    wish.cwd = "/work";
    wish.why = "no rule";
    wish.scopes = {GrantScope::Once, GrantScope::Process, GrantScope::Session};
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
        const auto settled = inbox.answer(first.news->ask.id, yes(first.news->ask, GrantScope::Session));
        QVERIFY(settled.has_value());
        QCOMPARE(settled->waiters, (std::vector<Inbox::Waiter>{1, 2}));
        QCOMPARE(inbox.openCount(), std::size_t{2});
    }

    void keepsTheFirstClaim()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        Inbox::Wish wish = wishFor("a.test:443");
        wish.claim = "to fetch";
        const auto first = inbox.raise(wish, 1);
        QVERIFY(first.news && first.news->ask.claim == "to fetch");
        Ask other = first.news->ask;
        other.claim = "to send";
        QVERIFY(hashOf(other) != first.news->ask.hash);
        wish.claim = "to send";
        QVERIFY(inbox.raise(wish, 2).waits);
        const auto record = inbox.find(first.news->ask.id);
        QVERIFY(record && record->ask.claim == "to fetch" && record->ask.hash == first.news->ask.hash);
    }

    void aYesToOneProcessIsNoneToOthers_data()
    {
        QTest::addColumn<int>("scope");
        QTest::newRow("once") << static_cast<int>(GrantScope::Once);
        QTest::newRow("process") << static_cast<int>(GrantScope::Process);
    }
    void aYesToOneProcessIsNoneToOthers()
    {
        QFETCH(int, scope);
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        const Ask ask = inbox.raise(wishFor("a.test:443"), 1).news->ask;
        Inbox::Wish unknown = wishFor("a.test:443");
        unknown.process = {};
        for (Inbox::Waiter waiter = 2; waiter < 5; ++waiter) {
            QVERIFY(inbox
                        .raise(waiter == 4 ? unknown
                                           : wishFor("a.test:443", "/usr/bin/curl", waiter == 2 ? 7 : 8),
                               waiter)
                        .waits);
        }
        const auto first = inbox.answer(ask.id, yes(ask, static_cast<GrantScope>(scope)));
        QVERIFY(first.has_value());
        QCOMPARE(first->waiters, (std::vector<Inbox::Waiter>{1, 2}));
        const Ask next = first->next->ask;
        QCOMPARE(next.chain.back().pid, 8);
        QCOMPARE(inbox.processOf(next.id), ProcessNumber(8));
        QCOMPARE(inbox.waiterCount(), std::size_t{2});
        const auto second = inbox.answer(next.id, {next.hash, false, GrantScope::Once}); // a no is for all
        QCOMPARE(second->waiters, (std::vector<Inbox::Waiter>{3, 4}));
        QVERIFY(!second->next);
    }

    void aYesOnceGoesToTheNextTryThatIsThere()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        const Ask ask = inbox.raise(wishFor("a.test:443"), 1).news->ask;
        inbox.leave(1);
        QVERIFY(inbox.raise(wishFor("a.test:443", "/usr/bin/curl", 8), 2).waits);
        QVERIFY(inbox.raise(wishFor("a.test:443", "/usr/bin/curl", 9), 3).waits);
        const auto settled = inbox.answer(ask.id, yes(ask));
        QCOMPARE(settled->waiters, (std::vector<Inbox::Waiter>{2}));
        QCOMPARE(inbox.processOf(settled->next->ask.id), ProcessNumber(9));
    }

    void asksAboutEachContent()
    {
        const test::FakeClock clock;
        Inbox inbox(setting(), clock);
        Inbox::Wish wish = wishFor("/work/.envrc");
        wish.kind = AskKind::RunLater;
        wish.why = "+one";
        const auto first = inbox.raise(wish, 1);
        QVERIFY(first.waits && first.news);
        QVERIFY(!inbox.raise(wish, 2).news);
        wish.why = "+two";
        const auto other = inbox.raise(wish, 3);
        QVERIFY(other.waits && other.news);
        // A no is to what was shown, too.
        QVERIFY(inbox.answer(first.news->ask.id, {first.news->ask.hash, false}));
        QVERIFY(inbox.askOf(3) == other.news->ask.id);
        wish.why = "+one";
        QVERIFY(!inbox.raise(wish, 4).waits);
        // What is held is one burst, however much has gone meanwhile.
        wish.kind = AskKind::Brake;
        QVERIFY(inbox.raise(wish, 5).news);
        wish.why = "more";
        QVERIFY(!inbox.raise(wish, 6).news);
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
        // Nor by another program, of which there is a new one at will; nor later.
        clock.advance(24h);
        QVERIFY(!inbox.raise(wishFor("a.test:443", "/tmp/c1"), 100).waits);
        QVERIFY(inbox.raise(wishFor("b.test:443"), 101).waits);
    }

    void asksNoMoreWhereAllIsDenied()
    {
        test::FakeClock clock;
        Inbox inbox(setting(), clock);
        std::optional<Ask> last;
        const auto next = [&](int number) {
            clock.advance(Pace::kEach);
            return inbox.raise(wishFor("a" + std::to_string(number) + ".test:443"), 1);
        };
        for (std::uint32_t i = 0; i < Inbox::kMaximumNoes; ++i) {
            QVERIFY(!inbox.asksNoMore());
            last = next(static_cast<int>(i)).news->ask;
            QVERIFY(inbox.answer(last->id, {last->hash, false, GrantScope::Once}).has_value());
        }
        const auto refused = next(100);
        QVERIFY(inbox.asksNoMore() && !refused.waits && !refused.news && refused.isFlood);
        QVERIFY2(refused.rule.find("noes: nothing more is asked") != std::string::npos, refused.rule.c_str());
        QVERIFY(!next(101).isFlood); // told once
        inbox.forgive(*last);
        QVERIFY(next(102).news);
    }

    void asksNoMoreThanIsKept()
    {
        test::FakeClock clock;
        Inbox inbox(setting(0s), clock);
        for (Inbox::Waiter i = 1; i <= Inbox::kMaximumAsks + 10; ++i) {
            clock.advance(Pace::kEach);
            QCOMPARE(inbox.raise(wishFor("a" + std::to_string(i) + ".test:443"), i).news.has_value(),
                     i <= Inbox::kMaximumAsks);
        }
        QVERIFY(inbox.asksNoMore());
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
        auto chain = wishFor("a.test:443").chain;
        for (AskProcess& process : chain) {
            process.argv.assign(100'000, "argument");
        }
        chain.insert(chain.begin(), 100, {1, 1, "/bin/sh", {"sh"}});
        chain = bounded(std::move(chain));
        QCOMPARE(chain.size(), std::size_t{16});
        QCOMPARE(chain.front(), (AskProcess{0, 0, "… 87 earlier processes", {}}));
        QCOMPARE(chain.back().exe, std::string("/usr/bin/curl"));
        QVERIFY(chain.back().argv.back().ends_with("bytes more"));
        std::size_t bytes = 0;
        for (const AskProcess& process : chain) { // all of them together, the nearest first
            for (const std::string& argument : process.argv) {
                bytes += argument.size();
            }
        }
        QVERIFY2(bytes > 14'000 && bytes < 17'000, std::to_string(bytes).c_str());
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
