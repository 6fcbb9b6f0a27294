// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/tool_configuration.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <filesystem>

using namespace revet;
using session::ToolConfiguration;
using test::writeFile;

/// Which files and variables say where a tool fetches from. What this machine's own files say may come
/// behind.
class ToolConfigurationTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_world = std::make_unique<test::TempHome>();
        m_home = std::filesystem::canonical(m_world->home());
        m_project = m_home + "/project";
        m_environment.clear();
    }

    void readsEachToolsFiles_data()
    {
        QTest::addColumn<QByteArray>("token");
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("value");
        const auto row = [](const char* token, const char* file, const char* text, const char* value) {
            QTest::addRow("%s %s", token, file)
                << QByteArray(token) << QByteArray(file) << QByteArray(text) << QByteArray(value);
        };
        const char* const npm = "@x:registry=https://other.test\nregistry=https://u:w@a.test/\n";
        row("$npm-registry", ".npmrc", npm, "https://a.test/");
        row("$npm-registry", ".config/pnpm/rc", npm, "https://a.test/");
        const char* const pip = "[global]\nindex-url=https://u:w@a.test/s\n";
        row("$python-index", ".config/pip/pip.conf", pip, "https://a.test/s");
        row("$python-index", ".pip/pip.conf", pip, "https://a.test/s");
        row("$python-index", ".config/uv/uv.toml", "index-url='https://a.test'", "");
        row("$cargo-registry", ".cargo/config.toml", "[registries.a]\nindex='sparse+https://a.test/'", "");
        row("$cargo-registry", ".cargo/config", "[source.a]\nregistry='https://a.test/'", "");
        row("$go-proxy", ".config/go/env", "GOPROXY=https://u:w@a.test,direct\n", "https://a.test,direct");
        row("$go-sumdb", ".config/go/env", "GOSUMDB=a.test+1+k\n", "a.test+1+k");
        row("$maven-repositories", ".m2/settings.xml", "<mirror><url>https://a.test/m</url></mirror>", "");
    }
    void readsEachToolsFiles()
    {
        QFETCH(const QByteArray, token);
        QFETCH(const QByteArray, file);
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, value);
        QVERIFY(!leadsToA(token.constData()));
        const std::filesystem::path path = std::filesystem::path(m_home) / file.toStdString();
        writeFile(path, text.toStdString());
        QVERIFY(leadsToA(token.constData()));
        if (!value.isEmpty()) {
            QCOMPARE(find(token.constData()).value, value.toStdString());
        }
        // A link into the project is the project's word.
        const std::filesystem::path inProject = std::filesystem::path(m_project) / "config";
        writeFile(inProject, text.toStdString());
        std::filesystem::remove(path);
        std::filesystem::create_symlink(inProject, path);
        QVERIFY(!leadsToA(token.constData()));
    }

    void readsVariables_data()
    {
        QTest::addColumn<QByteArray>("token");
        QTest::addColumn<QByteArray>("variable");
        const auto row = [](const char* token, const char* variable) {
            QTest::newRow(variable) << QByteArray(token) << QByteArray(variable);
        };
        row("$npm-registry", "npm_config_registry=https://u:w@a.test/");
        row("$npm-registry", "NPM_CONFIG_REGISTRY=https://a.test/");
        row("$npm-registry", "NPM_CONFIG_REGISTRY=https://me:x,u:w@a.test/");
        row("$python-index", "PIP_INDEX_URL=https://me:x|u:w@a.test/");
        row("$SOME_BASE_URL", "SOME_BASE_URL=https://me:x u:w@a.test/");
        row("$python-index", "PIP_INDEX_URL=https://a.test/");
        row("$python-index", "PIP_EXTRA_INDEX_URL=https://b.test https://a.test/");
        row("$python-index", "UV_DEFAULT_INDEX=https://a.test");
        row("$cargo-registry", "CARGO_REGISTRIES_MINE_INDEX=sparse+https://a.test/");
        row("$go-proxy", "GOPROXY=https://b.test|https://a.test");
        row("$go-sumdb", "GOSUMDB=off https://a.test");
        row("$SOME_BASE_URL", "SOME_BASE_URL=https://a.test/v1");
    }
    void readsVariables()
    {
        QFETCH(const QByteArray, token);
        QFETCH(const QByteArray, variable);
        m_environment = {variable.toStdString()};
        QVERIFY(leadsToA(token.constData()));
        QVERIFY(find(token.constData()).value.find("u:w") == std::string::npos);
    }

    void followsToolsToTheirPlaces()
    {
        const std::filesystem::path tools = std::filesystem::path(m_home) / "tools";
        writeFile(tools / "bin/node", "");
        writeFile(tools / "bin/go", "");
        writeFile(tools / "etc/npmrc", "registry=https://a.test\n");
        writeFile(tools / "go.env", "GOPROXY=https://a.test\n");
        const std::filesystem::path links = std::filesystem::path(m_home) / "links";
        std::filesystem::create_directories(links);
        std::filesystem::create_symlink(tools / "bin/node", links / "node");
        m_environment = {"PATH=/nowhere::" + links.string() + ":" + (tools / "bin").string()};
        QVERIFY(leadsToA("$npm-registry"));
        QVERIFY(leadsToA("$go-proxy"));
        m_environment.emplace_back("GOPROXY=off");
        QVERIFY(!leadsToA("$go-proxy"));
    }

private:
    [[nodiscard]] ToolConfiguration::Found find(const char* token) const
    {
        return ToolConfiguration(m_environment, m_home, m_project).find(token);
    }
    [[nodiscard]] bool leadsToA(const char* token) const
    {
        for (const std::string& address : find(token).addresses) {
            if (policy::ruleOfAddress(address) == "a.test:443") {
                return true;
            }
        }
        return false;
    }

    std::unique_ptr<test::TempHome> m_world;
    std::string m_home;
    std::string m_project;
    std::vector<std::string> m_environment;
};

QTEST_APPLESS_MAIN(ToolConfigurationTest)
#include "tst_tool_configuration.moc"
