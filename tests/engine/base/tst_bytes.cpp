// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/bytes.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <cstdint>
#include <limits>

namespace revet::test {

class BytesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesLittleEndianAndLengthFirst()
    {
        ByteWriter writer;
        writer.number(std::uint32_t{0x01020304});
        writer.string("ab");
        QCOMPARE(writer.bytes(), std::string("\x04\x03\x02\x01\x02\0\0\0ab", 10));
    }

    void readsBackWhatWasWritten()
    {
        const std::string hostile("\0\xff\n", 3);
        ByteWriter writer;
        writer.number(std::numeric_limits<std::int64_t>::min());
        writer.number(std::uint8_t{255});
        writer.number(std::int16_t{-2});
        writer.number(std::numeric_limits<std::uint64_t>::max());
        writer.string(hostile);
        writer.string("");

        ByteReader reader(writer.bytes());
        QCOMPARE(reader.number<std::int64_t>().value(), std::numeric_limits<std::int64_t>::min());
        QCOMPARE(reader.number<std::uint8_t>().value(), std::uint8_t{255});
        QCOMPARE(reader.number<std::int16_t>().value(), std::int16_t{-2});
        QCOMPARE(reader.number<std::uint64_t>().value(), std::numeric_limits<std::uint64_t>::max());
        QCOMPARE(reader.string(3).value(), hostile);
        QCOMPARE(reader.string(3).value(), "");
        QVERIFY(reader.atEnd());
    }

    void refusesEveryTruncation()
    {
        ByteWriter writer;
        writer.number(std::uint32_t{7});
        writer.string("text");
        const std::string whole = writer.take();
        for (std::size_t size = 0; size < whole.size(); ++size) {
            ByteReader reader(std::string_view(whole).substr(0, size));
            const bool decoded = reader.number<std::uint32_t>().has_value() && reader.string(64).has_value();
            QVERIFY2(!decoded, std::to_string(size).c_str());
        }
    }

    void refusesALengthBeyondTheMessageBeforeItAllocates()
    {
        ByteWriter writer;
        writer.number(std::numeric_limits<std::uint32_t>::max());
        ByteReader reader(writer.bytes());
        const auto text = reader.string(std::numeric_limits<std::size_t>::max());
        QVERIFY(!text);
        QCOMPARE(text.error().code, ErrorCode::Malformed);
    }

    void refusesALengthBeyondTheCallersMaximum()
    {
        ByteWriter writer;
        writer.string("12345");
        QVERIFY(!ByteReader(writer.bytes()).string(4));
        QVERIFY(ByteReader(writer.bytes()).string(5));
    }

    void knowsWhatIsLeft()
    {
        ByteReader reader("abcde");
        QVERIFY(reader.number<std::uint16_t>());
        QCOMPARE(reader.left(), std::size_t{3});
        QVERIFY(!reader.number<std::uint32_t>());
        QCOMPARE(reader.left(), std::size_t{3});
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::BytesTest)
#include "tst_bytes.moc"
