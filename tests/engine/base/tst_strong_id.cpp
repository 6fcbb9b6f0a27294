// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// moc 6.4 cannot parse <compare> as the first standard header.
#include "engine/base/result.h"
#include "engine/base/strong_id.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <type_traits>
#include <unordered_set>

namespace revet::test {

namespace {

using Row = StrongId<struct RowTag>;
using Column = StrongId<struct ColumnTag>;

} // namespace

class StrongIdTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isNoneUntilGiven()
    {
        QVERIFY(Row().isNone());
        QVERIFY(!Row(1).isNone());
        QCOMPARE(Row(7).value(), std::uint64_t{7});
    }

    void isOrderedLikeItsNumber()
    {
        QVERIFY(Row(1) < Row(2));
        QCOMPARE(Row(2), Row(2));
    }

    void cannotBeMistakenForAnotherKindOfNumber()
    {
        QVERIFY((!std::is_convertible_v<std::uint64_t, Row>));
        QVERIFY((!std::is_convertible_v<Row, Column>));
        QVERIFY((!std::is_constructible_v<Row, Column>));
    }

    void canBeAKey()
    {
        const std::unordered_set<Row> rows{Row(1), Row(2), Row(1)};
        QCOMPARE(rows.size(), std::size_t{2});
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::StrongIdTest)
#include "tst_strong_id.moc"
