// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/packet.h"

#include <QTest>

#include <cerrno>

using namespace revet;
using namespace revet::egress;

namespace {

std::string bytes(const char* hex)
{
    return QByteArray::fromHex(hex).toStdString();
}

/// From a capture: 10.0.0.2:40000 to 192.0.2.1:443, sequence 0x01020304, an option of four bytes.
std::string syn4()
{
    return bytes("4500002c0000400040060000"
                 "0a000002c0000201"
                 "9c4001bb01020304000000006002faf000000000"
                 "020405b4");
}

std::string syn6()
{
    return bytes("6000000000140640"
                 "fd726576000000000000000000000002"
                 "20010db8000000000000000000000001"
                 "9c40001601020304000000005002faf000000000");
}

std::uint32_t wordsOf(std::string_view text, std::uint32_t sum = 0)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        sum += static_cast<unsigned char>(text[i]) * (i % 2 == 0 ? 256U : 1U);
    }
    return sum;
}

/// What comes out as 0xffff where the checksum within is right (RFC 1071).
std::uint32_t folded(std::uint32_t sum)
{
    while (sum > 0xffff) {
        sum = (sum & 0xffffU) + (sum >> 16U);
    }
    return sum;
}

bool isRight(const std::string& packet, std::size_t header, unsigned protocol)
{
    const std::string_view payload = std::string_view(packet).substr(header);
    const std::string_view addresses
        = header == 20 ? std::string_view(packet).substr(12, 8) : std::string_view(packet).substr(8, 32);
    const bool isHeaderRight
        = header != 20 || folded(wordsOf(std::string_view(packet).substr(0, header))) == 0xffff;
    const std::uint32_t pseudo
        = protocol == 1 ? 0 : wordsOf(addresses) + protocol + static_cast<std::uint32_t>(payload.size());
    return isHeaderRight && folded(wordsOf(payload, pseudo)) == 0xffff;
}

} // namespace

class PacketTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhoWantsToWhom()
    {
        const auto four = parseSyn(syn4());
        QVERIFY(four.has_value());
        QCOMPARE(four->connection.client.address().text(), "10.0.0.2");
        QCOMPARE(four->connection.server.address().text(), "192.0.2.1");
        QCOMPARE(four->connection.client.port, 40000);
        QCOMPARE(four->connection.server.port, 443);
        QCOMPARE(four->sequence, 0x01020304U);
        const auto six = parseSyn(syn6() + "padding of the link");
        QVERIFY(six.has_value());
        QCOMPARE(six->connection.server.address().text(), "2001:db8::1");
        QCOMPARE(six->connection.server.port, 22);
        QCOMPARE(six->packet, syn6());
    }

    void takesNothingElse_data()
    {
        QTest::addColumn<int>("at");
        QTest::addColumn<int>("value");
        QTest::newRow("other version") << 0 << 0x75;
        QTest::newRow("header of no length") << 0 << 0x44;
        QTest::newRow("header past the end") << 0 << 0x4f;
        QTest::newRow("longer than it is") << 3 << 0xff;
        QTest::newRow("shorter than its headers") << 3 << 0x27;
        QTest::newRow("more fragments") << 6 << 0x20;
        QTest::newRow("a later fragment") << 7 << 0x01;
        QTest::newRow("UDP") << 9 << 17;
        QTest::newRow("an acknowledgement") << 33 << 0x12;
        QTest::newRow("neither") << 33 << 0x10;
        QTest::newRow("a reset as well") << 33 << 0x06;
    }
    void takesNothingElse()
    {
        QFETCH(const int, at);
        QFETCH(const int, value);
        std::string packet = syn4();
        packet[static_cast<std::size_t>(at)] = static_cast<char>(value);
        QVERIFY(!parseSyn(packet).has_value());
    }

    void takesNoPartOfOne()
    {
        for (const std::string& packet : {syn4(), syn6()}) {
            for (std::size_t size = 0; size < packet.size(); ++size) {
                QVERIFY(!parseSyn(packet.substr(0, size)).has_value());
            }
        }
    }

    void fillsTheChecksumIn()
    {
        QVERIFY(folded(wordsOf(withChecksum(*parseSyn(syn6())))) != 0);
        QVERIFY(isRight(withChecksum(*parseSyn(syn6())), 40, 6));
        const std::string four = withChecksum(*parseSyn(syn4()));
        QCOMPARE(four.substr(0, 36), syn4().substr(0, 36)); // all but the checksum as it came
    }

    void answersAsTheServerWould()
    {
        const std::string reset = resetFor(*parseSyn(syn4()));
        QVERIFY(isRight(reset, 20, 6));
        QCOMPARE(QByteArray::fromStdString(reset.substr(12, 8)).toHex(), "c00002010a000002");
        // Ports the other way round, acknowledged one further, RST and ACK.
        QCOMPARE(QByteArray::fromStdString(reset.substr(20, 14)).toHex(), "01bb9c4000000000010203055014");
        QVERIFY(isRight(resetFor(*parseSyn(syn6())), 40, 6));
    }

    void answersAsARouterWould_data()
    {
        QTest::addColumn<int>("error");
        QTest::addColumn<QByteArray>("four");
        QTest::addColumn<QByteArray>("six");
        QTest::newRow("no network") << ENETUNREACH << QByteArray("0300") << QByteArray("0100");
        QTest::newRow("no host") << EHOSTUNREACH << QByteArray("0301") << QByteArray("0103");
        QTest::newRow("no answer") << ETIMEDOUT << QByteArray("0301") << QByteArray("0103");
    }
    void answersAsARouterWould()
    {
        QFETCH(const int, error);
        QFETCH(const QByteArray, four);
        QFETCH(const QByteArray, six);
        const std::string one = unreachableFor(*parseSyn(syn4()), error);
        QVERIFY(isRight(one, 20, 1));
        QCOMPARE(QByteArray::fromStdString(one.substr(20, 2)).toHex(), four);
        QCOMPARE(one.substr(28), syn4().substr(0, 28));
        const std::string other = unreachableFor(*parseSyn(syn6()), error);
        QVERIFY(isRight(other, 40, 58));
        QCOMPARE(QByteArray::fromStdString(other.substr(40, 2)).toHex(), six);
    }
};

QTEST_GUILESS_MAIN(PacketTest)
#include "tst_packet.moc"
