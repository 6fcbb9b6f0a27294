// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/result.h"
#include "engine/base/scope_exit.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <cerrno>
#include <memory>
#include <type_traits>

namespace revet::test {

namespace {

Result<int> half(int number)
{
    if (number % 2 != 0) {
        return fail(ErrorCode::InvalidArgument, "halve " + std::to_string(number));
    }
    return number / 2;
}

Result<int> sumOfHalves(int left, int right)
{
    REVET_ASSIGN_OR_RETURN(const int first, half(left));
    REVET_ASSIGN_OR_RETURN(const int second, half(right));
    return first + second;
}

Result<void> checkEven(int number)
{
    REVET_RETURN_IF_ERROR(half(number));
    return {};
}

Result<std::unique_ptr<int>> makePointer(bool good)
{
    if (!good) {
        return fail(ErrorCode::Refused, "make a pointer");
    }
    return std::make_unique<int>(7);
}

} // namespace

class ResultTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void handsValuesThrough()
    {
        QCOMPARE(sumOfHalves(4, 6).value(), 5);
        QVERIFY(checkEven(2));
    }

    void returnsTheFirstErrorToTheCaller()
    {
        QCOMPARE(sumOfHalves(3, 5).error().operation, "halve 3");
        QCOMPARE(sumOfHalves(4, 5).error().operation, "halve 5");
        QCOMPARE(checkEven(7).error().operation, "halve 7");
    }

    void movesWhatCannotBeCopied()
    {
        const auto take = [](bool good) -> Result<std::unique_ptr<int>> {
            REVET_ASSIGN_OR_RETURN(auto pointer, makePointer(good));
            return pointer;
        };
        QCOMPARE(**take(true), 7);
        QCOMPARE(take(false).error().code, ErrorCode::Refused);
    }

    void readsErrnoWhereACallFailed()
    {
        errno = EACCES;
        const Result<void> result = failErrno("write");
        QCOMPARE(result.error().errnoValue, EACCES);
    }

    void cannotBeMistakenForItsValue()
    {
        QVERIFY((!std::is_convertible_v<Result<int>, int>));
        QVERIFY((!std::is_convertible_v<Result<int>, bool>));
    }

    void runsAtTheEndOfTheScopeUnlessDismissed()
    {
        int runs = 0;
        {
            const ScopeExit exit([&] { ++runs; });
            QCOMPARE(runs, 0);
        }
        QCOMPARE(runs, 1);
        {
            ScopeExit exit([&] { ++runs; });
            exit.dismiss();
        }
        QCOMPARE(runs, 1);
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::ResultTest)
#include "tst_result.moc"
