// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/run_options.h"

#include <QTest>

using namespace std::string_literals;
using namespace revet;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class RunOptionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cutsWhereTheCommandBegins_data();
    void cutsWhereTheCommandBegins();
    void readsEveryOption();
    void makesPathsAbsolute();
    void refusesWhatMakesNoSense_data();
    void refusesWhatMakesNoSense();
};

namespace {

std::string joined(const cli::Arguments& arguments)
{
    std::string text;
    for (const std::string& argument : arguments) {
        text += '[' + argument + ']';
    }
    return text;
}

cli::Arguments split(const QByteArray& text)
{
    cli::Arguments arguments;
    for (const QByteArray& word : text.split(' ')) {
        if (!word.isEmpty()) {
            arguments.push_back(word.toStdString());
        }
    }
    return arguments;
}

} // namespace

void RunOptionsTest::cutsWhereTheCommandBegins_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("options");
    QTest::addColumn<QByteArray>("command");
    const auto row = [](const char* line, const char* options, const char* command) {
        QTest::newRow(line) << QByteArray(line) << QByteArray(options) << QByteArray(command);
    };
    row("make -j2", "", "[make][-j2]");
    row("-- make -j2", "", "[make][-j2]");
    row("--tier sandbox -- make", "[--tier][sandbox]", "[make]");
    row("--tier=sandbox make --tier x", "[--tier=sandbox]", "[make][--tier][x]");
    row("--tier sandbox make -- x", "[--tier][sandbox]", "[make][--][x]");
    row("-- -- x", "", "[--][x]");
    row("-- --help", "", "[--help]");
    row("--detach make", "[--detach]", "[make]");
    row("--tier", "[--tier]", "");
    row("", "", "");
}

void RunOptionsTest::cutsWhereTheCommandBegins()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, options);
    QFETCH(QByteArray, command);
    const cli::RunArguments parts = cli::splitRunArguments(split(line));
    QCOMPARE(joined(parts.options), options.toStdString());
    QCOMPARE(joined(parts.command), command.toStdString());
}

void RunOptionsTest::readsEveryOption()
{
    const cli::ParsedRun parsed = cli::parseRun(
        split("--project p --tier container --profile a --profile b --bind-ro /x --bind-rw /y/ --unhide .env "
              "--env A --env B=c=d "
              "--observe writes --name lab --detach -- cmd --env x"),
        "/home/user");
    QVERIFY(!parsed.exitStatus);
    const ipc::RunRequest& request = parsed.request;
    QCOMPARE(request.project.value_or(""), "/home/user/p"s);
    QVERIFY(request.tier == Tier::Container && request.observe == ObserveLevel::Writes);
    QCOMPARE(joined(request.profiles), "[a][b]"s);
    QCOMPARE(joined(request.bindReadOnly), "[/x]"s);
    QCOMPARE(joined(request.bindReadWrite), "[/y]"s);
    QCOMPARE(joined(request.unhide), "[/home/user/.env]"s);
    QCOMPARE(joined(request.environmentAssignments), "[A][B=c=d]"s);
    QCOMPARE(request.label, "lab"s);
    QVERIFY(request.isDetached);
    QCOMPARE(joined(request.command), "[cmd][--env][x]"s);
    QCOMPARE(request.currentDirectory, "/home/user"s);
    QVERIFY(ipc::decodeRunRequest(ipc::encodeRunRequest(request)));
}

void RunOptionsTest::makesPathsAbsolute()
{
    const auto request = cli::parseRun(split("--bind-ro ../b/./c --bind-ro . x"), "/home/user").request;
    QCOMPARE(joined(request.bindReadOnly), "[/home/b/c][/home/user]"s);
}

void RunOptionsTest::refusesWhatMakesNoSense_data()
{
    QTest::addColumn<QByteArray>("line");
    for (const char* const line :
         {"", "--", "--tier", "--tier strong -- x", "--teir sandbox -- x", "--observe little -- x",
          "--limit memory=1G -- x", "--env =x -- x", "--detach=7 -- x"}) {
        QTest::newRow(line) << QByteArray(line);
    }
}

void RunOptionsTest::refusesWhatMakesNoSense()
{
    QFETCH(QByteArray, line);
    QCOMPARE(cli::parseRun(split(line), "/home/user").exitStatus.value_or(-1), 125);
}

QTEST_APPLESS_MAIN(RunOptionsTest)
#include "tst_run_options.moc"
