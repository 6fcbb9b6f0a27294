// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/settings.h"
#include "engine/policy/settings_merge.h"

#include <QTest>

using namespace revet::policy;
using namespace std::chrono_literals;
using revet::ObserveLevel;
using revet::Tier;

namespace {

constexpr const char* kFull = "tier = \"container\"\n"
                              "observe = \"writes\"\n"
                              "on_ask = \"90s\"\n"
                              "profiles = [\"git\", \"npm\"]\n"
                              "unhide = [\".env\", \"certs/*.pem\"]\n"
                              "bind_ro = [\"/opt/data\", \"~/shared\"]\n"
                              "bind_rw = [\"/srv/out\"]\n"
                              "allow_hosts = [\"example.org\", \"*.example.org:8443\", \"[2a::1]:80\"]\n"
                              "deny_hosts = [\"ads.example.org\"]\n"
                              "env = [\"CI\", \"GREETING=hello \\\"you\\\"\\n\"]\n"
                              "\n"
                              "[limits]\n"
                              "memory = \"4G\"\n"
                              "processes = 512\n"
                              "disk = \"1536M\"\n"
                              "time = \"90m\"\n"
                              "\n"
                              "[undo]\n"
                              "budget = \"3G\"\n"
                              "largest = \"64M\"\n"
                              "brake = 0\n";

} // namespace

class SettingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsEveryKey();
    void readsBackWhatItWrites();
    void refusesMistakes_data();
    void refusesMistakes();
    void appliesAssignments_data();
    void appliesAssignments();
    void leavesSettingsAloneWhenAnAssignmentFails_data();
    void leavesSettingsAloneWhenAnAssignmentFails();
    void mergesWithTheSourceOfEachValue();
    void takesOnlyWhatTightens_data();
    void takesOnlyWhatTightens();
    void saysWhatARepositoryMayNotDo();
};

void SettingsTest::readsEveryKey()
{
    const auto settings = parseSettings(kFull, "config.toml");
    QVERIFY2(settings, settings ? "" : revet::toString(settings.error()).c_str());
    QCOMPARE(settings->tier, std::optional(Tier::Container));
    QCOMPARE(settings->observe, std::optional(ObserveLevel::Writes));
    QCOMPARE(settings->onAsk, std::optional(OnAsk{OnAsk::Kind::Deadline, 90s}));
    QCOMPARE(settings->profiles, (std::vector<std::string>{"git", "npm"}));
    QCOMPARE(settings->unhide.size(), std::size_t{2});
    QCOMPARE(settings->bindRw, (std::vector<std::string>{"/srv/out"}));
    QCOMPARE(settings->allowHosts.size(), std::size_t{3});
    QCOMPARE(settings->env[1], std::string("GREETING=hello \"you\"\n"));
    QCOMPARE(settings->limits.memoryBytes, std::optional<std::uint64_t>(4ULL << 30U));
    QCOMPARE(settings->limits.processes, std::optional<std::uint64_t>(512));
    QCOMPARE(settings->limits.diskBytes, std::optional<std::uint64_t>(1536ULL << 20U));
    QCOMPARE(settings->limits.time, std::optional<std::chrono::seconds>(90min));
    QCOMPARE(settings->undo.budgetBytes, std::optional<std::uint64_t>(3ULL << 30U));
    QCOMPARE(settings->undo.largestBytes, std::optional<std::uint64_t>(64ULL << 20U));
    QCOMPARE(settings->undo.brake, std::optional<std::uint64_t>(0));
    QCOMPARE(*parseSettings("", "config.toml"), Settings{});
}

void SettingsTest::readsBackWhatItWrites()
{
    Settings settings = *parseSettings(kFull, "a");
    settings.env.emplace_back("ODD=\x01\x7f\\\xc3\xa4\t");
    const auto again = parseSettings(toToml(settings), "b");
    QVERIFY2(again, again ? "" : revet::toString(again.error()).c_str());
    QCOMPARE(*again, settings);
    QCOMPARE(toToml(Settings{}), std::string());
}

void SettingsTest::refusesMistakes_data()
{
    QTest::addColumn<QByteArray>("toml");
    QTest::addColumn<QByteArray>("where");
    const auto row = [](const char* tag, const char* toml, const char* where) {
        QTest::newRow(tag) << QByteArray(toml) << QByteArray(where);
    };
    row("misspelt key", "tier='sandbox'\nallow_host='a'\n", "p.toml:2");
    row("unknown tier", "tier='jail'\n", "p.toml:1");
    row("tier that is a number", "tier=true\n", "p.toml:1");
    row("unknown level", "\nobserve='all'\n", "p.toml:2");
    row("bad on_ask", "on_ask='maybe'\n", "p.toml:1");
    row("bad duration", "on_ask='0s'\n", "p.toml:1");
    row("relative bind", "bind_ro='data'\n", "p.toml:1");
    row("bind that climbs", "bind_rw='/a/../etc'\n", "p.toml:1");
    row("absolute unhide", "unhide='/etc/shadow'\n", "p.toml:1");
    row("unhide that climbs", "unhide='../x'\n", "p.toml:1");
    row("host with a scheme", "allow_hosts='http://a'\n", "p.toml:1");
    row("empty host", "allow_hosts=['']\n", "p.toml:1");
    row("half of the world", "allow_hosts=['*.com']\n", "p.toml:1");
    row("a denial of what is never reached", "deny_hosts=['localhost']\n", "p.toml:1");
    row("a host that is never reached", "allow_hosts=['169.254.169.254']\n", "p.toml:1");
    row("bad variable", "env=['A-B=1']\n", "p.toml:1");
    row("bad profile", "profiles='../x'\n", "p.toml:1");
    row("unknown limit", "[limits]\nfiles='3'\n", "p.toml:2");
    row("bare size", "[limits]\nmemory=4096\n", "p.toml:2");
    row("size without a number", "[limits]\nmemory='G'\n", "p.toml:2");
    row("size that overflows", "[limits]\nmemory='99999999999999G'\n", "p.toml:2");
    row("no processes", "[limits]\nprocesses=0\n", "p.toml:2");
    row("negative processes", "[limits]\nprocesses=-1\n", "p.toml:2");
    row("limits that are a text", "limits='none'\n", "p.toml:1");
    row("unknown part of undo", "[undo]\ndays='3'\n", "p.toml:2");
    row("undo that is a text", "undo='none'\n", "p.toml:1");
    row("negative brake", "[undo]\nbrake=-1\n", "p.toml:2");
    row("not TOML", "tier=\n", "p.toml:1");
}

void SettingsTest::refusesMistakes()
{
    QFETCH(const QByteArray, toml);
    QFETCH(const QByteArray, where);
    const auto settings = parseSettings(toml.toStdString(), "p.toml");
    QVERIFY(!settings);
    QCOMPARE(QByteArray::fromStdString(settings.error().operation), where);
    QVERIFY(!settings.error().context.empty());
}

void SettingsTest::appliesAssignments_data()
{
    QTest::addColumn<QByteArray>("expected"); // TOML
    const auto row = [](const char* assignment, const char* expected) {
        QTest::newRow(assignment) << QByteArray(expected);
    };
    row("tier=container", "tier='container'\nenv=['A','B']\n");
    row("tier=", "env=['A','B']\n");
    row("env+=C=1", "tier='sandbox'\nenv=['A','B','C=1']\n");
    row("env+=A", "tier='sandbox'\nenv=['A','B']\n");
    row("env-=A", "tier='sandbox'\nenv='B'\n");
    row("env=Z", "tier='sandbox'\nenv='Z'\n");
    row("env=", "tier='sandbox'\n");
    row("limits.memory=2G", "tier='sandbox'\nenv=['A','B']\n[limits]\nmemory='2G'\n");
    row("undo.brake=5", "tier='sandbox'\nenv=['A','B']\n[undo]\nbrake=5\n");
    row("on_ask=deny", "tier='sandbox'\nenv=['A','B']\non_ask='deny'\n");
    row("bind_ro+=/opt", "tier='sandbox'\nenv=['A','B']\nbind_ro='/opt'\n");
}

void SettingsTest::appliesAssignments()
{
    QFETCH(const QByteArray, expected);
    Settings settings = *parseSettings("tier='sandbox'\nenv=['A','B']\n", "p");
    const auto applied = applyAssignment(&settings, QTest::currentDataTag());
    QVERIFY2(applied, applied ? "" : revet::toString(applied.error()).c_str());
    QCOMPARE(settings, *parseSettings(expected.toStdString(), "expected"));
}

void SettingsTest::leavesSettingsAloneWhenAnAssignmentFails_data()
{
    QTest::addColumn<QByteArray>("assignment");
    for (const char* assignment : {"tier", "=x", "tier+=vm", "tier=jail", "nope=1", "env-=Z", "env+=A-B",
                                   "limits=1", "limits.memory=4096", "bind_ro=x", "limits.processes=many"}) {
        QTest::newRow(assignment) << QByteArray(assignment);
    }
}

void SettingsTest::leavesSettingsAloneWhenAnAssignmentFails()
{
    QFETCH(const QByteArray, assignment);
    const Settings before = *parseSettings(kFull, "p");
    Settings settings = before;
    const auto applied = applyAssignment(&settings, assignment.toStdString());
    QVERIFY(!applied);
    QVERIFY(!applied.error().context.empty());
    QCOMPARE(settings, before);
}

void SettingsTest::mergesWithTheSourceOfEachValue()
{
    const Settings user = *parseSettings("tier='container'\nprofiles=['git']\nenv=['A=1','B']\n", "u");
    const Settings project = *parseSettings("tier='sandbox'\nprofiles=['git','npm']\nenv='A=2'\n"
                                            "[limits]\ntime='1h'\n",
                                            "p");
    const EffectiveSettings merged = mergeSettings({{"config.toml", user}, {"project", project}});
    QCOMPARE(merged.tier, std::optional(Sourced<Tier>{Tier::Sandbox, "project"}));
    QCOMPARE(merged.profiles, (SourcedTexts{{"git", "config.toml"}, {"npm", "project"}}));
    QCOMPARE(merged.env, (SourcedTexts{{"B", "config.toml"}, {"A=2", "project"}}));
    QCOMPARE(merged.time, std::optional(Sourced<std::chrono::seconds>{1h, "project"}));
    QVERIFY(!merged.observe);
    QCOMPARE(merged.settings().env, (std::vector<std::string>{"B", "A=2"}));
    QCOMPARE(merged.settings().tier, std::optional(Tier::Sandbox));
}

void SettingsTest::takesOnlyWhatTightens_data()
{
    QTest::addColumn<QByteArray>("inForce");
    QTest::addColumn<QByteArray>("repository");
    QTest::addColumn<bool>("isTaken");
    const auto row = [](const char* tag, const char* inForce, const char* repository, bool isTaken) {
        QTest::newRow(tag) << QByteArray(inForce) << QByteArray(repository) << isTaken;
    };
    row("sandbox to container", "tier='sandbox'\n", "tier='container'\n", true);
    row("default to container", "", "tier='container'\n", true);
    row("sandbox to host", "tier='sandbox'\n", "tier='host'\n", false);
    row("default to host", "", "tier='host'\n", false);
    row("container to sandbox", "tier='container'\n", "tier='sandbox'\n", false);
    row("container to airgap", "tier='container'\n", "tier='airgap'\n", true);
    row("airgap to vm", "tier='airgap'\n", "tier='vm'\n", false);
    row("vm to airgap", "tier='vm'\n", "tier='airgap'\n", false);
    row("sandbox to remote", "tier='sandbox'\n", "tier='remote'\n", false);
    row("host to sandbox", "tier='host'\n", "tier='sandbox'\n", true);
    row("record more", "observe='exec'\n", "observe='full'\n", true);
    row("record less", "observe='full'\n", "observe='exec'\n", false);
    row("record less than the default", "", "observe='writes'\n", false);
    row("deny instead of wait", "", "on_ask='deny'\n", true);
    row("wait instead of deny", "on_ask='deny'\n", "on_ask='wait'\n", false);
    row("deadline instead of deny", "on_ask='deny'\n", "on_ask='5s'\n", false);
    row("shorter deadline", "on_ask='1h'\n", "on_ask='5m'\n", true);
    row("longer deadline", "on_ask='5m'\n", "on_ask='1h'\n", false);
    row("longer than waiting", "", "on_ask='1h'\n", false);
    row("less memory", "[limits]\nmemory='4G'\n", "[limits]\nmemory='1G'\n", true);
    row("more memory", "[limits]\nmemory='1G'\n", "[limits]\nmemory='4G'\n", false);
    row("a limit where there is none", "", "[limits]\ntime='1h'\n", true);
    row("a brake that takes hold earlier", "", "[undo]\nbrake=50\n", true);
    row("a brake where there is none", "[undo]\nbrake=0\n", "[undo]\nbrake=500\n", true);
    row("a brake that takes hold later", "", "[undo]\nbrake=500\n", false);
    row("no brake", "", "[undo]\nbrake=0\n", false);
    row("more undo", "", "[undo]\nbudget='9G'\n", false);
    row("less undo", "", "[undo]\nlargest='1M'\n", false);
    row("host", "", "allow_hosts='example.org'\n", false);
    row("denied host", "", "deny_hosts='example.org'\n", true);
    row("bind", "", "bind_rw='/etc'\n", false);
    row("read-only bind", "", "bind_ro='~/.ssh'\n", false);
    row("unhide", "", "unhide='.env'\n", false);
    row("environment", "", "env='AWS_SECRET_ACCESS_KEY'\n", false);
    row("profile", "", "profiles='npm'\n", false);
}

void SettingsTest::takesOnlyWhatTightens()
{
    QFETCH(const QByteArray, inForce);
    QFETCH(const QByteArray, repository);
    QFETCH(const bool, isTaken);
    const Settings wanted = *parseSettings(repository.toStdString(), "r");
    const Tightening tightening = tightenedBy(*parseSettings(inForce.toStdString(), "f"), wanted);
    QCOMPARE(tightening.taken, isTaken ? wanted : Settings{});
    QCOMPARE(tightening.ignored.size(), isTaken ? std::size_t{0} : std::size_t{1});
}

void SettingsTest::saysWhatARepositoryMayNotDo()
{
    const Settings inForce = *parseSettings("tier='container'\nallow_hosts='a.b'\n", "f");
    const Settings wanted = *parseSettings(
        "tier='host'\nallow_hosts=['a.b','c.d']\nbind_rw='~/x'\n[limits]\nprocesses=10\n", "r");
    const Tightening tightening = tightenedBy(inForce, wanted);
    QCOMPARE(tightening.taken.limits.processes, std::optional<std::uint64_t>(10));
    QCOMPARE(tightening.ignored,
             (std::vector<std::string>{"tier = host", "bind_rw = ~/x", "allow_hosts = c.d"}));
    // What is already so is neither taken nor reported.
    QVERIFY(tightenedBy(inForce, inForce).ignored.empty());
}

QTEST_APPLESS_MAIN(SettingsTest)
#include "tst_settings.moc"
