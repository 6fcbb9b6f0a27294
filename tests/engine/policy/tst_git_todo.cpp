// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_todo.h"

#include <QTest>

using revet::policy::commandsOfOptions;
using revet::policy::commandsOfStrategy;
using revet::policy::commandsOfTodo;

class GitTodoTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsWhatGitWouldRun_data()
    {
        QTest::addColumn<QByteArray>("todo");
        QTest::addColumn<QList<QByteArray>>("commands");
        const auto row = [](const char* name, const char* todo, const QList<QByteArray>& commands) {
            QTest::newRow(name) << QByteArray(todo) << commands;
        };
        row("empty", "", {});
        row("only picks", "pick 1234567 exec\nfixup -C 2345678 x\nlabel x\nbreak\n", {});
        row("long", "exec make test\n", {"make test"});
        row("short", "x make\n", {"make"});
        row("without an end", "pick 1\nx make", {"make"});
        row("blanks before and between", " \t exec \t make  all\n", {"make  all"});
        row("commented out", "# exec make\n#x make\n", {});
        row("other words", "execute make\nX make\nExec make\nx-ray make\n", {});
        row("several", "x one\npick 1\nexec two\n", {"one", "two"});
        row("no command", "exec\n", {""});
        row("carriage return", "x make\r\n", {"make\r"});
    }
    void findsWhatGitWouldRun()
    {
        QFETCH(const QByteArray, todo);
        QFETCH(const QList<QByteArray>, commands);
        QList<QByteArray> found;
        for (const std::string& command : commandsOfTodo(todo.toStdString())) {
            found.append(QByteArray::fromStdString(command));
        }
        QCOMPARE(found, commands);
    }
    void findsStrategiesThatAreNotGitsOwn()
    {
        for (const char* const own : {"", "ort\n", "recursive", "ours\n", "octopus"}) {
            QVERIFY2(commandsOfStrategy(own).empty(), own);
        }
        QCOMPARE(commandsOfStrategy("x/evil\n"), std::vector<std::string>{"git-merge-x/evil"});
        QVERIFY(commandsOfOptions("[options]\n\tstrategy = ort\n\tedit = true\n").empty());
        QCOMPARE(commandsOfOptions("[options]\n\tstrategy = x/evil\n"),
                 std::vector<std::string>{"git-merge-x/evil"});
        QCOMPARE(commandsOfOptions("[options\n").size(), 1U);
    }
};

QTEST_APPLESS_MAIN(GitTodoTest)
#include "tst_git_todo.moc"
