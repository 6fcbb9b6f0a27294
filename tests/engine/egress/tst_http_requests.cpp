// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/http_requests.h"
#include "tests/support/tostring.h"

#include <QTest>

using namespace revet;
using namespace std::string_literals;
using egress::HttpRequest;
using egress::HttpRequests;

namespace {

/// "METHOD authority" of each request, or "malformed".
QStringList requestsIn(const std::string& sent, std::size_t step)
{
    HttpRequests reader;
    QStringList list;
    for (std::size_t at = 0; at < sent.size(); at += step) {
        const auto read = reader.read(std::string_view(sent).substr(at, step));
        if (!read) {
            return list << QStringLiteral("malformed");
        }
        for (const HttpRequest& request : *read) {
            list << QString::fromStdString(request.method + ' ' + request.authority);
        }
    }
    return reader.isOpaque() ? list << QStringLiteral("opaque") : list;
}

const std::string kGet = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
const std::string kUpgrade = "GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n\r\n";
const std::string kUpgradeWithBody
    = "POST / HTTP/1.1\r\nHost: a.test\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\nabc";

} // namespace

// NOLINTNEXTLINE(misc-use-internal-linkage)
class HttpRequestsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reads_data();
    void reads();
    void refuses_data();
    void refuses();
    void goesByTheAnswerToAWish_data();
    void goesByTheAnswerToAWish();
    void boundsTheHead();
    void knowsHttpByItsFirstBytes_data();
    void knowsHttpByItsFirstBytes();
};

void HttpRequestsTest::reads_data()
{
    QTest::addColumn<QByteArray>("sent");
    QTest::addColumn<QStringList>("requests");
    const auto row = [](const char* tag, const std::string& sent, const char* requests) {
        QTest::newRow(tag) << QByteArray::fromStdString(sent)
                           << QString::fromLatin1(requests).split(QLatin1Char(';'), Qt::SkipEmptyParts);
    };
    row("one", kGet, "GET a.test");
    row("an unfinished one", kGet.substr(0, kGet.size() - 1), "");
    row("pipelined", kGet + "GET /b HTTP/1.1\r\nHost: b.test:8080\r\n\r\n", "GET a.test;GET b.test:8080");
    row("a body", "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nGET /" + kGet,
        "POST a.test;GET a.test");
    row("a request within a body",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 38\r\n\r\n" + kGet + "xx", "POST a.test");
    row("chunks",
        "PUT / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "5;x=y\r\nGET /\r\nA\r\n0123456789\r\n0\r\nT: railer\r\n\r\n"
            + kGet,
        "PUT a.test;GET a.test");
    row("letter case and spaces", "GET / HTTP/1.1\r\nhOsT: \ta.test \t\r\n\r\n", "GET a.test");
    row("a whole target", "GET http://a.test/x?y HTTP/1.1\r\nHost: a.test\r\n\r\n", "GET a.test");
    row("HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n", "GET ");
    row("empty lines in front", "\r\n\r\n" + kGet, "GET a.test");
    row("a path that has a scheme in it", "GET /http://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET a.test");
    row("a wish for another protocol", kUpgrade, "GET a.test");
    row("a wish with a body", kUpgradeWithBody, "POST a.test");
    row("a later wish", kGet + kUpgrade + kGet, "GET a.test;GET a.test;GET a.test");
    row("a wish for HTTP/2", "GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: H2C\r\n\r\n" + kGet,
        "GET a.test;GET a.test");
}

void HttpRequestsTest::reads()
{
    QFETCH(const QByteArray, sent);
    QFETCH(const QStringList, requests);
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
        QCOMPARE(requestsIn(sent.toStdString(), step), requests);
    }
}

void HttpRequestsTest::refuses_data()
{
    QTest::addColumn<QByteArray>("sent");
    const auto row = [](const char* tag, const std::string& sent) {
        QTest::newRow(tag) << QByteArray::fromStdString(sent);
    };
    const auto get = [](const std::string& fields) { return "GET / HTTP/1.1\r\n" + fields + "\r\n"; };
    row("two hosts", get("Host: a.test\r\nHost: b.test\r\n"));
    row("no host", get("Accept: x\r\n"));
    row("a target that differs", "GET http://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n");
    row("userinfo in the target", "GET http://a.test@b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n");
    row("bare line feeds", "GET / HTTP/1.1\nHost: a.test\n\n");
    row("CR within a line", get("Host: a.test\r\nX: y\rHost: b.test\r\n"));
    row("NUL", get("Host: a.test\0.b\r\n"s));
    row("a folded line", get("Host: a.test\r\n b.test\r\n"));
    row("a space before the colon", get("Host : a.test\r\n"));
    row("a field without a name", get("Host: a.test\r\n: x\r\n"));
    row("a field without a colon", get("Host: a.test\r\nx\r\n"));
    row("two lengths", get("Host: a.test\r\nContent-Length: 1\r\nContent-Length: 1\r\n"));
    row("a list of lengths", get("Host: a.test\r\nContent-Length: 1, 1\r\n"));
    row("a length with a sign", get("Host: a.test\r\nContent-Length: +1\r\n"));
    row("a length beyond 64 bits", get("Host: a.test\r\nContent-Length: 99999999999999999999\r\n"));
    row("a length and chunks", get("Host: a.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n"));
    row("another coding", get("Host: a.test\r\nTransfer-Encoding: gzip, chunked\r\n"));
    row("chunked twice", get("Host: a.test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"));
    row("a chunk of no size", get("Host: a.test\r\nTransfer-Encoding: chunked\r\n") + "x\r\n");
    row("a chunk that is longer", get("Host: a.test\r\nTransfer-Encoding: chunked\r\n") + "1\r\nab\r\n");
    row("chunks in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n");
    row("what follows a wish for another protocol at once", kUpgrade + kGet);
    row("what follows the body of one", kUpgradeWithBody + "x");
    row("a tunnel", "CONNECT b.test:443 HTTP/1.1\r\nHost: b.test:443\r\n\r\n");
    row("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    row("HTTP/0.9", "GET /\r\n\r\n");
    row("a control in the target", "GET /\x01 HTTP/1.1\r\nHost: a.test\r\n\r\n");
    row("a method of other bytes", "G\xc3\x84T / HTTP/1.1\r\nHost: a.test\r\n\r\n");
}

void HttpRequestsTest::refuses()
{
    QFETCH(const QByteArray, sent);
    for (const std::size_t step : {std::size_t{1}, std::size_t{100'000}}) {
        const QStringList list = requestsIn(sent.toStdString(), step);
        QVERIFY2(!list.isEmpty() && list.last() == QStringLiteral("malformed"),
                 qPrintable(list.join(QLatin1Char(';'))));
    }
}

void HttpRequestsTest::goesByTheAnswerToAWish_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<bool>("isOpaque");
    QTest::newRow("yes") << QByteArray() << QByteArray("HTTP/1.1 101 Switching Protocols\r\n") << true;
    QTest::newRow("no") << QByteArray() << QByteArray("HTTP/1.1 200 OK\r\n") << false;
    QTest::newRow("no, and a yes in it") << QByteArray() << QByteArray("HTTP/1.1 1012HTTP/1.1 101 ") << false;
    QTest::newRow("to a later one") << QByteArray::fromStdString(kGet) << QByteArray("HTTP/1.1 101 x\r\n")
                                    << false;
}

void HttpRequestsTest::goesByTheAnswerToAWish()
{
    QFETCH(const QByteArray, before);
    QFETCH(const QByteArray, answer);
    QFETCH(const bool, isOpaque);
    for (const std::size_t step : {std::size_t{1}, std::size_t{100'000}}) {
        HttpRequests reader;
        QVERIFY(reader.read(before.toStdString() + kUpgrade).has_value());
        QVERIFY(!reader.isOpaque());
        const std::string said = answer.toStdString();
        for (std::size_t at = 0; at < said.size(); at += step) {
            reader.answered(std::string_view(said).substr(at, step));
        }
        QCOMPARE(reader.isOpaque(), isOpaque);
        const auto next = reader.read("GET / HTTP/1.1\r\nHost: b.test\r\n\r\n");
        QVERIFY(next.has_value());
        QCOMPARE(next->size(), isOpaque ? std::size_t{0} : std::size_t{1});
    }
}

void HttpRequestsTest::boundsTheHead()
{
    HttpRequests endless;
    bool isRefused = false;
    for (std::size_t sent = 0; sent <= 2 * HttpRequests::kMaximumHead && !isRefused; sent += 100) {
        isRefused = !endless.read(std::string(100, 'x'));
    }
    QVERIFY(isRefused);
    HttpRequests reused; // the bound is one head's, not the connection's
    for (std::size_t sent = 0; sent <= 2 * HttpRequests::kMaximumHead; sent += kGet.size()) {
        QCOMPARE(reused.read(kGet).value().size(), std::size_t{1});
    }
}

void HttpRequestsTest::knowsHttpByItsFirstBytes_data()
{
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QString>("is");
    const auto row = [](const char* tag, const QByteArray& first, const char* is) {
        QTest::newRow(tag) << first << QString::fromLatin1(is);
    };
    row("GET", QByteArray("GET / HTTP/1.1\r\n"), "yes");
    row("no whole line", QByteArray("GET / HTTP/1.1\r"), "unknown");
    row("half a method", QByteArray("POS"), "unknown");
    row("an extension", QByteArray("M-SEARCH * HTTP/1.1\n"), "yes");
    row("HTTP/2", QByteArray("PRI * HTTP/2.0\r\n"), "yes");
    row("lower case", QByteArray("get / HTTP/1.1\r\n"), "yes");
    row("any token", QByteArray("x1~ / HTTP/1.1\r\n"), "yes");
    row("a long word", QByteArray(100, 'A') + " / HTTP/1.1\r\n", "yes");
    row("a tab", QByteArray("GET\t/\tHTTP/1.1\r\n"), "yes");
    row("empty lines in front", QByteArray("\r\n\n\r\nGET / HTTP/1.1\r\n"), "yes");
    row("empty lines", QByteArray("\r\n\r\n"), "unknown");
    row("a space in front", QByteArray(" GET / HTTP/1.1\r\n"), "yes");
    row("ssh", QByteArray("SSH-2.0-OpenSSH_9\r\n"), "no");
    row("SMTP", QByteArray("EHLO a.test\r\n"), "no");
    row("Git", QByteArray("0033git-upload-pack /p.git\0host=a.test\0", 39), "no");
    row("TLS", QByteArray("\x16\3\1", 3), "no");
    row("nothing", QByteArray(), "unknown");
}

void HttpRequestsTest::knowsHttpByItsFirstBytes()
{
    QFETCH(const QByteArray, first);
    QFETCH(const QString, is);
    const auto guess = egress::looksLikeHttp(first.toStdString());
    QCOMPARE(!guess ? QStringLiteral("unknown") : *guess ? QStringLiteral("yes") : QStringLiteral("no"), is);
}

QTEST_APPLESS_MAIN(HttpRequestsTest)
#include "tst_http_requests.moc"
