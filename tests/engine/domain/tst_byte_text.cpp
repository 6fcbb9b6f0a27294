// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/byte_text.h"

#include <QTest>

using namespace revet;
using namespace std::string_literals;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class ByteTextTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesTextApart_data();
    void takesTextApart();
    void writesBase64();
};

void ByteTextTest::takesTextApart_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("value");
    QTest::addColumn<int>("size");
    QTest::newRow("NUL") << QByteArray("\0", 1) << 0 << 1;
    QTest::newRow("ASCII") << QByteArray("abc") << int{'a'} << 1;
    QTest::newRow("two bytes") << QByteArray("\xc3\xa4x") << 0xe4 << 2;
    QTest::newRow("four bytes") << QByteArray("\xf0\x9f\x98\x80") << 0x1f600 << 4;
    QTest::newRow("the last") << QByteArray("\xf4\x8f\xbf\xbf") << 0x10ffff << 4;
    QTest::newRow("above it") << QByteArray("\xf4\x90\x80\x80") << -1 << 1;
    QTest::newRow("overlong") << QByteArray("\xc0\xaf") << -1 << 1;
    QTest::newRow("overlong in three") << QByteArray("\xe0\x80\xaf") << -1 << 1;
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << -1 << 1;
    QTest::newRow("cut off") << QByteArray("\xe2\x82") << -1 << 1;
    QTest::newRow("a tail alone") << QByteArray("\x80") << -1 << 1;
}

void ByteTextTest::takesTextApart()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const int, value);
    QFETCH(const int, size);
    const CodePoint point = firstCodePoint(bytes.toStdString());
    QCOMPARE(point.value, value);
    QCOMPARE(point.size, static_cast<std::size_t>(size));
    QCOMPARE(isUtf8("before" + bytes.toStdString()), value >= 0);
}

void ByteTextTest::writesBase64()
{
    QCOMPARE(toBase64(""), ""s);
    QCOMPARE(toBase64("\xff"), "/w=="s);
    QCOMPARE(toBase64("\xff\xfe"), "//4="s);
    QCOMPARE(toBase64("\xfb\xef\xbe"), "++++"s);
    QVERIFY(isUtf8(""));
}

QTEST_APPLESS_MAIN(ByteTextTest)
#include "tst_byte_text.moc"
