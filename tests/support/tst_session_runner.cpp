// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/support/session_runner.h"
#include "tests/support/tostring.h"

#include <QTest>

namespace revet::test {

/// The runner's own promises, with programs that need no box.
class SessionRunnerTest : public QObject
{
    Q_OBJECT

    [[nodiscard]] Finished bare(const std::string& script, const RunOptions& options = {}) const
    {
        return SessionRunner(m_home).bare({"/bin/sh", "-c", script}, options);
    }

    TempHome m_home;

private Q_SLOTS:
    void keepsTheTwoStreamsApart()
    {
        const Finished finished = bare("echo out; echo err >&2; exit 3");
        QCOMPARE(finished.out, "out\n");
        QCOMPARE(finished.err, "err\n");
        QCOMPARE(finished.status, 3);
        QVERIFY(!finished.timedOut);
    }

    void tellsASignalAsAShellDoes() { QCOMPARE(bare("kill -9 $$").status, 128 + 9); }

    void handsOverInputAndItsEnd()
    {
        QCOMPARE(bare("cat", {.input = std::string("a\0b\n", 4)}).out, std::string("a\0b\n", 4));
        QCOMPARE(bare("cat; echo end").out, "end\n");
    }

    void runsInTheProjectWithTheHomesEnvironmentOnly()
    {
        qputenv("REVET_TEST_LEAK", "leaked");
        const Finished finished = bare("pwd; echo $HOME; echo [$REVET_TEST_LEAK] [$ADDED] [$LC_ALL]",
                                       {.environment = {{"ADDED", "yes"}, {"LC_ALL", ""}}});
        qunsetenv("REVET_TEST_LEAK");
        QCOMPARE(finished.out, m_home.project().string() + "\n" + m_home.home().string() + "\n[] [yes] []\n");
    }

    void endsWhatTakesTooLong()
    {
        const Finished finished
            = bare("echo begun; exec sleep 60", {.timeout = std::chrono::milliseconds(300)});
        QVERIFY(finished.timedOut);
        QCOMPARE(finished.status, -1);
        QCOMPARE(finished.out, "begun\n");
    }

    void saysWhenAProgramCannotStart()
    {
        const Finished finished = SessionRunner(m_home).bare({"/no/such/program"});
        QCOMPARE(finished.status, -1);
        QVERIFY(!finished.err.empty());
    }

    void findsRowsByTheKeysOfAPattern()
    {
        const std::vector<nlohmann::json> rows{{{"kind", "write"}, {"errno", 0}, {"target", "/a"}},
                                               {{"kind", "write"}, {"errno", 13}, {"target", "/b"}},
                                               {{"kind", "read"}, {"target", "/c"}}};
        QCOMPARE(matching(rows, {{"kind", "write"}}).size(), std::size_t{2});
        QCOMPARE(matching(rows, {{"kind", "write"}, {"errno", 13}}).at(0).value("target", ""), "/b");
        QVERIFY(matching(rows, {{"errno", 1}}).empty());
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::SessionRunnerTest)
#include "tst_session_runner.moc"
