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
        QCOMPARE(judge(none, "192.0.2.1", 443), "-not listed");
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
