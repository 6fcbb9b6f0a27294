// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/client_hello.h"

#include <QTest>

using namespace revet;
using namespace std::string_literals;
using egress::ClientHello;
using egress::HelloState;
using egress::readClientHello;

namespace {

std::string number(std::size_t value, unsigned bytes)
{
    std::string text;
    for (unsigned byte = bytes; byte-- > 0;) {
        text.push_back(static_cast<char>(value >> (byte * 8)));
    }
    return text;
}

std::string vector(const std::string& content, unsigned lengthBytes)
{
    return number(content.size(), lengthBytes) + content;
}

std::string extension(unsigned type, const std::string& content)
{
    return number(type, 2) + vector(content, 2);
}

std::string serverName(const std::string& name)
{
    return extension(0, vector('\0' + vector(name, 2), 2));
}

/// The handshake message.
std::string hello(const std::string& extensions)
{
    const std::string body = "\3\3"s + std::string(32, 'r') + vector(std::string(32, 's'), 1)
        + vector("\x13\1\x13\2"s, 2) + vector("\0"s, 1) + vector(extensions, 2);
    return '\1' + vector(body, 3);
}

std::string record(const std::string& content)
{
    return "\x16\3\1"s + vector(content, 2);
}

const std::string kName = serverName("example.com");

} // namespace

// NOLINTNEXTLINE(misc-use-internal-linkage)
class ClientHelloTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsTheName();
    void waitsForEveryByte();
    void readsAcrossRecords();
    void seesEncryptedHellos();
    void doesWithoutAName();
    void leavesEarlyDataAlone();
    void tellsOthersFromTls_data();
    void tellsOthersFromTls();
    void refusesBroken_data();
    void refusesBroken();
};

void ClientHelloTest::readsTheName()
{
    const ClientHello read = readClientHello(record(hello(extension(10, "\0\2\0\x1d"s) + kName)));
    QCOMPARE(read.state, HelloState::Complete);
    QCOMPARE(read.serverName.value_or(""), "example.com"s);
    QVERIFY(!read.hasEncryptedHello);
}

void ClientHelloTest::waitsForEveryByte()
{
    const std::string whole = record(hello(kName));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        QCOMPARE(readClientHello(whole.substr(0, size)).state, HelloState::NeedsMore);
    }
    QCOMPARE(readClientHello(whole).state, HelloState::Complete);
}

void ClientHelloTest::readsAcrossRecords()
{
    // As the large ones of post-quantum key exchange come, and as those who hide the name cut it.
    const std::string message = hello(extension(51, std::string(1800, 'k')) + kName);
    std::string sent;
    constexpr std::size_t kStep = 40;
    for (std::size_t at = 0; at < message.size(); at += kStep) {
        sent += record(message.substr(at, kStep));
        const bool isLast = at + kStep >= message.size();
        QCOMPARE(readClientHello(sent).state, isLast ? HelloState::Complete : HelloState::NeedsMore);
    }
    QCOMPARE(readClientHello(sent).serverName.value_or(""), "example.com"s);
}

void ClientHelloTest::seesEncryptedHellos()
{
    const ClientHello read = readClientHello(record(hello(kName + extension(0xfe0d, std::string(200, 'e')))));
    QCOMPARE(read.state, HelloState::Complete);
    QVERIFY(read.hasEncryptedHello);
    QCOMPARE(read.serverName.value_or(""), "example.com"s);
}

void ClientHelloTest::doesWithoutAName()
{
    QCOMPARE(readClientHello(record(hello(""))).state, HelloState::Complete);
    QVERIFY(!readClientHello(record(hello(extension(10, "\0\2\0\x1d"s)))).serverName);
    // SSL 3.0's form: no extensions at all.
    const std::string body
        = "\3\0"s + std::string(32, 'r') + vector("", 1) + vector("\0\4"s, 2) + vector("\0"s, 1);
    QCOMPARE(readClientHello(record('\1' + vector(body, 3))).state, HelloState::Complete);
}

void ClientHelloTest::leavesEarlyDataAlone()
{
    const ClientHello read = readClientHello(record(hello(kName)) + "\x17\3\3\0\5early"s);
    QCOMPARE(read.state, HelloState::Complete);
}

void ClientHelloTest::tellsOthersFromTls_data()
{
    QTest::addColumn<QByteArray>("sent");
    QTest::newRow("HTTP") << QByteArray("GET / HTTP/1.1\r\n");
    QTest::newRow("ssh") << QByteArray("SSH-2.0-x\r\n");
    QTest::newRow("PostgreSQL") << QByteArray("\0\0\0\10\4\xd2\x16\x2f", 8);
    QTest::newRow("SSL 2.0") << QByteArray("\x80\x2e\1\3\1", 5);
}

void ClientHelloTest::tellsOthersFromTls()
{
    QFETCH(const QByteArray, sent);
    QCOMPARE(readClientHello(sent.toStdString()).state, HelloState::NotTls);
}

void ClientHelloTest::refusesBroken_data()
{
    QTest::addColumn<QByteArray>("sent");
    const auto row = [](const char* tag, const std::string& sent) {
        QTest::newRow(tag) << QByteArray::fromStdString(sent);
    };
    row("another version", "\x16\2\1\0\1\1"s);
    row("an empty record", "\x16\3\1\0\0"s);
    row("a record that is too long", "\x16\3\1\x40\1"s);
    row("another handshake", record("\2\0\0\1x"s));
    row("another record in between", record("\1\0\0\5x"s) + "\x15\3\1\0\2\1\0"s);
    row("a hello that is too long", record("\1\1\0\0"s + std::string(100, 'x')));
    row("two names", record(hello(kName + serverName("evil.test"))));
    row("two names in one", record(hello(extension(0, vector("\0\0\1a\0\0\1b"s, 2)))));
    row("a name of another type", record(hello(extension(0, vector("\1\0\1a"s, 2)))));
    row("an empty name", record(hello(serverName(""))));
    row("a name with NUL", record(hello(serverName("evil.test\0.example.com"s))));
    row("bytes behind the name", record(hello(extension(0, vector("\0\0\1a"s, 2) + "x"))));
    row("an extension beyond the end", record(hello("\0\0\0\x20x"s)));
    row("half an extension", record(hello("\0\0\0"s)));
    const std::string behind = hello(kName);
    row("bytes behind the extensions", record('\1' + vector(behind.substr(4) + "x", 3)));
    row("ciphers beyond the end", record('\1' + vector("\3\3"s + std::string(32, 'r') + "\0\xff\xff"s, 3)));
    std::string drip;
    for (int i = 0; i < 40'000; ++i) {
        drip += record(i == 0 ? "\1" : i == 2 ? "\x3f" : "\0"s);
    }
    row("a byte a record, for ever", drip);
    std::string crumbs;
    for (const char byte : hello(extension(51, "key"s) + kName)) {
        crumbs += record(std::string(1, byte));
    }
    row("a byte a record", crumbs);
}

void ClientHelloTest::refusesBroken()
{
    QFETCH(const QByteArray, sent);
    const ClientHello read = readClientHello(sent.toStdString());
    QCOMPARE(read.state, HelloState::Malformed);
    QVERIFY(!read.serverName);
}

QTEST_APPLESS_MAIN(ClientHelloTest)
#include "tst_client_hello.moc"
