// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/error.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <cerrno>
#include <set>

namespace revet::test {

class ErrorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsTheErrnoOfTheCallThatFailed()
    {
        errno = ENOENT;
        const Error error = Error::fromErrno("open the plan");
        QCOMPARE(error.code, ErrorCode::System);
        QCOMPARE(error.errnoValue, ENOENT);
        QCOMPARE(toString(error), "open the plan: No such file or directory");
    }

    void saysTheKindWhereNoCallFailed()
    {
        QCOMPARE(toString(Error{ErrorCode::Malformed, "read the plan", 0, {}}), "read the plan: malformed");
    }

    void endsWithWhatToDo()
    {
        QCOMPARE(toString(Error{ErrorCode::Unavailable, "start the box", 0, "run revet doctor"}),
                 "start the box: unavailable; run revet doctor");
    }

    void hasAWordOfItsOwnForEveryCode()
    {
        std::set<std::string_view> words;
        for (int code = 0; code <= static_cast<int>(ErrorCode::TimedOut); ++code) {
            words.insert(toString(static_cast<ErrorCode>(code)));
        }
        QCOMPARE(words.size(), static_cast<std::size_t>(ErrorCode::TimedOut) + 1);
        QVERIFY(!words.contains("unknown"));
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::ErrorTest)
#include "tst_error.moc"
