// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/rule_book.h"
#include "tests/support/fake_clock.h"

#include <QTest>

using namespace revet;
using namespace revet::policy;
using namespace std::chrono_literals;

class RuleBookTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void changesAtOnce()
    {
        const test::FakeClock clock;
        RuleBook book(NetworkRules(), clock);
        QVERIFY(!judge(book, "a.test"));
        QVERIFY(!book.mayReach(name("a.test")));
        const NetworkRule rule{"a.test"};
        QVERIFY(book.add(rule));
        QVERIFY(judge(book, "a.test"));
        QVERIFY(book.mayReach(name("a.test")));
        QVERIFY(book.add({"a.test:80", false}));
        QVERIFY(!book.judge(name("a.test"), 80).isPermitted);
        QVERIFY(judge(book, "a.test"));
        QVERIFY(book.remove(rule));
        QVERIFY(!judge(book, "a.test"));
        QVERIFY(book.remove(rule).error().code == ErrorCode::NotFound);
    }

    void staysAsItWasWhereAChangeIsRefused()
    {
        const test::FakeClock clock;
        RuleBook book(NetworkRules::compile(std::vector<NetworkRule>{{"a.test"}}).value(), clock);
        QVERIFY(!book.add({"a.test", false})); // then the other could never match
        QVERIFY(!book.add({"*"}));
        QVERIFY(!book.add({"127.0.0.1"}));
        QVERIFY(judge(book, "a.test"));
        QVERIFY(!judge(book, "b.test"));
    }

    void endsWhatHasAnEnd()
    {
        test::FakeClock clock;
        RuleBook book(NetworkRules::compile(std::vector<NetworkRule>{{"a.test"}}).value(), clock);
        QVERIFY(book.add({"*", true, RuleScope::Session, "grant", clock.now() + 5min}));
        QVERIFY(book.add({"b.test", true, RuleScope::Session, "grant", clock.now() + 7min}));
        QVERIFY(judge(book, "c.test"));
        clock.advance(5min - 1us);
        QVERIFY(judge(book, "c.test"));
        clock.advance(1us);
        QVERIFY(!book.mayReach(name("c.test")));
        QVERIFY(!judge(book, "c.test"));
        QVERIFY(judge(book, "b.test"));
        clock.advance(2min);
        QVERIFY(!judge(book, "b.test"));
        QVERIFY(judge(book, "a.test"));
    }

    void countsUses()
    {
        test::FakeClock clock;
        const NetworkRule allowed{"a.test", true, RuleScope::Project, "project"};
        const NetworkRule denied{"b.test", false, RuleScope::User, "config.toml"};
        RuleBook book(NetworkRules::compile(std::vector{allowed, denied}).value(), clock);
        static_cast<void>(judge(book, "a.test"));
        clock.advance(1s);
        const WallTime last = clock.now();
        static_cast<void>(judge(book, "a.test"));
        static_cast<void>(judge(book, "b.test"));
        clock.advance(1s);
        static_cast<void>(judge(book, "c.test"));
        static_cast<void>(book.mayReach(name("a.test")));
        QVERIFY(book.foresee(name("a.test"), 443).isPermitted);
        QVERIFY(book.remove(allowed)); // what it was used for stays known
        QVERIFY(book.add({"d.test"}));
        const auto uses = book.uses();
        QCOMPARE(uses.size(), 3U);
        QVERIFY(uses[0].rule == allowed && uses[0].hits == 2 && uses[0].last == last);
        QVERIFY(uses[1].rule == denied && uses[1].hits == 1 && uses[1].last == last);
        QCOMPARE(uses[2].hits, 0U);
        QVERIFY(book.add(allowed));
        static_cast<void>(judge(book, "a.test"));
        QCOMPARE(book.uses()[0].hits, 3U);
    }

private:
    static HostName name(const char* text) { return HostName::parse(text).value(); }
    static bool judge(RuleBook& book, const char* host) { return book.judge(name(host), 443).isPermitted; }
};

QTEST_GUILESS_MAIN(RuleBookTest)
#include "tst_rule_book.moc"
