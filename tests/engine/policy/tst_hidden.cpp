// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/hidden.h"
#include "tests/engine/policy/resource_text.h"

#include <QTest>

using namespace revet::policy;

class HiddenTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void findsSecretPlaces_data();
    void findsSecretPlaces();
    void findsSecretFilesInProjects_data();
    void findsSecretFilesInProjects();
    void takesAHomeWithWildcardsAsItIs();
    void leavesOutARuntimeDirectoryThatIsNotThere();
    void refusesMalformedTables_data();
    void refusesMalformedTables();

private:
    HiddenTable m_table;
    HiddenNames m_names;
};

void HiddenTest::initTestCase()
{
    auto table = HiddenTable::parse(resourceText("tables/hidden.toml"), {"/home/u", "/run/user/1500"});
    QVERIFY2(table, table ? "" : revet::toString(table.error()).c_str());
    QVERIFY(table->entries().size() > 200);
    m_table = std::move(*table);
    auto names = HiddenNames::parse(resourceText("tables/hidden.toml"));
    QVERIFY2(names, names ? "" : revet::toString(names.error()).c_str());
    m_names = std::move(*names);
}

void HiddenTest::findsSecretPlaces_data()
{
    QTest::addColumn<QByteArray>("group"); // empty: not hidden
    const auto row = [](const char* path, const char* group) { QTest::newRow(path) << QByteArray(group); };
    row("/home/u/.ssh", "ssh and gpg");
    row("/home/u/.ssh/id_ed25519", "ssh and gpg");
    row("/home/u/.sshx", "");
    row("/home/u/.gnupg/private-keys-v1.d/a", "ssh and gpg");
    row("/run/user/1500/gnupg/S.gpg-agent", "ssh and gpg");
    row("/tmp/ssh-abc/agent.1", "ssh and gpg");
    row("/home/u/.aws/credentials", "cloud");
    row("/home/u/.ansible/vault_pass", "cloud");
    row("/home/u/.kube/config", "kubernetes");
    row("/var/run/docker.sock", "containers");
    row("/run/user/1500/podman/podman.sock", "containers");
    row("/home/u/.config/gh/hosts.yml", "version control");
    row("/home/u/.npmrc", "registries");
    row("/home/u/.cargo/credentials.toml", "registries");
    row("/home/u/.cargo/bin/cargo", "");
    row("/home/u/.pgpass", "databases");
    row("/home/u/.config/google-chrome-beta/Default/Cookies", "browsers");
    row("/home/u/.local/share/keyrings/login.keyring", "password stores");
    row("/home/u/docs/deep/all.kdbx", "password stores");
    row("/srv/all.kdbx", "password stores");
    row("/home/u/.config/discord/x", "mail and chat");
    row("/home/u/.bitcoin/wallet.dat", "wallets");
    row("/etc/wireguard/wg0.conf", "networks");
    row("/etc/shadow", "system");
    row("/etc/shadow-", "system");
    row("/etc/passwd", "");
    row("/root/.profile", "system");
    row("/home/other/file", "other users");
    row("/home/other", "other users");
    row("/home/u/project/file", "");
    row("/home/u", "");
    row("/home", "");
    row("/run/user/1000/bus", "other users");
    row("/run/user/1500/wayland-0", "desktop and session");
    row("/run/user/1500/mine", "");
    row("/tmp/.X11-unix/X0", "desktop and session");
    row("/home/u/.bash_history", "history");
    row("/home/u/.python_history", "history");
    row("/home/u/.config/Code/User/globalStorage/state.vscdb", "editors");
    row("/home/u/.config/Code/User/settings.json", "");
    row("/home/u/.claude.json", "agents");
    row("/home/u/.config/revet/config.toml", "Revet");
    row("/run/user/1500/revet/control.sock", "Revet");
    row("/usr/bin/env", "");
    row("relative/.ssh", "");
    row("", "");
}

void HiddenTest::findsSecretPlaces()
{
    QFETCH(const QByteArray, group);
    const auto entry = m_table.match(QTest::currentDataTag());
    QCOMPARE(QByteArray::fromStdString(entry ? entry->group : std::string()), group);
}

void HiddenTest::findsSecretFilesInProjects_data()
{
    QTest::addColumn<bool>("isHidden");
    const auto row = [](const char* path, bool isHidden) { QTest::newRow(path) << isHidden; };
    row(".env", true);
    row("packages/a/.env", true);
    row(".env.local", true);
    row(".env.example", false);
    row("sub/.env.template", false);
    row(".envrc", true);
    row("certs/server.pem", true);
    row("id_rsa", true);
    row("id_ed25519.pub", false);
    row("terraform.tfstate.backup", true);
    row("secrets.yaml", true);
    row("secrets.py", false);
    row("config/master.key", true);
    row("config/credentials/production.key", true);
    row("service-account-prod.json", true);
    row("kubeconfig", true);
    row("appsettings.Development.local.json", true);
    row("appsettings.json", false);
    row("node_modules/x/test/server.pem", false);
    row(".venv/lib/certifi/cacert.pem", false);
    row("environment.ts", false);
    row("src/key.cpp", false);
    row("README.md", false);
}

void HiddenTest::findsSecretFilesInProjects()
{
    QFETCH(const bool, isHidden);
    QCOMPARE(m_names.match(QTest::currentDataTag()), isHidden);
}

void HiddenTest::takesAHomeWithWildcardsAsItIs()
{
    const auto table
        = HiddenTable::parse("[[group]]\nname='a'\npaths=['~/.x','~/.y*']\n", {"/home/{a,b}*", ""});
    QVERIFY(table);
    QVERIFY(table->match("/home/{a,b}*/.x"));
    QVERIFY(table->match("/home/{a,b}*/.y1"));
    QVERIFY(!table->match("/home/a/.x"));
    QVERIFY(!table->match("/home/{a,b}c/.y1"));
}

void HiddenTest::leavesOutARuntimeDirectoryThatIsNotThere()
{
    const auto table
        = HiddenTable::parse("[[group]]\nname='a'\npaths=['${XDG_RUNTIME_DIR}/x','/y']\n", {"/home/u", ""});
    QVERIFY(table);
    QCOMPARE(table->entries().size(), std::size_t{1});
    QVERIFY(!table->match("/x"));
}

void HiddenTest::refusesMalformedTables_data()
{
    QTest::addColumn<QByteArray>("toml");
    QTest::newRow("no groups") << QByteArray("");
    QTest::newRow("group without paths") << QByteArray("[[group]]\nname='a'\n");
    QTest::newRow("relative path") << QByteArray("[[group]]\nname='a'\npaths='x'\n");
    QTest::newRow("unknown variable") << QByteArray("[[group]]\nname='a'\npaths='${X}/y'\n");
    QTest::newRow("open brace") << QByteArray("[[group]]\nname='a'\npaths='/a{b'\n");
    QTest::newRow("unknown key") << QByteArray("[[group]]\nname='a'\npaths='/a'\nhide=true\n");
}

void HiddenTest::refusesMalformedTables()
{
    QFETCH(const QByteArray, toml);
    QVERIFY(!HiddenTable::parse(toml.toStdString(), {"/home/u", ""}));
    QVERIFY(!HiddenTable::parse("[[group]]\nname='a'\npaths='~/x'\n", {"home", ""}));
    QVERIFY(!HiddenNames::parse("[project]\npaths='/b'\n"));
    QVERIFY(!HiddenNames::parse("[project]\nnames='b'\n"));
    QVERIFY(!HiddenNames::parse("[projects]\npaths='b'\n"));
}

QTEST_APPLESS_MAIN(HiddenTest)
#include "tst_hidden.moc"
