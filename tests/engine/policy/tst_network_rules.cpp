// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/network_rules.h"

#include <QTest>

using namespace revet;
using namespace revet::policy;

namespace {

/// "+rule" or "-rule".
std::string judge(const NetworkRules& rules, const std::string& target, std::uint16_t port)
{
    const auto address = IpAddress::parse(target);
    const auto judged
        = address ? rules.judge(*address, port) : rules.judge(HostName::parse(target).value(), port);
    return (judged.isPermitted ? "+" : "-") + judged.rule;
}

NetworkRules compiled(const std::vector<std::string>& allowed, const std::vector<std::string>& denied = {})
{
    return NetworkRules::compile(allowed, denied).value();
}

} // namespace

class NetworkRulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void allowsNothingByNothing()
    {
        const NetworkRules none = compiled({});
        QVERIFY(none.isEmpty());
        QCOMPARE(judge(none, "example.org", 443), "-not listed");
        QCOMPARE(judge(none, "1.1.1.1", 443), "-not listed");
        QVERIFY(!none.mayReach(HostName::parse("example.org").value()));
    }

    void judgesNamesByNamesAndAddressesByAddresses()
    {
        const NetworkRules rules = compiled(
            {"example.org", "*.example.net:8443", "10.0.0.0/8:5432", "192.0.3.1", "[2606:4700::1]:22"});
        QCOMPARE(judge(rules, "example.org", 443), "+example.org");
        QCOMPARE(judge(rules, "example.org", 80), "+example.org");
        QCOMPARE(judge(rules, "example.org", 22), "-not listed");
        QCOMPARE(judge(rules, "a.example.net", 8443), "+*.example.net:8443");
        QCOMPARE(judge(rules, "a.example.net", 443), "-not listed");
        QCOMPARE(judge(rules, "10.200.0.1", 5432), "+10.0.0.0/8:5432");
        QCOMPARE(judge(rules, "::ffff:10.200.0.1", 5432), "+10.0.0.0/8:5432");
        QCOMPARE(judge(rules, "10.200.0.1", 443), "-not listed");
        QCOMPARE(judge(rules, "192.0.3.1", 443), "+192.0.3.1");
        QCOMPARE(judge(rules, "2606:4700::1", 22), "+[2606:4700::1]:22");
        QVERIFY(rules.mayReach(HostName::parse("a.example.net").value()));
        QVERIFY(!rules.mayReach(HostName::parse("example.net").value()));
    }

    void deniesBeforeItAllows()
    {
        const NetworkRules rules
            = compiled({"**.example.org", "10.0.0.0/8"}, {"bad.example.org", "10.1.0.0/16"});
        QCOMPARE(judge(rules, "good.example.org", 443), "+**.example.org");
        QCOMPARE(judge(rules, "bad.example.org", 443), "-denied: bad.example.org");
        QCOMPARE(judge(rules, "10.1.2.3", 443), "-denied: 10.1.0.0/16");
        QCOMPARE(judge(rules, "10.2.2.3", 443), "+10.0.0.0/8");
    }

    void judgesByWhoSaysIt_data()
    {
        QTest::addColumn<QByteArray>("rules"); // "+allowed -denied", a profile's with "p" in front
        QTest::addColumn<QByteArray>("target"); // "host port"
        QTest::addColumn<QByteArray>("judgement"); // "?" may be asked about
        const auto row = [](const char* rules, const char* target, const char* judgement) {
            QTest::addRow("%s: %s", rules, target)
                << QByteArray(rules) << QByteArray(target) << QByteArray(judgement);
        };
        // A denial that is about a part takes that part.
        row("+a.test -a.test:80", "a.test 443", "+a.test");
        row("+a.test -a.test:80", "a.test 80", "-denied: a.test:80");
        row("-a.test", "a.test 22", "-denied: a.test"); // without a port every port, unlike an allowance
        row("-10.0.0.0/8", "10.0.0.1 5432", "-denied: 10.0.0.0/8");
        row("p-10.0.0.0/8 +10.1.0.0/16:22", "10.1.0.1 22", "+10.1.0.0/16:22");
        row("+**.x.test:8443 -a.x.test", "a.x.test 8443", "-denied: a.x.test");
        row("+**.x.test -*.x.test", "a.x.test 443", "-denied: *.x.test");
        row("+**.x.test -*.x.test", "b.a.x.test 443", "+**.x.test");
        row("+**.x.test -**.y.x.test:8443", "a.y.x.test 443", "+**.x.test");
        row("+1.0.0.0/8 -1.2.0.0/16:80", "1.2.3.4 80", "-denied: 1.2.0.0/16:80");
        row("+1.0.0.0/8 -1.2.0.0/16:80", "1.2.3.4 443", "+1.0.0.0/8");
        row("-1.2.0.0/16 +1.0.0.0/8", "1.2.3.4 80", "-denied: 1.2.0.0/16");
        row("+a.test p-a.test", "a.test 443", "+a.test");
        row("p+a.test -a.test", "a.test 443", "-denied: a.test");
        row("p+a.test p-a.test", "a.test 443", "-denied: a.test");
        row("p+a.test p-a.test:80", "a.test 443", "+a.test");
        row("p+a.test p-**.test.test", "a.test 443", "+a.test");
        row("p-10.0.0.0/8 +10.1.0.0/16", "10.1.2.3 443", "+10.1.0.0/16");
        row("p-10.0.0.0/8 +10.1.0.0/16", "10.2.2.3 443", "-denied: 10.0.0.0/8");
        // Nobody has said anything.
        row("+a.test -b.test", "c.test 443", "?not listed");
        row("+a.test", "a.test 22", "?not listed");
        row("+a.test", "8.8.8.8 443", "?not listed");
        row("", "10.0.0.1 443", "?not listed");
        // What is never reached is nothing to ask about, whatever a rule says.
        row("+0.0.0.0/0", "127.0.0.1 80", "-loopback address");
        row("+169.254.0.0/16", "169.254.169.254 80", "-metadata address");
        row("+fc00::/7", "fd00:ec2::254 80", "-metadata address");
        row("+0.0.0.0/0", "224.0.0.1 80", "-reserved address");
        row("+**.b.localhost.test", "a.localhost 80", "-localhost is the box's own");
        // The whole internet is not the network around the machine.
        row("+0.0.0.0/0", "8.8.8.8 80", "+0.0.0.0/0");
        row("+0.0.0.0/0", "10.0.0.1 80", "?not listed");
        row("+8.0.0.0/5", "10.0.0.1 80", "?not listed");
        row("+8.0.0.0/5 +10.0.0.0/24", "10.0.0.1 80", "+10.0.0.0/24");
        row("+::/0", "2606:4700::1 80", "+::/0");
        row("+::/0", "fe80::1 80", "?not listed");
        row("+172.0.0.0/8", "172.16.0.1 80", "?not listed");
        row("+172.16.0.0/12", "172.16.0.1 80", "+172.16.0.0/12");
        row("+100.64.0.0/10", "100.64.0.1 80", "+100.64.0.0/10");
        // Everything, for a time.
        row("+*", "a.test 22", "+*");
        row("+*", "8.8.8.8 22", "+*");
        row("+*", "2606:4700::1 443", "+*");
        row("+*", "10.0.0.1 443", "?not listed");
        row("+*", "192.168.1.1 443", "?not listed");
        row("+*", "fe80::1 443", "?not listed");
        row("+*", "100.64.0.1 443", "?not listed");
        row("+*", "169.254.169.254 80", "-metadata address");
        row("+*", "127.0.0.1 80", "-loopback address");
        row("+*", "nas 443", "?not listed");
        row("+* -a.test:22", "a.test 22", "-denied: a.test:22");
        row("+* p-a.test", "a.test 443", "+*");
    }
    void judgesByWhoSaysIt()
    {
        QFETCH(const QByteArray, rules);
        QFETCH(const QByteArray, target);
        QFETCH(const QByteArray, judgement);
        std::vector<NetworkRule> given;
        for (const QByteArray& word : rules.split(' ')) {
            const bool isOfProfile = word.startsWith('p');
            const QByteArray rule = isOfProfile ? word.mid(1) : word;
            if (!rule.isEmpty()) {
                given.push_back({rule.mid(1).toStdString(), rule.at(0) == '+',
                                 isOfProfile ? RuleScope::Profile : RuleScope::User, "", WallTime::max()});
            }
        }
        const auto compiled = NetworkRules::compile(given);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        const QByteArrayList words = target.split(' ');
        const std::string host = words.at(0).toStdString();
        const std::uint16_t port = words.at(1).toUShort();
        const auto address = IpAddress::parse(host);
        const auto judged = address ? compiled->judge(*address, port)
                                    : compiled->judge(HostName::parse(host).value(), port);
        const char mark = judged.isPermitted ? '+' : judged.mayAsk ? '?' : '-';
        QCOMPARE(QByteArray::fromStdString(mark + judged.rule), judgement);
        QCOMPARE(judged.index.has_value(),
                 judged.rule != "not listed" && judged.rule.find(" address") == std::string::npos
                     && judged.rule.find("own") == std::string::npos);
    }

    void findsWhatIsDeniedWhole_data()
    {
        QTest::addColumn<QByteArray>("allowed");
        QTest::addColumn<QByteArray>("denied");
        QTest::addColumn<bool>("isWhole");
        const auto row = [](const char* allowed, const char* denied, bool isWhole) {
            QTest::addRow("%s by %s", allowed, denied)
                << QByteArray(allowed) << QByteArray(denied) << isWhole;
        };
        row("a.test", "a.test", true);
        row("a.test", "A.test.", true);
        row("a.test:443", "a.test", true);
        row("a.test", "a.test:443", false);
        row("a.test", "a.test:443 a.test:80", true);
        row("a.test:8443", "a.test", true);
        row("b.a.test", "*.a.test", true);
        row("c.b.a.test", "*.a.test", false);
        row("c.b.a.test", "**.a.test", true);
        row("*.a.test", "*.a.test", true);
        row("*.a.test", "**.a.test", true);
        row("**.a.test", "*.a.test", false);
        row("*.b.a.test", "*.a.test", false);
        row("*.b.a.test", "**.a.test", true);
        row("**.b.a.test", "**.a.test", true);
        row("*.a.test", "b.a.test", false);
        row("a.test", "*.a.test", false);
        row("ba.test", "**.a.test.test", false);
        row("10.1.0.0/16", "10.0.0.0/8", true);
        row("10.0.0.0/8", "10.1.0.0/16", false);
        row("10.0.0.0/8", "10.0.0.0/9 10.128.0.0/9", true);
        row("10.0.0.0/8", "10.0.0.0/9 10.128.0.0/10", false);
        row("10.0.0.0/8", "10.0.0.0/9 10.128.0.0/9:80", false);
        row("10.0.0.0/8:80", "10.0.0.0/9 10.128.0.0/9:80", true);
        row("1.1.1.1", "0.0.0.0/0", true);
        row("1.1.1.1", "::/0", false);
        row("2606:4700::1", "::/0", true);
        row("2606:4700::/32", "2606:4700::/33 2606:4700:8000::/33", true);
        row("::ffff:10.0.0.1", "10.0.0.1", true);
        row("a.test", "10.0.0.0/8", false);
    }
    void findsWhatIsDeniedWhole()
    {
        QFETCH(const QByteArray, allowed);
        QFETCH(const QByteArray, denied);
        QFETCH(const bool, isWhole);
        std::vector<std::string> denials;
        for (const QByteArray& word : denied.split(' ')) {
            denials.push_back(word.toStdString());
        }
        const std::vector<std::string> rule{allowed.toStdString()};
        QCOMPARE(NetworkRules::compile(rule, denials).has_value(), !isWhole);
        // A profile is just narrower then; it could not know of the person's denial.
        std::vector<NetworkRule> rules{{rule.front(), true, RuleScope::Profile}};
        for (const std::string& denial : denials) {
            rules.push_back({denial, false, RuleScope::User});
        }
        const auto compiled = NetworkRules::compile(rules);
        QVERIFY(compiled);
        QCOMPARE(compiled->isEmpty(), isWhole);
        // And a person is not held by a profile's.
        for (NetworkRule& one : rules) {
            one.scope = one.isAllowed ? RuleScope::Project : RuleScope::Profile;
        }
        QVERIFY(NetworkRules::compile(rules));
    }

    void allowsEverythingOnlyForATime()
    {
        QVERIFY(!NetworkRules::compile(std::vector<NetworkRule>{{"*"}}));
        QVERIFY(!NetworkRules::compile(std::vector<NetworkRule>{{"*", false, {}, {}, WallTime::max()}}));
    }

    void looksNothingUpThatIsDenied()
    {
        const auto mayReach = [](const NetworkRules& rules, const char* host) {
            return rules.mayReach(HostName::parse(host).value());
        };
        const NetworkRules rules = compiled({"**.x.test"}, {"a.x.test", "b.x.test:443"});
        QVERIFY(!mayReach(rules, "a.x.test"));
        QVERIFY(mayReach(rules, "b.x.test"));
        QVERIFY(mayReach(rules, "c.x.test"));
        QVERIFY(!mayReach(compiled({}, {"a.test"}), "b.test"));
    }

    void refusesRulesThatCannotBe_data()
    {
        QTest::addColumn<QByteArray>("rule");
        for (const char* const rule : {"",
                                       "*",
                                       "*.com",
                                       "example.org:0",
                                       "example.org:http",
                                       "example.org:443:1",
                                       "localhost",
                                       "app.localhost:3000",
                                       "*.app.localhost",
                                       "127.0.0.1",
                                       "127.0.0.1:80",
                                       "[::1]:80",
                                       "::1",
                                       "169.254.169.254",
                                       "[fd00:ec2::254]:80",
                                       "::ffff:169.254.169.254",
                                       "0.0.0.0",
                                       "224.0.0.1",
                                       "198.18.0.1:53",
                                       "10.0.0.1/8",
                                       "10.0.0.0/33",
                                       "[2001:db8::1",
                                       "[2001:db8::1]443",
                                       "1.2.3",
                                       "127.0.0.0/8",
                                       "224.0.0.0/4",
                                       "224.0.0.0/3",
                                       "198.18.0.0/15",
                                       "198.51.100.0/25",
                                       "169.254.169.254/32",
                                       "ff00::/8",
                                       "2001:db8::/48",
                                       "fd00:ec2::/32",
                                       "denied.test"}) {
            QTest::newRow(rule) << QByteArray(rule);
        }
    }
    void refusesRulesThatCannotBe()
    {
        QFETCH(const QByteArray, rule);
        const std::vector<std::string> allowed{rule.toStdString()};
        const std::vector<std::string> denied{"denied.test"};
        const auto rules = NetworkRules::compile(allowed, denied);
        QVERIFY(!rules.has_value());
        QVERIFY(rules.error().code == ErrorCode::Malformed);
        if (rule != "denied.test") {
            QVERIFY(!NetworkRules::compile({}, allowed)); // a denial of it would be as empty
        }
    }

    void saysItsRulesInNormalForm()
    {
        const NetworkRules rules = compiled({"EXAMPLE.org.", "[2606:4700:0::1]:22", "10.0.0.0/8"});
        QCOMPARE(rules.allowed(),
                 (std::vector<std::string>{"example.org", "[2606:4700::1]:22", "10.0.0.0/8"}));
        QCOMPARE(compiled(rules.allowed()).allowed(), rules.allowed());
    }
};

QTEST_GUILESS_MAIN(NetworkRulesTest)
#include "tst_network_rules.moc"
