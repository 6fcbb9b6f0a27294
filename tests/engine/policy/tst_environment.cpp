// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/environment.h"
#include "tests/engine/policy/resource_text.h"

#include <QTest>

using namespace revet::policy;

class EnvironmentTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void passesOnlyWhatTheTableNames_data();
    void passesOnlyWhatTheTableNames();
    void saysWhyAVariableIsWithheld();
    void letsExtraNamesCross();
    void keepsOrderAndTheFirstOfTwo();
    void neverPassesNamesThatNoShellSets();
    void refusesMalformedTables();

private:
    EnvironmentTable m_table;
};

void EnvironmentTest::initTestCase()
{
    auto table = EnvironmentTable::parse(resourceText("tables/environment.toml"));
    QVERIFY2(table, table ? "" : revet::toString(table.error()).c_str());
    m_table = std::move(*table);
}

void EnvironmentTest::passesOnlyWhatTheTableNames_data()
{
    QTest::addColumn<bool>("passes");
    const auto row = [](const char* variable, bool passes) { QTest::newRow(variable) << passes; };
    row("TERM=xterm", true);
    row("LC_ALL=C", true);
    row("PATH=/usr/bin", true);
    row("HOME=/home/u", true);
    row("GIT_AUTHOR_NAME=A", true);
    row("CMAKE_BUILD_TYPE=Debug", true);
    row("NODE_OPTIONS=--max-old-space-size=4096", true);
    row("NODE_OPTIONS=--require /tmp/x.js", false);
    row("NODE_OPTIONS=--max-old-space-size=1 --import=./x.mjs", false);
    row("NODE_OPTIONS=-r ./x", false);
    row("GOFLAGS=-mod=vendor", true);
    row("GOFLAGS=-mod=vendor -toolexec=x", false);
    row("UNKNOWN=1", false);
    row("MY_API_KEY=1", false);
    row("AWS_PROFILE=x", false);
    row("GITHUB_TOKEN=x", false);
    row("LC_SECRET=x", false);
    row("CMAKE_AUTH_TOKEN=x", false);
    row("DATABASE_URL=x", false);
    row("SSH_AUTH_SOCK=/x", false);
    row("DISPLAY=:0", false);
    row("WAYLAND_DISPLAY=w", false);
    row("DBUS_SESSION_BUS_ADDRESS=x", false);
    row("TMUX=x", false);
    row("VSCODE_IPC_HOOK_CLI=x", false);
    row("LD_PRELOAD=x", false);
    row("LD_LIBRARY_PATH=x", false);
    row("BASH_ENV=x", false);
    row("GIT_SSH_COMMAND=x", false);
    row("GIT_CONFIG_COUNT=1", false);
    row("http_proxy=http://u:p@h", false);
    row("term=xterm", false);
}

void EnvironmentTest::passesOnlyWhatTheTableNames()
{
    QFETCH(const bool, passes);
    const std::string variable = QTest::currentDataTag();
    const FilteredEnvironment filtered = filterEnvironment({variable}, m_table, {});
    QCOMPARE(filtered.kept.size(), passes ? std::size_t{1} : std::size_t{0});
    QCOMPARE(filtered.withheldNames.empty(), passes);
}

void EnvironmentTest::saysWhyAVariableIsWithheld()
{
    QCOMPARE(m_table.group("GITHUB_TOKEN"), std::string_view("secret"));
    QCOMPARE(m_table.group("SSH_AUTH_SOCK"), std::string_view("control"));
    QCOMPARE(m_table.group("LD_PRELOAD"), std::string_view("injection"));
    QCOMPARE(m_table.group("UNKNOWN"), std::string_view());
    QCOMPARE(m_table.group("GIT_AUTHOR_NAME"), std::string_view());
}

void EnvironmentTest::letsExtraNamesCross()
{
    const std::vector<std::string> variables = {"FOO_A=1", "FOO_TOKEN=2", "OPENAI_API_KEY=3", "BAR=4"};
    const auto filtered = filterEnvironment(variables, m_table, {"FOO_*", "OPENAI_API_KEY", "[bad"});
    // A wildcard does not reach secrets; a name in full does.
    QCOMPARE(filtered.kept, (std::vector<std::string>{"FOO_A=1", "OPENAI_API_KEY=3"}));
    QCOMPARE(filtered.withheldNames, (std::vector<std::string>{"BAR", "FOO_TOKEN"}));
}

void EnvironmentTest::keepsOrderAndTheFirstOfTwo()
{
    const auto filtered = filterEnvironment({"TZ=b", "LANG=a", "TZ=c", "LANG", "=x", ""}, m_table, {});
    QCOMPARE(filtered.kept, (std::vector<std::string>{"TZ=b", "LANG=a"}));
    QVERIFY(filtered.withheldNames.empty());
}

void EnvironmentTest::neverPassesNamesThatNoShellSets()
{
    const auto filtered = filterEnvironment({"BASH_FUNC_ls%%=() { evil; }", "LC_A B=x", "1A=x"}, m_table,
                                            {"*", "1A", "LC_A B"});
    QVERIFY(filtered.kept.empty());
    QCOMPARE(filtered.withheldNames.size(), std::size_t{3});
}

void EnvironmentTest::refusesMalformedTables()
{
    QVERIFY(!EnvironmentTable::parse(""));
    QVERIFY(!EnvironmentTable::parse("pass=['A']\ndeny=['B']\n"));
    QVERIFY(!EnvironmentTable::parse("pass=['A[']\n"));
    QVERIFY(!EnvironmentTable::parse("pass=[1]\n"));
    const auto table = EnvironmentTable::parse("pass=['A']\nsecret='B'\n[unless]\nA=['x', 3]\n");
    QVERIFY(!table);
    QCOMPARE(table.error().operation, std::string("environment.toml:4"));
}

QTEST_APPLESS_MAIN(EnvironmentTest)
#include "tst_environment.moc"
