// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/profile.h"
#include "tests/engine/policy/resource_text.h"

#include <QTest>

#include <algorithm>

using namespace revet::policy;

class ProfileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void resolvesEveryShippedProfile_data();
    void resolvesEveryShippedProfile();
    void namesTheSourceOfEveryValue();
    void prefersTheNearerWord();
    void mergesSeveralProfiles();
    void bringsWhatAnAgentNeeds();
    void detectsByCommandAndFiles();
    void replacesAProfileOfTheSameName();
    void refusesMistakes_data();
    void refusesMistakes();
    void refusesCycles();
    void saysWhoExtendsWhatIsMissing();
};

namespace {

std::vector<std::pair<std::string, std::string>> shipped()
{
    std::vector<std::pair<std::string, std::string>> texts;
    for (const char* name :
         {"base", "git", "npm", "python", "cargo", "go", "jvm", "maven", "gradle", "claude", "codex"}) {
        texts.emplace_back(name, resourceText(std::string("profiles/") + name + ".toml"));
    }
    return texts;
}

} // namespace

void ProfileTest::resolvesEveryShippedProfile_data()
{
    QTest::addColumn<bool>("hasCommands");
    QTest::newRow("base") << false;
    for (const char* name :
         {"git", "npm", "python", "cargo", "go", "jvm", "maven", "gradle", "claude", "codex"}) {
        QTest::newRow(name) << true;
    }
}

void ProfileTest::resolvesEveryShippedProfile()
{
    QFETCH(const bool, hasCommands);
    const auto set = ProfileSet::load(shipped());
    QVERIFY2(set, set ? "" : revet::toString(set.error()).c_str());
    const auto profile = set->resolve(QTest::currentDataTag());
    QVERIFY(profile);
    QVERIFY(!profile->description.empty());
    QVERIFY(!profile->denyHosts.empty()); // from base
    QCOMPARE(set->profiles().at(QTest::currentDataTag()).exe.empty(), !hasCommands);
}

void ProfileTest::namesTheSourceOfEveryValue()
{
    const auto set = ProfileSet::load({{"a", "extends='b'\nvisible='~/a'\n[set]\nX='1'\n"},
                                       {"b", "visible=['~/b','~/a']\ncache='~/c'\nnotes='n'\n"}});
    QVERIFY(set);
    const auto profile = set->resolve("a");
    QVERIFY(profile);
    QCOMPARE(profile->visible, (SourcedTexts{{"~/a", "a"}, {"~/b", "b"}}));
    QCOMPARE(profile->cache, (SourcedTexts{{"~/c", "b"}}));
    QCOMPARE(profile->set.at("X"), (Sourced<std::string>{"1", "a"}));
    QCOMPARE(profile->notes, (SourcedTexts{{"n", "b"}}));
}

void ProfileTest::prefersTheNearerWord()
{
    const auto set
        = ProfileSet::load({{"a", "extends='b'\n[set]\nX='near'\n"}, {"b", "[set]\nX='far'\nY='y'\n"}});
    QVERIFY(set);
    const auto profile = set->resolve("a");
    QCOMPARE(profile->set.at("X"), (Sourced<std::string>{"near", "a"}));
    QCOMPARE(profile->set.at("Y"), (Sourced<std::string>{"y", "b"}));
}

void ProfileTest::mergesSeveralProfiles()
{
    const auto set = ProfileSet::load(shipped());
    QVERIFY(set);
    const auto profile = set->resolve(std::vector<std::string>{"git", "npm"});
    QVERIFY(profile);
    QCOMPARE(profile->name, std::string("git+npm"));
    QCOMPARE(profile->set.at("npm_config_fund").source, std::string("npm"));
    const auto networks = std::count_if(profile->denyHosts.begin(), profile->denyHosts.end(),
                                        [](const auto& host) { return host.value == "10.0.0.0/8"; });
    QCOMPARE(networks, 1);
    QVERIFY(!set->resolve(std::vector<std::string>{"git", "nope"}));
}

void ProfileTest::bringsWhatAnAgentNeeds()
{
    const auto set = ProfileSet::load(shipped());
    QVERIFY(set);
    const auto claude = set->resolve("claude");
    QCOMPARE(claude->state, (SourcedTexts{{"~/.claude", "claude"}}));
    QCOMPARE(claude->managed.at("/etc/claude-code/managed-settings.json").source, std::string("claude"));
    QVERIFY(claude->modelHosts.size() == 2 && !claude->loginHosts.empty());
    // Arguments are for the profile's own commands.
    const auto mine
        = ProfileSet::load({{"a", "extends='b'\narguments=['-x','-x']\n"}, {"b", "arguments='-y'\n"}});
    QVERIFY(mine);
    QCOMPARE(mine->resolve("a")->arguments, (SourcedTexts{{"-x", "a"}, {"-x", "a"}}));
    QCOMPARE(mine->resolve(std::vector<std::string>{"b", "a", "b"})->arguments,
             (SourcedTexts{{"-y", "b"}, {"-x", "a"}, {"-x", "a"}}));
}

void ProfileTest::detectsByCommandAndFiles()
{
    const auto set = ProfileSet::load(shipped());
    QVERIFY(set);
    using Names = std::vector<std::string>;
    QCOMPARE(set->detect("cargo", {}), (Names{"cargo"}));
    QCOMPARE(set->detect("python3.11", {}), (Names{"python"}));
    QCOMPARE(set->detect("make", {"package.json", ".git", "src"}), (Names{"git", "npm"}));
    QCOMPARE(set->detect("make", {"requirements-dev.txt"}), (Names{"python"}));
    QCOMPARE(set->detect("ls", {"README.md"}), (Names{}));
    QCOMPARE(set->detect("claude", {".git", "pom.xml"}), (Names{"claude", "git", "maven"}));
    QCOMPARE(set->detect("codex", {"gradlew"}), (Names{"codex", "gradle"}));
    QVERIFY(set->isCommandOf("codex", "codex"));
    QVERIFY(!set->isCommandOf("codex", "bash"));
    QVERIFY(!set->isCommandOf("nope", "codex"));
}

void ProfileTest::replacesAProfileOfTheSameName()
{
    const auto set = ProfileSet::load({{"a", "description='shipped'\n"}, {"a", "description='mine'\n"}});
    QVERIFY(set);
    QCOMPARE(set->resolve("a")->description, std::string("mine"));
}

void ProfileTest::refusesMistakes_data()
{
    QTest::addColumn<QByteArray>("toml");
    QTest::addColumn<QByteArray>("where");
    const auto row = [](const char* tag, const char* toml, const char* where) {
        QTest::newRow(tag) << QByteArray(toml) << QByteArray(where);
    };
    row("unknown key", "description='x'\n\nvisable='~/x'\n", "mine.toml:3");
    row("not TOML", "description='x\n", "mine.toml:1");
    row("a key twice", "cache='~/a'\ncache='~/b'\n", "mine.toml:2");
    row("number for a list", "exe=3\n", "mine.toml:1");
    row("number in a list", "exe=['a',\n3]\n", "mine.toml:2");
    row("absolute path", "visible='/etc'\n", "mine.toml:1");
    row("the whole home", "visible='~/'\n", "mine.toml:1");
    row("a path that climbs", "cache='~/a/../..'\n", "mine.toml:1");
    row("a path with wildcards", "state='~/.*'\n", "mine.toml:1");
    row("host with a scheme", "hosts='https://a'\n", "mine.toml:1");
    row("host with a path", "hosts='a/b'\n", "mine.toml:1");
    row("host with a bad port", "hosts='a:0'\n", "mine.toml:1");
    row("host with a bad label", "hosts='-a.b'\n", "mine.toml:1");
    row("star in the middle of a host", "hosts='a.*.b'\n", "mine.toml:1");
    row("half of the world", "model_hosts='*.com'\n", "mine.toml:1");
    row("a token that nobody knows", "hosts='$npm-registri'\n", "mine.toml:1");
    row("a token to deny", "deny_hosts='$npm-registry'\n", "mine.toml:1");
    row("a host that is never reached", "hosts='169.254.169.254'\n", "mine.toml:1");
    row("a denial of the box itself", "deny_hosts='app.localhost'\n", "mine.toml:1");
    row("a host that it denies", "hosts='a.test'\ndeny_hosts='a.test'\n", "mine.toml:1");
    row("hosts that it denies", "login_hosts='10.1.0.0/16'\ndeny_hosts='10.0.0.0/8'\n", "mine.toml:1");
    row("an empty argument", "arguments=['']\n", "mine.toml:1");
    row("a file of the system", "[managed]\n'/etc/passwd'='x'\n", "mine.toml:1");
    row("a file elsewhere", "[managed]\n'/usr/x/y'='x'\n", "mine.toml:1");
    row("a file that climbs", "[managed]\n'/etc/x/../passwd'='x'\n", "mine.toml:1");
    row("a directory", "[managed]\n'/etc/x/'='x'\n", "mine.toml:1");
    row("a file that is a number", "[managed]\n'/etc/x/y'=1\n", "mine.toml:2");
    row("command with a slash", "exe='/bin/a'\n", "mine.toml:1");
    row("variable with a dash", "[set]\nA-B='x'\n", "mine.toml:1");
    row("variable that is a number", "[set]\nA=1\n", "mine.toml:2");
    row("set that is a text", "set='x'\n", "mine.toml:1");
    row("a date", "description=1979-05-27\n", "mine.toml:1");
}

void ProfileTest::refusesMistakes()
{
    QFETCH(const QByteArray, toml);
    QFETCH(const QByteArray, where);
    const auto set = ProfileSet::load({{"mine", toml.toStdString()}});
    QVERIFY(!set);
    QVERIFY(set.error().code == revet::ErrorCode::Malformed);
    QCOMPARE(QByteArray::fromStdString(set.error().operation), where);
    QVERIFY(!set.error().context.empty());
}

void ProfileTest::refusesCycles()
{
    const auto set
        = ProfileSet::load({{"a", "extends='b'\n"}, {"b", "extends='c'\n"}, {"c", "extends='a'\n"}});
    QVERIFY(!set);
    QCOMPARE(set.error().context, std::string("it extends itself: a -> b -> c -> a"));
    QVERIFY(!ProfileSet::load({{"a", "extends='a'\n"}}));
    // Two ways to the same profile are no cycle.
    QVERIFY(ProfileSet::load(
        {{"a", "extends=['b','c']\n"}, {"b", "extends='d'\n"}, {"c", "extends='d'\n"}, {"d", ""}}));
}

void ProfileTest::saysWhoExtendsWhatIsMissing()
{
    const auto set = ProfileSet::load({{"a", "extends='nope'\n"}});
    QVERIFY(!set);
    QVERIFY(set.error().code == revet::ErrorCode::NotFound);
    QCOMPARE(set.error().operation, std::string("find the profile 'nope' that a extends"));
    QVERIFY(!ProfileSet::load({{"Bad Name", ""}}));
}

QTEST_APPLESS_MAIN(ProfileTest)
#include "tst_profile.moc"
