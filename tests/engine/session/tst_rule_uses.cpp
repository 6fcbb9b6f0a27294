// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/rule_uses.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <thread>

using namespace revet;
using namespace std::chrono_literals;
using policy::NetworkRule;
using policy::RuleBook;
using policy::RuleScope;
using session::addRuleUses;
using session::readRuleUses;

class RuleUsesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addsUp()
    {
        const test::TempHome home;
        QVERIFY(readRuleUses(home.home())->empty());
        const NetworkRule allowed{"a.test", true, RuleScope::Project, "project"};
        const NetworkRule denied{"a.test", false, RuleScope::User, "config.toml"};
        const NetworkRule unused{"b.test"};
        QVERIFY(addRuleUses(home.home(), {{allowed, 2, WallTime(5s)}, {denied, 1, WallTime(3s)}, {unused}}));
        QVERIFY(addRuleUses(home.home(), {{denied, 4, WallTime(9s)}, {allowed, 1, WallTime(4s)}}));
        const auto uses = readRuleUses(home.home());
        QVERIFY(uses);
        QCOMPARE(uses->size(), 2U);
        QVERIFY(uses->at(0).source == "config.toml" && !uses->at(0).isAllowed && uses->at(0).hits == 5
                && uses->at(0).last == WallTime(9s));
        QVERIFY(uses->at(1).source == "project" && uses->at(1).isAllowed && uses->at(1).hits == 3
                && uses->at(1).last == WallTime(5s)); // the later of the two
    }

    void writesNothingForNothing()
    {
        const test::TempHome home;
        QVERIFY(addRuleUses(home.home(), {{NetworkRule{"a.test"}}}));
        QVERIFY(!std::filesystem::exists(home.home() / "rule-uses.json"));
    }

    void losesNoneOfSessionsThatEndTogether()
    {
        const test::TempHome home;
        std::vector<std::thread> sessions;
        std::atomic<int> added = 0;
        for (int i = 0; i < 8; ++i) {
            sessions.emplace_back([&] {
                for (int j = 0; j < 5; ++j) {
                    added += addRuleUses(home.home(), {{NetworkRule{"a.test"}, 1, WallTime(1s)}}).has_value();
                }
            });
        }
        for (std::thread& session : sessions) {
            session.join();
        }
        QCOMPARE(added.load(), 40);
        QCOMPARE(readRuleUses(home.home())->at(0).hits, 40U);
    }

    void forgetsTheOldest()
    {
        const test::TempHome home;
        std::vector<RuleBook::Use> uses;
        for (int i = 0; i < 600; ++i) {
            uses.push_back(
                {NetworkRule{"h" + std::to_string(i) + ".test"}, 1, WallTime(std::chrono::seconds(i))});
        }
        QVERIFY(addRuleUses(home.home(), uses));
        const auto kept = readRuleUses(home.home());
        QCOMPARE(kept->size(), 500U);
        QCOMPARE(kept->front().text, std::string("h599.test"));
    }

    void namesAFileThatIsNone()
    {
        const test::TempHome home;
        for (const char* const text : {"garbage", "{\"a\":1}", "[{\"hits\":\"x\"}]", "[1]"}) {
            test::writeFile(home.home() / "rule-uses.json", text);
            QVERIFY2(!readRuleUses(home.home()), text);
        }
    }
};

QTEST_APPLESS_MAIN(RuleUsesTest)
#include "tst_rule_uses.moc"
