// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/dns_message.h"
#include "tests/support/tostring.h"

#include <QTest>

using namespace revet;
using namespace std::string_literals;
using egress::DnsAnswer;
using egress::DnsQuery;
using egress::DnsStatus;
using egress::DnsUnreadable;
using policy::HostName;
using policy::IpAddress;

namespace {

std::string wire(std::initializer_list<std::string_view> labels)
{
    std::string name;
    for (const std::string_view label : labels) {
        name.push_back(static_cast<char>(label.size()));
        name += label;
    }
    return name + '\0';
}

const std::string kA = "\0\1\0\1"s; // type A, class IN
const std::string kHeader = "\x12\x34\1\0\0\1\0\0\0\0\0\0"s;

DnsQuery queryOf(const std::string& message)
{
    const auto parsed = egress::parseDnsQuery(message);
    return std::holds_alternative<DnsQuery>(parsed) ? std::get<DnsQuery>(parsed) : DnsQuery();
}

} // namespace

// NOLINTNEXTLINE(misc-use-internal-linkage)
class DnsMessageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAQuestion();
    void readsTheNameOnlyWhereItIsOne_data();
    void readsTheNameOnlyWhereItIsOne();
    void readsReversedAddresses_data();
    void readsReversedAddresses();
    void refusesWhatIsNoQuestion_data();
    void refusesWhatIsNoQuestion();
    void refusesEveryTruncation();
    void answersWithAddressesOfTheRightFamily();
    void answersPointers();
    void repeatsTheQuestionAsItCame();
    void cutsWhatDoesNotFit();
    void answersEdnsWithEdns();
};

void DnsMessageTest::readsAQuestion()
{
    const DnsQuery query = queryOf(kHeader + wire({"Example", "COM"}) + kA);
    QCOMPARE(query.id, std::uint16_t{0x1234});
    QVERIFY(query.wantsRecursion && query.isStandard && query.isInternet && !query.hasEdns);
    QVERIFY(query.name.has_value());
    QCOMPARE(query.name->text(), "example.com"s);
    QCOMPARE(query.type, egress::dns_type::kA);
}

void DnsMessageTest::readsTheNameOnlyWhereItIsOne_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("text"); // null: none
    const auto row = [](const char* tag, std::initializer_list<std::string_view> labels, const char* text) {
        QTest::newRow(tag) << QByteArray::fromStdString(wire(labels)) << QByteArray(text);
    };
    row("plain", {"a", "example", "com"}, "a.example.com");
    row("single label", {"db"}, "db");
    row("the root", {}, nullptr);
    row("a dot within a label", {"www.example", "com"}, nullptr);
    row("a space", {"my printer", "local"}, nullptr);
    row("a NUL", {std::string_view("evil.test\0", 10), "example", "com"}, nullptr);
    row("UTF-8",
        {"b\xc3\xbc"
         "cher",
         "example"},
        nullptr);
    row("an address", {"127", "0", "0", "1"}, nullptr);
}

void DnsMessageTest::readsTheNameOnlyWhereItIsOne()
{
    QFETCH(const QByteArray, name);
    QFETCH(const QByteArray, text);
    const DnsQuery query = queryOf(kHeader + name.toStdString() + kA);
    QCOMPARE(query.id, std::uint16_t{0x1234});
    QCOMPARE(query.name.has_value(), !text.isNull());
    QCOMPARE(query.name ? query.name->text() : std::string(), text.toStdString());
}

void DnsMessageTest::readsReversedAddresses_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("address"); // null: none
    const auto row = [](const char* dotted, const char* address) {
        std::string name;
        for (const QByteArray& label : QByteArray(dotted).split('.')) {
            name.push_back(static_cast<char>(label.size()));
            name += label.toStdString();
        }
        QTest::newRow(dotted) << QByteArray::fromStdString(name + '\0') << QByteArray(address);
    };
    row("5.0.18.198.in-addr.arpa", "198.18.0.5");
    row("5.0.18.198.IN-ADDR.ARPA", "198.18.0.5");
    row("0.18.198.in-addr.arpa", nullptr);
    row("1.5.0.18.198.in-addr.arpa", nullptr);
    row("256.0.18.198.in-addr.arpa", nullptr);
    row("05.0.18.198.in-addr.arpa", nullptr);
    row("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "2001:db8::1");
    row("10.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", nullptr);
    row("in-addr.arpa", nullptr);
    row("arpa", nullptr);
    row("5.0.18.198.in-addr.example", nullptr);
}

void DnsMessageTest::readsReversedAddresses()
{
    QFETCH(const QByteArray, name);
    QFETCH(const QByteArray, address);
    const DnsQuery query = queryOf(kHeader + name.toStdString() + "\0\14\0\1"s);
    QCOMPARE(query.type, egress::dns_type::kPtr);
    QCOMPARE(query.reversed.has_value(), !address.isNull());
    QCOMPARE(query.reversed ? query.reversed->text() : std::string(), address.toStdString());
}

void DnsMessageTest::refusesWhatIsNoQuestion_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<bool>("isAnswered");
    const std::string good = wire({"example", "com"}) + kA;
    const auto row = [](const char* tag, const std::string& message, bool isAnswered) {
        QTest::newRow(tag) << QByteArray::fromStdString(message) << isAnswered;
    };
    row("empty", "", false);
    row("half a header", "\x12\x34\1\0\0\1"s, false);
    row("an answer", "\x12\x34\x81\0\0\1\0\0\0\0\0\0"s + good, false);
    row("no question", "\x12\x34\1\0\0\0\0\0\0\0\0\0"s, true);
    row("two questions", "\x12\x34\1\0\0\2\0\0\0\0\0\0"s + good + good, true);
    row("with answers", "\x12\x34\1\0\0\1\0\1\0\0\0\0"s + good, true);
    row("a pointer to itself", kHeader + "\xc0\x0c"s + kA, true);
    row("a label of 64", kHeader + '\x40' + std::string(64, 'a') + '\0' + kA, true);
    std::string longName;
    for (int i = 0; i < 128; ++i) {
        longName += "\1a"s;
    }
    row("a name of 257", kHeader + longName + '\0' + kA, true);
    row("no end", kHeader + "\7example"s, true);
}

void DnsMessageTest::refusesWhatIsNoQuestion()
{
    QFETCH(const QByteArray, message);
    QFETCH(const bool, isAnswered);
    const auto parsed = egress::parseDnsQuery(message.toStdString());
    QVERIFY(std::holds_alternative<DnsUnreadable>(parsed));
    const auto id = std::get<DnsUnreadable>(parsed).id;
    QCOMPARE(id.has_value(), isAnswered);
    if (id) {
        QCOMPARE(*id, std::uint16_t{0x1234});
        QCOMPARE(egress::encodeDnsFormatError(*id), "\x12\x34\x80\1\0\0\0\0\0\0\0\0"s);
    }
}

void DnsMessageTest::refusesEveryTruncation()
{
    const std::string whole = kHeader + wire({"www", "example", "com"}) + kA;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        QVERIFY(std::holds_alternative<DnsUnreadable>(egress::parseDnsQuery(whole.substr(0, size))));
    }
    QVERIFY(std::holds_alternative<DnsQuery>(egress::parseDnsQuery(whole)));
}

void DnsMessageTest::answersWithAddressesOfTheRightFamily()
{
    const std::string question = wire({"a", "example", "com"});
    const DnsAnswer answer{DnsStatus::NoError,
                           {IpAddress::parse("198.18.0.5").value(), IpAddress::parse("2001:db8::1").value()},
                           {},
                           60};
    const std::string four = encodeDnsAnswer(queryOf(kHeader + question + kA), answer, 512);
    QCOMPARE(four,
             "\x12\x34\x81\x80\0\1\0\1\0\0\0\0"s + question + kA
                 + "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc6\x12\0\5"s);
    const std::string six = encodeDnsAnswer(queryOf(kHeader + question + "\0\x1c\0\1"s), answer, 512);
    QVERIFY(six.ends_with("\0\x10\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1"s));
    const std::string text = encodeDnsAnswer(queryOf(kHeader + question + "\0\x10\0\1"s), answer, 512);
    QCOMPARE(text, "\x12\x34\x81\x80\0\1\0\0\0\0\0\0"s + question + "\0\x10\0\1"s);
    const std::string none = encodeDnsAnswer(queryOf(kHeader + question + kA),
                                             {DnsStatus::NoSuchName, answer.addresses, {}, 60}, 512);
    QCOMPARE(none, "\x12\x34\x81\x83\0\1\0\0\0\0\0\0"s + question + kA);
}

void DnsMessageTest::answersPointers()
{
    const std::string question = wire({"5", "0", "18", "198", "in-addr", "arpa"}) + "\0\14\0\1"s;
    DnsAnswer answer;
    answer.pointer = HostName::parse("a.example.com").value();
    const std::string message = encodeDnsAnswer(queryOf(kHeader + question), answer, 512);
    QVERIFY(message.ends_with("\0\x0f"s + wire({"a", "example", "com"})));
}

void DnsMessageTest::repeatsTheQuestionAsItCame()
{
    const std::string question = wire({"eXaMpLe", "cOm"}) + kA;
    const std::string message = encodeDnsAnswer(queryOf(kHeader + question), {}, 512);
    QCOMPARE(message.substr(12), question);
}

void DnsMessageTest::cutsWhatDoesNotFit()
{
    DnsAnswer answer;
    answer.addresses.assign(100, IpAddress::parse("198.18.0.5").value());
    const std::string question = wire({"a", "example", "com"}) + kA;
    const std::string message = encodeDnsAnswer(queryOf(kHeader + question), answer, 512);
    QVERIFY(message.size() <= 512);
    QCOMPARE(message[2] & 2, 2); // TC
    QCOMPARE(static_cast<std::size_t>(message[7]), (512 - 12 - question.size()) / 16);
}

void DnsMessageTest::answersEdnsWithEdns()
{
    const std::string question = wire({"a", "example", "com"}) + kA;
    const std::string opt = "\0\0\x29\x10\0\0\0\0\0\0\0"s;
    const DnsQuery query = queryOf("\x12\x34\1\0\0\1\0\0\0\0\0\1"s + question + opt);
    QVERIFY(query.hasEdns);
    const std::string message = encodeDnsAnswer(query, {}, 512);
    QCOMPARE(message[11], '\1');
    QVERIFY(message.ends_with("\0\0\x29\x04\xd0\0\0\0\0\0\0"s));
}

QTEST_APPLESS_MAIN(DnsMessageTest)
#include "tst_dns_message.moc"
