// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/clock.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <chrono>

namespace revet::test {

namespace {

WallTime at(std::int64_t micros)
{
    return WallTime(std::chrono::microseconds(micros));
}

} // namespace

class ClockTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void printsUtcWithMicroseconds()
    {
        QCOMPARE(toRfc3339(at(0)), "1970-01-01T00:00:00.000000Z");
        QCOMPARE(toRfc3339(at(1767323045678901)), "2026-01-02T03:04:05.678901Z");
        QCOMPARE(toRfc3339(at(-1)), "1969-12-31T23:59:59.999999Z");
    }

    void readsBackWhatItPrints()
    {
        for (const std::int64_t micros : {std::int64_t{0}, std::int64_t{999999},
                                          std::int64_t{1767323045678901}, std::int64_t{253402300799999999}}) {
            const auto parsed = parseRfc3339(toRfc3339(at(micros)));
            QVERIFY2(parsed, why(parsed));
            QCOMPARE(*parsed, at(micros));
        }
    }

    void readsFewerDigitsOfAFraction()
    {
        QCOMPARE(parseRfc3339("1970-01-01T00:00:01Z").value(), at(1000000));
        QCOMPARE(parseRfc3339("1970-01-01T00:00:00.5Z").value(), at(500000));
        QCOMPARE(parseRfc3339("1970-01-01 00:00:00.000001Z").value(), at(1));
    }

    void refusesWhatIsNoTime_data()
    {
        QTest::addColumn<std::string>("text");
        for (const char* text : {"",
                                 "Z",
                                 "2026",
                                 "2026-01-02",
                                 "2026-01-02T03:04:05",
                                 "2026-01-02T03:04:05+01:00",
                                 "2026-13-02T03:04:05Z",
                                 "2026-00-02T03:04:05Z",
                                 "2026-01-32T03:04:05Z",
                                 "2026-01-02T24:04:05Z",
                                 "2026-01-02T03:60:05Z",
                                 "2026-01-02T03:04:61Z",
                                 "2026-01-02T03:04:05.Z",
                                 "2026-01-02T03:04:05.1234567Z",
                                 "2026-01-02T03:04:05.12x4Z",
                                 "1969-01-02T03:04:05Z",
                                 "-026-01-02T03:04:05Z",
                                 "2026-01-02T03:04:05ZZ",
                                 "2O26-01-02T03:04:05Z",
                                 "2026-02-30T03:04:05Z",
                                 "2025-02-29T03:04:05Z"}) {
            QTest::newRow(text) << std::string(text);
        }
    }

    void refusesWhatIsNoTime()
    {
        QFETCH(const std::string, text);
        const auto parsed = parseRfc3339(text);
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().code, ErrorCode::InvalidArgument);
    }

    void readsDurationsWithTheirUnit()
    {
        using std::chrono::seconds;
        QVERIFY(parseDuration("0s").value() == seconds(0));
        QVERIFY(parseDuration("90s").value() == seconds(90));
        QVERIFY(parseDuration("30m").value() == seconds(1800));
        QVERIFY(parseDuration("2h").value() == seconds(7200));
        QVERIFY(parseDuration("7d").value() == seconds(604800));
    }

    void refusesWhatIsNoDuration_data()
    {
        QTest::addColumn<std::string>("text");
        for (const char* text : {"", "s", "90", "90 s", "-1s", "+1s", "1.5h", "1w", "1ss", "1sx",
                                 "99999999999999999999s", "2147483648s", "24856d", "9223372036854775807d"}) {
            QTest::newRow(text) << std::string(text);
        }
    }

    void refusesWhatIsNoDuration()
    {
        QFETCH(const std::string, text);
        QVERIFY(!parseDuration(text));
    }

    void steadyTimeNeverGoesBack()
    {
        const SystemClock clock;
        const SteadyTime first = clock.steadyNow();
        QVERIFY(clock.steadyNow() >= first);
        QVERIFY(clock.now() > at(1767323045678901));
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::ClockTest)
#include "tst_clock.moc"
