// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/host_pattern.h"
#include "tests/support/tostring.h"

#include <QTest>

using namespace revet;
using namespace std::string_literals;
using policy::HostName;
using policy::HostPattern;

/// SECURITY.md E018 and the forms of names that its neighbours try.
// NOLINTNEXTLINE(misc-use-internal-linkage)
class HostPatternTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsNames_data();
    void readsNames();
    void matches_data();
    void matches();
    void refusesPatterns_data();
    void refusesPatterns();
    void writesWhatItReads_data();
    void writesWhatItReads();
};

void HostPatternTest::readsNames_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("name"); // null: none
    const QByteArray none;
    QTest::newRow("plain") << QByteArray("example.com") << QByteArray("example.com");
    QTest::newRow("upper case") << QByteArray("EXAMPLE.Com") << QByteArray("example.com");
    QTest::newRow("a dot at the end") << QByteArray("example.com.") << QByteArray("example.com");
    QTest::newRow("two dots at the end") << QByteArray("example.com..") << none;
    QTest::newRow("a single label") << QByteArray("db") << QByteArray("db");
    QTest::newRow("underscore") << QByteArray("_acme.example.com") << QByteArray("_acme.example.com");
    QTest::newRow("U-label") << QByteArray("bücher.example") << QByteArray("xn--bcher-kva.example");
    QTest::newRow("U-label in capitals")
        << QByteArray("BÜCHER.example") << QByteArray("xn--bcher-kva.example");
    QTest::newRow("A-label") << QByteArray("xn--bcher-kva.example") << QByteArray("xn--bcher-kva.example");
    QTest::newRow("A-label of nothing") << QByteArray("xn--zzzzzz99999.example") << none;
    QTest::newRow("A-label of nothing in capitals") << QByteArray("XN--zzzzzz99999.example") << none;
    QTest::newRow("sharp s stays itself") << QByteArray("straße.de") << QByteArray("xn--strae-oqa.de");
    QTest::newRow("Cyrillic letter in Latin")
        << QByteArray("g\xd1\x96thub.com") << QByteArray("xn--gthub-n2e.com");
    QTest::newRow("ideographic dot") << QByteArray("example\xe3\x80\x82"
                                                   "com")
                                     << QByteArray("example.com");
    QTest::newRow("empty") << QByteArray("") << none;
    QTest::newRow("a dot") << QByteArray(".") << none;
    QTest::newRow("empty label") << QByteArray("example..com") << none;
    QTest::newRow("dot in front") << QByteArray(".example.com") << none;
    QTest::newRow("NUL") << QByteArray("evil.test\0.example.com", 22) << none;
    QTest::newRow("space") << QByteArray("exa mple.com") << none;
    QTest::newRow("newline") << QByteArray("example.com\n") << none;
    QTest::newRow("tab") << QByteArray("\texample.com") << none;
    QTest::newRow("userinfo") << QByteArray("user@example.com") << none;
    QTest::newRow("path") << QByteArray("example.com/x") << none;
    QTest::newRow("backslash") << QByteArray("example.com\\x") << none;
    QTest::newRow("percent") << QByteArray("example%2ecom") << none;
    QTest::newRow("fragment") << QByteArray("example.com#x") << none;
    QTest::newRow("port") << QByteArray("example.com:443") << none;
    QTest::newRow("hyphen in front") << QByteArray("-x.example.com") << none;
    QTest::newRow("hyphen behind") << QByteArray("x-.example.com") << none;
    QTest::newRow("invalid UTF-8") << QByteArray("ex\xff"
                                                 "mple.com")
                                   << none;
    QTest::newRow("zero-width joiner") << QByteArray("ex\xe2\x80\x8d"
                                                     "ample.com")
                                       << none;
    QTest::newRow("right-to-left override") << QByteArray("ex\xe2\x80\xae"
                                                          "ample.com")
                                            << none;
    QTest::newRow("label of 63") << QByteArray(63, 'a') + ".com" << QByteArray(63, 'a') + ".com";
    QTest::newRow("label of 64") << QByteArray(64, 'a') + ".com" << none;
    const QByteArray most = (QByteArray(62, 'a') + '.').repeated(4); // 252 bytes
    QTest::newRow("name of 253") << most + 'b' << most + 'b';
    QTest::newRow("name of 254") << most + "bb" << none;
    QTest::newRow("far too long") << QByteArray(100'000, 'a') << none;
    QTest::newRow("IPv4") << QByteArray("127.0.0.1") << none;
    QTest::newRow("IPv4 in short") << QByteArray("127.1") << none;
    QTest::newRow("IPv4 as a number") << QByteArray("2130706433") << none;
    QTest::newRow("IPv4 in hexadecimal") << QByteArray("0x7f.0x1") << none;
    QTest::newRow("IPv6") << QByteArray("::1") << none;
    QTest::newRow("IPv6 in brackets") << QByteArray("[::1]") << none;
    QTest::newRow("a number in front") << QByteArray("1.example.com") << QByteArray("1.example.com");
}

void HostPatternTest::readsNames()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QByteArray, name);
    const auto parsed = HostName::parse(bytes.toStdString());
    QCOMPARE(parsed.has_value(), !name.isNull());
    if (parsed) {
        QCOMPARE(parsed->text(), name.toStdString());
        QCOMPARE(HostName::parse(parsed->text()).value(), *parsed);
    } else {
        QCOMPARE(parsed.error().code, ErrorCode::Malformed);
    }
}

void HostPatternTest::matches_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<bool>("is");
    const auto row = [](const char* pattern, const char* host, int port, bool is) {
        QTest::addRow("%s and %s:%d", pattern, host, port)
            << QByteArray(pattern) << QByteArray(host) << port << is;
    };
    row("example.com", "example.com", 443, true);
    row("example.com", "example.com", 80, true);
    row("example.com", "example.com", 22, false);
    row("example.com", "example.com", 8443, false);
    row("example.com:22", "example.com", 22, true);
    row("example.com:22", "example.com", 443, false);
    row("Example.COM", "eXample.com", 443, true);
    row("example.com.", "example.com", 443, true);
    row("example.com", "example.com.", 443, true);
    row("example.com", "www.example.com", 443, false);
    row("example.com", "notexample.com", 443, false);
    row("example.com", "example.com.evil.test", 443, false);
    row("example.com", "example.co", 443, false);
    row("*.example.com", "www.example.com", 443, true);
    row("*.example.com", "example.com", 443, false);
    row("*.example.com", "a.b.example.com", 443, false);
    row("*.example.com", "notexample.com", 443, false);
    row("*.example.com", "www.example.com.evil.test", 443, false);
    row("*.example.com:8080", "www.example.com", 8080, true);
    row("*.example.com:8080", "www.example.com", 443, false);
    row("**.example.com", "www.example.com", 443, true);
    row("**.example.com", "a.b.c.example.com", 443, true);
    row("**.example.com", "example.com", 443, false);
    row("**.example.com", "notexample.com", 443, false);
    row("**.example.com", "www.notexample.com", 443, false);
    row("bücher.example", "xn--bcher-kva.example", 443, true);
    row("*.bücher.example", "x.xn--bcher-kva.example", 443, true);
    row("github.com", "g\xd1\x96thub.com", 443, false);
    row("db:5432", "db", 5432, true);
    row("db:5432", "db.example.com", 5432, false);
}

void HostPatternTest::matches()
{
    QFETCH(const QByteArray, pattern);
    QFETCH(const QByteArray, host);
    QFETCH(const int, port);
    QFETCH(const bool, is);
    const auto compiled = HostPattern::compile(pattern.toStdString());
    const auto name = HostName::parse(host.toStdString());
    QVERIFY(compiled && name);
    QCOMPARE(compiled->matchesName(*name)
                 && policy::isOfPort(compiled->port(), static_cast<std::uint16_t>(port), true),
             is);
}

void HostPatternTest::refusesPatterns_data()
{
    QTest::addColumn<QByteArray>("pattern");
    for (const char* pattern : {"",
                                "*",
                                "**",
                                "*.com",
                                "**.com",
                                "*.*.com",
                                "*.",
                                "***.example.com",
                                "*example.com",
                                "www.*.com",
                                "www.example.*",
                                "exa*ple.com",
                                "?.example.com",
                                "[a-z].example.com",
                                "{a,b}.example.com",
                                "example.com:",
                                "example.com:0",
                                "example.com:65536",
                                "example.com:080",
                                "example.com:+80",
                                "example.com:80x",
                                "example.com:http",
                                "example.com:*",
                                "example.com:80:81",
                                "https://example.com",
                                "example.com/path",
                                "10.0.0.1",
                                "*.0.0.1",
                                "[::1]:443",
                                "user@example.com",
                                "*.1"}) {
        QTest::addRow("'%s'", pattern) << QByteArray(pattern);
    }
}

void HostPatternTest::refusesPatterns()
{
    QFETCH(const QByteArray, pattern);
    const auto compiled = HostPattern::compile(pattern.toStdString());
    QVERIFY(!compiled);
    QCOMPARE(compiled.error().code, ErrorCode::Malformed);
}

void HostPatternTest::writesWhatItReads_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("normal form") << QByteArray("*.Bücher.Example.:8080")
                                 << QByteArray("*.xn--bcher-kva.example:8080");
    QTest::newRow("any depth") << QByteArray("**.example.com") << QByteArray("**.example.com");
    QTest::newRow("exact") << QByteArray("example.com") << QByteArray("example.com");
}

void HostPatternTest::writesWhatItReads()
{
    QFETCH(const QByteArray, pattern);
    QFETCH(const QByteArray, text);
    const auto compiled = HostPattern::compile(pattern.toStdString());
    QVERIFY(compiled);
    QCOMPARE(compiled->text(), text.toStdString());
    QCOMPARE(HostPattern::compile(compiled->text()).value(), *compiled);
}

QTEST_APPLESS_MAIN(HostPatternTest)
#include "tst_host_pattern.moc"
