// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/display_escape.h"
#include "engine/domain/error_line.h"

#include <QTest>

using namespace revet;
using namespace std::string_literals;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class ErrorLineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhatWhyAndTheRemedy();
    void leavesOutTheCodesWordsWhereTheContextSaysWhy();
    void showsNothingThatATerminalActsUpon();
    void leavesEscapesAsTheyAre();
};

void ErrorLineTest::saysWhatWhyAndTheRemedy()
{
    QCOMPARE(errorLine({ErrorCode::NotFound, "find it", 0, "look elsewhere"}),
             "find it: not found; look elsewhere"s);
    QCOMPARE(errorLine(Error::fromErrno("open it", 2)), "open it: No such file or directory"s);
}

void ErrorLineTest::leavesOutTheCodesWordsWhereTheContextSaysWhy()
{
    QCOMPARE(errorLine({ErrorCode::Refused, "use /", 0, "it holds everything; choose another"}),
             "use /: it holds everything; choose another"s);
    QCOMPARE(errorLine({ErrorCode::Refused, "use /", 0, {}}), "use /: refused"s);
}

void ErrorLineTest::showsNothingThatATerminalActsUpon()
{
    QCOMPARE(errorLine({ErrorCode::NotFound, "find a\x1b[31m\nb", 0, "not \xff"}),
             "find a\\x1B[31m\\nb: not found; not \\xFF"s);
}

void ErrorLineTest::leavesEscapesAsTheyAre()
{
    const std::string quoted = displayQuoted("a\x1b\\b");
    QCOMPARE(errorLine({ErrorCode::NotFound, "use " + quoted, 0, {}}), "use " + quoted + ": not found");
}

QTEST_APPLESS_MAIN(ErrorLineTest)
#include "tst_error_line.moc"
