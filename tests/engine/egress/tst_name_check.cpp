// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/name_check.h"

#include <QTest>

using namespace revet;
using namespace revet::egress;

namespace {

/// A hello with nothing in it but a name, or not even that.
std::string hello(const std::string& name)
{
    const auto sized = [](std::size_t size, unsigned width) {
        std::string number;
        while (width-- > 0) {
            number.push_back(static_cast<char>(size >> (8 * width)));
        }
        return number;
    };
    const std::string entry = std::string(1, '\0') + sized(name.size(), 2) + name;
    const std::string extension
        = std::string(2, '\0') + sized(entry.size() + 2, 2) + sized(entry.size(), 2) + entry;
    const std::string extensions = name.empty() ? std::string() : extension;
    const std::string body = "\3\3" + std::string(32, 'r') + std::string(1, '\0') + sized(2, 2) + "\x13\x01"
        + "\1" + std::string(1, '\0') + sized(extensions.size(), 2) + extensions;
    const std::string message = "\1" + sized(body.size(), 3) + body;
    return "\x16\3\1" + sized(message.size(), 2) + message;
}

/// What is said of bytes that come one by one: 'u' while undecided, then the first other letter.
QString opinionOf(NameCheck& check, const std::string& said, std::size_t step)
{
    for (std::size_t at = 0; at < said.size(); at += step) {
        switch (check.look(said.substr(at, step))) {
        case Inspector::Opinion::Undecided:
            break;
        case Inspector::Opinion::Fine:
            return QStringLiteral("fine");
        case Inspector::Opinion::Broken:
            return QStringLiteral("broken");
        }
    }
    return QStringLiteral("undecided");
}

const std::string kPostgres("\x00\x00\x00\x08\x04\xd2\x16\x2f", 8);

} // namespace

class NameCheckTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void judgesTheFirstWords_data()
    {
        QTest::addColumn<int>("port");
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<QString>("opinion");
        const auto row = [](const char* what, int port, const std::string& said, const char* opinion) {
            QTest::newRow(what) << port << QByteArray::fromStdString(said) << QString::fromLatin1(opinion);
        };
        row("TLS to it", 443, hello("example.org"), "fine");
        row("TLS to it in capitals", 443, hello("EXAMPLE.org"), "fine");
        row("TLS to another", 443, hello("example.com"), "broken");
        row("TLS to one below", 443, hello("a.example.org"), "broken");
        row("TLS to nobody", 443, hello(""), "broken");
        row("TLS to an address", 443, hello("192.0.2.1"), "broken");
        row("TLS to it in full width", 443, hello("\xef\xbd\x85xample.org"), "broken");
        row("TLS to it with another dot", 443, hello("example\xe3\x80\x82org"), "broken");
        row("TLS anywhere", 5000, hello("example.com"), "broken");
        row("TLS on the port of HTTP", 80, hello("example.org"), "fine");
        row("half a hello", 443, hello("example.org").substr(0, 40), "undecided");
        row("HTTP to it", 80, "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "fine");
        row("HTTP to its port", 80, "GET / HTTP/1.1\r\nHost: example.org:80\r\n\r\n", "fine");
        row("HTTP to another port", 80, "GET / HTTP/1.1\r\nHost: example.org:81\r\n\r\n", "broken");
        row("HTTP to another", 80, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", "broken");
        row("HTTP to it with another dot", 80, "GET / HTTP/1.1\r\nHost: example\xef\xbc\x8eorg\r\n\r\n",
            "broken");
        row("HTTP to it with a soft hyphen", 80,
            "GET / HTTP/1.1\r\nHost: ex\xc2\xad"
            "ample.org\r\n\r\n",
            "broken");
        row("HTTP to another by its target", 80,
            "GET http://example.com/ HTTP/1.1\r\nHost: example.org\r\n\r\n", "broken");
        row("HTTP to nobody", 80, "GET / HTTP/1.0\r\n\r\n", "broken");
        row("HTTP on another port", 3000, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", "broken");
        row("HTTP/2 in plain", 80, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "broken");
        row("a tunnel", 80, "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n", "broken");
        row("HTTP in small letters", 3000, "get / HTTP/1.1\r\nHost: example.com\r\n\r\n", "broken");
        row("HTTP with a tab", 3000, "GET\t/ HTTP/1.1\r\nHost: example.com\r\n\r\n", "broken");
        row("HTTP behind an empty line", 3000, "\r\nGET / HTTP/1.1\r\nHost: example.com\r\n\r\n", "broken");
        row("HTTP to it behind an empty line", 3000, "\r\nGET / HTTP/1.1\r\nHost: example.org:3000\r\n\r\n",
            "fine");
        row("SSH", 22, "SSH-2.0-OpenSSH_9.2\r\n", "fine");
        row("SSH on the port of HTTPS", 443, "SSH-2.0-OpenSSH_9.2\r\n", "broken");
        row("SMTP", 25, "EHLO example.com\r\n", "fine");
        row("Redis", 6379, "*1\r\n$4\r\nPING\r\n", "fine");
        row("PostgreSQL", 5432, kPostgres, "fine");
        row("half of it", 5432, kPostgres.substr(0, 4), "undecided");
        row("PostgreSQL on the port of HTTPS", 443, kPostgres, "broken");
    }
    void judgesTheFirstWords()
    {
        QFETCH(const int, port);
        QFETCH(const QByteArray, said);
        QFETCH(const QString, opinion);
        for (const std::size_t step : {static_cast<std::size_t>(said.size()), std::size_t{1}}) {
            NameCheck check(policy::HostName::parse("example.org").value(), static_cast<std::uint16_t>(port));
            QCOMPARE(opinionOf(check, said.toStdString(), step), opinion);
            QCOMPARE(opinion == QStringLiteral("broken"), check.why() != "it says nothing");
        }
    }

    void judgesEveryRequest()
    {
        NameCheck check(policy::HostName::parse("example.org").value(), 80);
        const std::string good = "POST / HTTP/1.1\r\nHost: example.org\r\nContent-Length: 3\r\n\r\nabc";
        QVERIFY(check.look(good) == Inspector::Opinion::Fine);
        QVERIFY(check.look(good + good) == Inspector::Opinion::Fine);
        QVERIFY(!check.isDone());
        QVERIFY(check.look("GET / HTTP/1.1\r\nHo") == Inspector::Opinion::Fine);
        QVERIFY(check.look("st: example.com\r\n\r\n") == Inspector::Opinion::Broken);
    }

    void judgesWhatFollowsAWishForAnotherProtocol()
    {
        const std::string wish = "GET / HTTP/1.1\r\nHost: example.org\r\nUpgrade: websocket\r\n\r\n";
        const std::string other = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n";
        for (const bool isGranted : {false, true}) {
            NameCheck check(policy::HostName::parse("example.org").value(), 80);
            QVERIFY(check.look(wish) == Inspector::Opinion::Fine);
            QVERIFY(!check.isDone());
            check.answered(isGranted ? "HTTP/1.1 101 Switching Protocols\r\n" : "HTTP/1.1 404 Not Found\r\n");
            QCOMPARE(check.isDone(), isGranted);
            const auto expected = isGranted ? Inspector::Opinion::Fine : Inspector::Opinion::Broken;
            QVERIFY(check.look(other) == expected);
        }
    }

    void judgesWhatFollowsTheWishForTls()
    {
        for (const char* const name : {"example.org", "example.com"}) {
            NameCheck check(policy::HostName::parse("example.org").value(), 5432);
            QVERIFY(check.look(kPostgres) == Inspector::Opinion::Fine);
            QVERIFY(!check.isDone());
            const auto expected
                = std::string(name) == "example.org" ? Inspector::Opinion::Fine : Inspector::Opinion::Broken;
            QVERIFY(check.look(hello(name)) == expected);
        }
    }
};

QTEST_GUILESS_MAIN(NameCheckTest)
#include "tst_name_check.moc"
