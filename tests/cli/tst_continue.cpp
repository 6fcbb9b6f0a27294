// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/pty_program.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <filesystem>
#include <memory>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

} // namespace

/// `revet run` where an earlier session's changes wait.
class ContinueTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_LAYERS(); }
    void init()
    {
        m_world = std::make_unique<World>();
        m_world->prepare("echo one > a; mkdir gone; echo x > gone/x");
        QTest::qWait(20);
        const Finished first = m_world->runner().runScript(
            "container", "echo two >> a; rm -r gone; echo kept > b; touch ~/remembered");
        QCOMPARE(first.status, 0);
        m_first = m_world->runner().lastSession();
    }

    void goesOnWithTheLayerAndTheHome()
    {
        const Finished next = go({"--continue"}, "cat a b; ls gone ~/remembered; echo three >> a");
        QCOMPARE(next.status, 0);
        QVERIFY2(next.out.starts_with("one\ntwo\nkept\n"), next.out.c_str());
        QVERIFY(next.out.find("remembered") != std::string::npos);
        QCOMPARE(stateOf(m_first), std::string("closed"));
        QCOMPARE(m_world->runner().revet({"apply"}).status, 0);
        QCOMPARE(readFile(m_world->project() / "a"), std::string("one\ntwo\nthree\n"));
        QVERIFY(!fs::exists(m_world->project() / "gone"));
        QCOMPARE(m_world->runner().revet({"undo", m_world->runner().lastSession()}).status, 0);
        QCOMPARE(readFile(m_world->project() / "a"), std::string("one\n"));
    }

    void bringsBackWhatWasThrownAwayBefore()
    {
        QCOMPARE(m_world->runner().revet({"discard", m_first, "b"}).status, 0);
        QCOMPARE(go({"--continue=" + m_first}, "test ! -e b").status, 0);
        const std::string second = m_world->runner().lastSession();
        for (const char* const command : {"undo", "discard", "diff"}) {
            const Finished finished = m_world->runner().revet({command, m_first});
            QCOMPARE(finished.status, 3);
            QVERIFY2(finished.err.find("it goes on as the session " + second) != std::string::npos,
                     finished.err.c_str());
        }
        QCOMPARE(m_world->runner().revet({"undo", second}).status, 0);
        QCOMPARE(m_world->runner().revet({"apply", second}).status, 0);
        QCOMPARE(readFile(m_world->project() / "b"), std::string("kept\n"));
    }

    void goesOnMoreThanOnceAndByName()
    {
        QCOMPARE(go({"--continue=" + m_first}, "echo three >> a").status, 0);
        const std::string second = m_world->runner().lastSession();
        QCOMPARE(go({"--continue", second}, "echo four >> a").status, 0);
        QCOMPARE(m_world->runner().revet({"apply"}).status, 0);
        QCOMPARE(readFile(m_world->project() / "a"), std::string("one\ntwo\nthree\nfour\n"));
    }

    void theHostsChangesSinceTheFirstSessionAreConflicts()
    {
        writeFile(m_world->project() / "a", "mine\n");
        QCOMPARE(go({"--continue"}, "echo three >> a").status, 0);
        QCOMPARE(m_world->runner().revet({"apply"}).status, 6);
        QCOMPARE(readFile(m_world->project() / "a"), std::string("mine\n"));
    }

    void whatWasAppliedBeforeIsNoConflict()
    {
        QCOMPARE(m_world->runner().revet({"apply", m_first, "a"}).status, 0);
        QCOMPARE(go({"--continue"}, "echo three >> a").status, 0);
        QCOMPARE(m_world->runner().revet({"apply"}).status, 0);
        QCOMPARE(readFile(m_world->project() / "a"), std::string("one\ntwo\nthree\n"));
    }

    void aSessionThatCouldNotBeginLosesNothing()
    {
        const Finished failed = m_world->runner().revet({"run", "--continue", "--", "/no/such/command"});
        QCOMPARE(failed.status, 127);
        const Finished refused
            = m_world->runner().revet({"run", "--continue", "--bind-ro", "/no/such", "true"});
        QCOMPARE(refused.status, 125);
        // Its network cannot be made, when the layer has been taken over already.
        const Finished unmade = m_world->runner().revet(
            {"run", "--continue", "--host-port", "1", "--publish", "1", "--", "true"});
        QCOMPARE(unmade.status, 125);
        QCOMPARE(stateOf(m_world->runner().lastSession()), std::string("review"));
        QCOMPARE(go({"--continue"}, "cat b").out, std::string("kept\n"));
    }

    void refusesWhatCannotBeGoneOnWith()
    {
        QCOMPARE(m_world->runner().revet({"run", "--continue", "--tier", "sandbox", "--", "true"}).status,
                 125);
        QCOMPARE(m_world->runner().revet({"run", "--continue=zzzzzz", "--", "true"}).status, 125);
        QCOMPARE(m_world->runner().revet({"discard"}).status, 0);
        QCOMPARE(m_world->runner().revet({"run", "--continue", "--", "true"}).status, 125);
        QCOMPARE(m_world->runner().revet({"undo", m_first}).status, 0);
        fs::rename(m_world->project(), m_world->project().string() + "-old");
        fs::create_directory(m_world->project());
        QCOMPARE(m_world->runner().revet({"run", "--continue", "--", "true"}).status, 125);
        const Finished plain = m_world->runner().runScript("container", "true");
        QVERIFY2(plain.err.find("it began without") == std::string::npos, plain.err.c_str());
    }

    void aPlainRunBeginsAnewAndSaysSo()
    {
        const Finished plain = m_world->runner().runScript("container", "cat a");
        QCOMPARE(plain.out, std::string("one\n"));
        QVERIFY2(plain.err.find("it began without the changes of " + m_first) != std::string::npos,
                 plain.err.c_str());
    }

    void asksOnATerminal_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::addColumn<QString>("seen");
        QTest::newRow("continue") << QStringLiteral("c\r") << QStringLiteral("one-two-.");
        QTest::newRow("apply") << QStringLiteral("apply\r") << QStringLiteral("one-two-.");
        QTest::newRow("new") << QStringLiteral("\r") << QStringLiteral("one-.");
        QTest::newRow("at the second try") << QStringLiteral("what\rn\r") << QStringLiteral("one-.");
    }
    void asksOnATerminal()
    {
        QFETCH(QString, keys);
        QFETCH(QString, seen);
        PtyProgram program(m_world->home(),
                           {SessionRunner::program("revet"), "run", "--tier", "container", "sh", "-c",
                            "echo $(tr '\\n' - < a)."});
        QVERIFY2(program.shows("[continue/apply/new, new]: "), program.output().c_str());
        program.type(keys.toStdString());
        QVERIFY2(program.shows(seen.toStdString()), program.output().c_str());
        QCOMPARE(program.status(), std::optional<int>(0));
        QCOMPARE(stateOf(m_first),
                 std::string(keys.startsWith(QLatin1Char('c'))       ? "closed"
                                 : keys.startsWith(QLatin1Char('a')) ? "closed"
                                                                     : "review"));
    }

private:
    [[nodiscard]] Finished go(std::vector<std::string> options, const std::string& script) const
    {
        options.insert(options.begin(), "run");
        options.insert(options.end(), {"--", "sh", "-c", script});
        return m_world->runner().revet(options);
    }
    [[nodiscard]] std::string stateOf(const std::string& id) const
    {
        const auto rows = matching(m_world->runner().list({"ps", "--all"}), {{"session", id}});
        return rows.empty() ? "" : rows.front().value("state", "");
    }

    std::unique_ptr<World> m_world;
    std::string m_first;
};

QTEST_APPLESS_MAIN(ContinueTest)

#include "tst_continue.moc"
