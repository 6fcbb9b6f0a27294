// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/ip_address.h"

#include <QTest>

using namespace revet;
using policy::AddressRange;
using policy::IpAddress;

/// SECURITY.md E036 and E037: which addresses are whose, however they are written.
// NOLINTNEXTLINE(misc-use-internal-linkage)
class IpAddressTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knowsItsKind_data();
    void knowsItsKind();
    void refusesOtherForms_data();
    void refusesOtherForms();
    void writesWhatItReads();
    void ranges_data();
    void ranges();
    void refusesRanges_data();
    void refusesRanges();
};

void IpAddressTest::knowsItsKind_data()
{
    QTest::addColumn<QByteArray>("kind");
    const auto rows = [](const char* kind, std::initializer_list<const char*> addresses) {
        for (const char* const address : addresses) {
            QTest::newRow(address) << QByteArray(kind);
        }
    };
    rows("public",
         {"1.1.1.1",         "8.8.8.8",         "9.255.255.255",  "11.0.0.0",         "172.15.255.255",
          "172.32.0.0",      "192.167.255.255", "192.169.0.0",    "100.63.255.255",   "100.128.0.0",
          "126.255.255.255", "128.0.0.0",       "198.17.255.255", "198.20.0.0",       "223.255.255.255",
          "169.253.255.255", "2606:4700::1111", "2a00::1",        "64:ff9b::8.8.8.8", "::ffff:8.8.8.8",
          "2001:200::1"});
    rows("loopback",
         {"127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1",
          "64:ff9b:1::127.0.0.1", "64:ff9b:1:7f00:0:100::"});
    rows("private",
         {"10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1",
          "169.254.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1",
          "64:ff9b:1::1"});
    rows("metadata",
         {"169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::169.254.169.254", "::ffff:a9fe:a9fe",
          "64:ff9b:1::a9fe:a9fe", "64:ff9b:1:ff::a9fe:a9fe",
          "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:a9:fe:a9fe::", "64:ff9b:1:2:a9:fea9:fe00:0", "169.254.170.2",
          "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"});
    rows("reserved",
         {"0.0.0.0", "0.1.2.3", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
          "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::127.0.0.1", "::2", "::ffff:0:127.0.0.1",
          "2001:db8::1", "2002:7f00:1::1", "2001::1", "ff02::1", "100::1"});
}

void IpAddressTest::knowsItsKind()
{
    QFETCH(const QByteArray, kind);
    const auto address = IpAddress::parse(QTest::currentDataTag());
    QVERIFY(address);
    QCOMPARE(toString(address->kind()), std::string_view(kind.constData()));
}

void IpAddressTest::refusesOtherForms_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* const text :
         {"", "127.1", "0177.0.0.1", "127.0.0.01", "0x7f.0.0.1", "2130706433", "127.0.0.1.", "127.0.0.256",
          " 127.0.0.1", "127.0.0.1 ", "::1%lo", "[::1]", "1:2:3", ":::", "12345::", "127.0.0.1:80"}) {
        QTest::addRow("'%s'", text) << QByteArray(text);
    }
    QTest::newRow("NUL") << QByteArray("127.0.0.1\0x", 11);
    QTest::newRow("long") << QByteArray(100'000, '1');
}

void IpAddressTest::refusesOtherForms()
{
    QFETCH(const QByteArray, text);
    QVERIFY(!IpAddress::parse(text.toStdString()));
}

void IpAddressTest::writesWhatItReads()
{
    const auto written = [](const char* text) { return IpAddress::parse(text).value().text(); };
    QCOMPARE(written("10.0.0.1"), std::string("10.0.0.1"));
    QCOMPARE(written("::FFFF:10.0.0.1"), std::string("10.0.0.1"));
    QCOMPARE(written("64:ff9b::10.0.0.1"), std::string("10.0.0.1"));
    QCOMPARE(written("2001:DB8:0:0:0:0:0:1"), std::string("2001:db8::1"));
}

void IpAddressTest::ranges_data()
{
    QTest::addColumn<QByteArray>("range");
    QTest::addColumn<QByteArray>("address");
    QTest::addColumn<bool>("is");
    const auto row = [](const char* range, const char* address, bool is) {
        QTest::addRow("%s and %s", range, address) << QByteArray(range) << QByteArray(address) << is;
    };
    row("10.0.0.0/8", "10.255.255.255", true);
    row("10.0.0.0/8", "11.0.0.0", false);
    row("10.0.0.0/8", "9.255.255.255", false);
    row("10.0.0.0/8", "::ffff:10.1.2.3", true);
    row("192.168.1.0/25", "192.168.1.127", true);
    row("192.168.1.0/25", "192.168.1.128", false);
    row("192.168.1.4", "192.168.1.4", true);
    row("192.168.1.4", "192.168.1.5", false);
    row("0.0.0.0/0", "8.8.8.8", true);
    row("0.0.0.0/0", "2a00::1", false);
    row("::/0", "2a00::1", true);
    row("::/0", "8.8.8.8", false);
    row("2001:db8::/33", "2001:db8:7fff::1", true);
    row("2001:db8::/33", "2001:db8:8000::1", false);
    row("::ffff:10.0.0.0/104", "10.1.2.3", true);
}

void IpAddressTest::ranges()
{
    QFETCH(const QByteArray, range);
    QFETCH(const QByteArray, address);
    QFETCH(const bool, is);
    const auto parsed = AddressRange::parse(range.toStdString());
    const auto one = IpAddress::parse(address.toStdString());
    QVERIFY(parsed && one);
    QCOMPARE(parsed->contains(*one), is);
    QCOMPARE(AddressRange::parse(parsed->text()).value(), *parsed);
}

void IpAddressTest::refusesRanges_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* const text : {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08",
                                   "10.0.0.0/8/8", "10.0.0.0/ 8", "10.1.2.3/8", "2001:db8::1/32", "::/129",
                                   "10.0.0.0/255.0.0.0", "10.0/8", "example.com/8"}) {
        QTest::addRow("'%s'", text) << QByteArray(text);
    }
}

void IpAddressTest::refusesRanges()
{
    QFETCH(const QByteArray, text);
    QVERIFY(!AddressRange::parse(text.toStdString()));
}

QTEST_APPLESS_MAIN(IpAddressTest)
#include "tst_ip_address.moc"
