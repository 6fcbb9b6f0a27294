// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/tool_hosts.h"

#include <QTest>

using namespace revet::policy;

namespace {

QByteArray joined(const Addresses& addresses)
{
    QByteArray text;
    for (const std::string& address : addresses) {
        text += (text.isEmpty() ? "" : " ") + QByteArray::fromStdString(address);
    }
    return text;
}

} // namespace

class ToolHostsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsConfigurations_data()
    {
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("addresses");
        const auto row = [](const char* tag, const char* format, const char* text, const char* addresses) {
            QTest::newRow(tag) << QByteArray(format) << QByteArray(text) << QByteArray(addresses);
        };
        row("npm", "npm", "registry=https://a.test/\n", "https://a.test/");
        row("npm, in quotes", "npm", "  registry = \"https://a.test/x\"\r\n", "https://a.test/x");
        row("npm, a scope", "npm", "@me:registry=https://b.test\nregistry=https://a.test",
            "https://b.test https://a.test");
        row("npm, not its token", "npm", "//a.test/:_authToken=https://evil.test\n_auth=x\n", "");
        row("npm, a comment", "npm", "#registry=https://a.test\n;registry=https://b.test\n", "");
        row("npm, another key", "npm", "registry-of=https://a.test\nproxy=https://p.test\n", "");
        row("npm, no address", "npm", "registry=\nregistry\nregistry=${URL}\n", "");
        row("pip", "pip", "[global]\nindex-url = https://a.test/simple\n", "https://a.test/simple");
        row("pip, more", "pip",
            "[install]\nextra_index_url =\n  https://a.test/x\n\thttps://b.test\ntimeout = 3\n  "
            "https://c.test\n",
            "https://a.test/x https://b.test");
        row("pip, other keys", "pip", "[global]\nfind-links = https://a.test\ntrusted-host = b.test\n", "");
        row("uv", "uv",
            "index-url='https://a.test'\nextra-index-url=['https://"
            "b.test']\n[[index]]\nname='c'\nurl='https://c.test'\n",
            "https://a.test https://b.test https://c.test");
        row("uv, not TOML", "uv", "index-url='https://a.test'\n[[", "");
        row("cargo", "cargo",
            "[registries.x]\nindex='sparse+https://a.test/i/'\n[source.y]\nregistry='https://"
            "b.test'\n[source.z]\ndirectory='v'\n",
            "sparse+https://a.test/i/ https://b.test");
        row("cargo, strange shapes", "cargo", "registries='https://a.test'\nsource=[1,2]\n", "");
        row("maven", "maven",
            "<settings><mirrors><mirror><url> https://a.test/m </url></mirror></mirrors></settings>",
            "https://a.test/m");
        row("maven, comments", "maven",
            "<!-- <url>https://a.test</url> --><url>https://b.test</url><!-- <url>https://c.test</url>",
            "https://b.test");
        row("maven, cut off", "maven", "<url>https://a.test", "https://a.test");
        row("a list", "list", "https://a.test,https://b.test|direct", "https://a.test https://b.test");
        row("an empty list", "list", " ,| ", "");
        row("a list of names", "names", "sum.test+123+key off", "https://sum.test");
        row("a list of both", "names", "sum.test https://a.test/x", "https://sum.test https://a.test/x");
    }
    void readsConfigurations()
    {
        QFETCH(const QByteArray, format);
        QFETCH(const QByteArray, text);
        const std::string bytes = text.toStdString();
        const Addresses found = format == "npm" ? addressesOfNpmrc(bytes)
            : format == "pip"                   ? addressesOfPipConf(bytes)
            : format == "uv"                    ? addressesOfUvConfig(bytes)
            : format == "cargo"                 ? addressesOfCargoConfig(bytes)
            : format == "maven"                 ? addressesOfMavenSettings(bytes)
                                                : addressesOfList(bytes, format == "names");
        QTEST(joined(found), "addresses");
    }

    void makesRules_data()
    {
        QTest::addColumn<QByteArray>("rule"); // null: none
        const auto row
            = [](const char* address, const char* rule) { QTest::newRow(address) << QByteArray(rule); };
        row("https://a.test", "a.test:443");
        row("https://a.test/", "a.test:443");
        row("https://A.test?x@b.test", "A.test:443");
        row("http://a.test/x", "a.test:80");
        row("https://a.test:8443/x", "a.test:8443");
        row("https://user:word@a.test/x", "a.test:443");
        row("https://user@b.test@a.test/x", "a.test:443");
        row("https://a.test/@b.test", "a.test:443");
        row("https://a.test#@b.test", "a.test:443");
        row("https://a.test\\@b.test", "a.test:443");
        row("sparse+https://a.test/i/", "a.test:443");
        row("https://10.1.2.3/", "10.1.2.3:443");
        row("http://[2606:4700::1]:81/", "[2606:4700::1]:81");
        row("https://[2606:4700::1]/", "[2606:4700::1]:443");
        for (const char* const none :
             {"", "a.test", "file:///x", "ssh://a.test", "https://", "https://*.a.test",
              "https://**.a.test:443", "https://localhost:4873", "http://127.0.0.1:4873",
              "https://169.254.169.254/", "https://a.test:0", "https://a b.test", "https://a.test:443:1",
              "https://[::1]/"}) {
            QTest::newRow(none) << QByteArray();
        }
    }
    void makesRules()
    {
        QFETCH(const QByteArray, rule);
        const auto made = ruleOfAddress(QTest::currentDataTag());
        QCOMPARE(made ? QByteArray::fromStdString(*made) : QByteArray(), rule);
        QCOMPARE(made.has_value(), !rule.isNull());
    }

    void takesPasswordsOut()
    {
        const auto clean = [](const char* text) { return withoutPasswords(text); };
        QCOMPARE(clean("https://user:word@a.test/x"), std::string("https://a.test/x"));
        QCOMPARE(clean("https://u@a.test,direct|https://u:w@b.test"),
                 std::string("https://a.test,direct|https://b.test"));
        QCOMPARE(clean("sum.test"), std::string("sum.test"));
        QCOMPARE(clean(""), std::string());
        QCOMPARE(clean("sparse+https://a:b@c.test"), std::string("sparse+https://c.test"));
        QCOMPARE(clean("file:///a/b,off"), std::string("file:///a/b,off"));
        QCOMPARE(clean("https://[2606:4700::1]:8443/x"), std::string("https://[2606:4700::1]:8443/x"));
        // Nothing rather than a part of a password.
        for (const char* const address : {"https://user:pa,SECRETss@a.test", "https://user:12,SECRET@a.test",
                                          "https://user:pa|SECRET@a.test", "https://user:pa SECRET@a.test/",
                                          "https://b.test,https://user:pa,SECRET,ss@a.test"}) {
            QCOMPARE(clean(address), std::string());
        }
        for (const char* const address : {"https://user:pa/SECRET@a.test", "https://user:12/SECRET@a.test",
                                          "https://user:pa?SECRET@a.test", "user:SECRET@a.test"}) {
            QCOMPARE(withoutPassword(address), std::string());
        }
        QCOMPARE(withoutPassword("https://user:pa,SECRET|s s@a.test/x"), std::string("https://a.test/x"));
    }

    void findsValues()
    {
        QCOMPARE(valueIn("A=1\nGOPROXY=https://a.test\nGOPROXY = \"https://b.test\"\n", "GOPROXY"),
                 std::optional<std::string>("https://b.test")); // the last one counts
        QCOMPARE(valueIn("#GOPROXY=x\nGOPROXYS=y\n", "GOPROXY"), std::nullopt);
    }

    void knowsItsTokens()
    {
        for (const char* const token : {"$npm-registry", "$go-sumdb", "$ANTHROPIC_BASE_URL"}) {
            QVERIFY2(isHostToken(token), token);
        }
        for (const char* const other : {"", "$", "npm-registry", "$npm-registri", "$9A", "$a.test", "$A-B"}) {
            QVERIFY2(!isHostToken(other), other);
        }
    }
};

QTEST_APPLESS_MAIN(ToolHostsTest)
#include "tst_tool_hosts.moc"
