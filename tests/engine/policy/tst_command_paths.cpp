// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/command_paths.h"
#include "engine/policy/git_values.h"

#include <QTest>

using namespace revet::policy;

class CommandPathsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// "?x" is a word that may be a file's name, "x/*" a folder, ">x" where words count as well.
    void findsWhatAShellWouldRun_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArray>("paths");
        const auto row = [](const char* command, const char* paths) {
            QTest::newRow(command) << QByteArray(command) << QByteArray(paths);
        };
        row("", "");
        row("   ", "");
        row("fsm", "?fsm");
        row("tools/fsm", "tools/fsm");
        row("./fsm", "./fsm");
        row("../x/fsm", "../x/fsm");
        row("/opt/x/fsm -v", "/opt/x/fsm");
        row("~/bin/fsm", "~/bin/fsm");
        row("$HOME/bin/fsm", "~/bin/fsm");
        row("\"${HOME}/bin/fsm\"", "~/bin/fsm");
        row("~other/bin/fsm", "bin/fsm");
        row("$PWD/tools/fsm -x", "tools/fsm");
        row("\"$PWD/tools/fsm\"", "tools/fsm");
        row("\"$PWD/tools/fsm\" -x", "tools/fsm");
        row("\"$PWD\"/tools/fsm", "tools/fsm");
        row("\"tools/fsm\" -x", "tools/fsm");
        row("'my tools/fsm'", "?my|tools/fsm|my tools/fsm");
        row("my\\ tools/fsm", "my tools/fsm");
        row("'dir sp/fsm' -z", "?dir|sp/fsm|dir sp/fsm");
        row("to\"ols/f\"s'm'", "tools/fsm");
        row("tools\\/fsm", "tools/fsm");
        row("${X:-tools/param} --wait", "tools/param");
        row("${X-tools/param}", "tools/param");
        row("${X#a/b}/c/d", "c/d");
        row("${X/a/b}", "");
        row("!\"$(git rev-parse --show-toplevel)\"/tools/esc", "?git|?rev-parse|tools/esc");
        row("`git rev-parse --show-toplevel`/tools/esc", "?git|?rev-parse|tools/esc");
        row("$(tools/where)/x/y", "tools/where|x/y");
        row("\"`tools/where`\"", "tools/where");
        row("$(cat $(tools/in))", "?cat|tools/in");
        row("cd tools && ./pager.sh", "?cd|>tools|?tools|./pager.sh");
        row("cd tools; sh run.sh", "?cd|>tools|?tools|?sh|run.sh");
        row("a/b|c/d;e/f&g/h", "a/b|c/d|e/f|g/h");
        row("x >log/a 2>&1 </in/b", "?x|log/a|?2|?1|/in/b");
        row("(a/b)", "a/b");
        row("f() { tools/x \"$@\"; }; f", "?f|?{|tools/x");
        row("sh -c 'tools/x --y'", "?sh|tools/x");
        row("sh -c \"tools/x $1\"", "?sh|tools/x");
        row("bash -e script", "?bash|script");
        row("python3 x.py", "?python3|x.py");
        row("perl -e 'print 1/2'", "?perl|?print|1/2");
        row("env A=b/c sh d", "?env|?A|b/c|?sh|d");
        row("GIT_EDITOR=tools/ed git commit", "?GIT_EDITOR|tools/ed|?git|?commit");
        row("git -c core.pager=tools/p log", "?git|core.pager=tools/p|?core.pager|tools/p|?log");
        row("x --with=a/b", "?x|a/b");
        row("x -Ia/b", "?x|a/b");
        row("x a/b:c/d", "?x|a/b:c/d|a/b|c/d");
        row("tools/$X.sh", "tools/*");
        row("tools/*.sh", "tools/*");
        row("grep x src/$1", "?grep|?x");
        row("*/fsm", "fsm");
        row("$X/fsm", "fsm");
        row("cat $X/fsm", "?cat|?fsm");
        row("$X-y/tools/fsm", "tools/fsm");
        row("cat https://example.org/a/b", "?cat");
        row("x # a/b\nc/d", "?x|c/d");
        row("x#a/b", "x#a/b");
        row("ls src/", "?ls");
        row("$'tools/fsm'", "tools/fsm");
        row("tools/clean %f", "tools/clean|?%f");
        row("'never closed/x", "?never|closed/x|never closed/x");
        row("\"never closed/$", "?never|closed/$|never closed/$");
        row("${never/closed", "");
        row("$(never/closed", "never/closed");
        row("`never/closed", "never/closed");
        row("a\\", "?a");
        row("a/b \\\n c/d", "a/b|c/d");
    }
    void findsWhatAShellWouldRun()
    {
        QFETCH(const QByteArray, command);
        QFETCH(const QByteArray, paths);
        QByteArrayList found;
        for (const CommandPath& path : commandPaths(command.toStdString())) {
            const QByteArray text = QByteArray::fromStdString(path.path);
            switch (path.kind) {
            case CommandPath::Kind::File:
                found.append(text);
                break;
            case CommandPath::Kind::Word:
                found.append('?' + text);
                break;
            case CommandPath::Kind::Folder:
                found.append(text + "/*");
                break;
            case CommandPath::Kind::From:
                found.append('>' + text);
                break;
            }
        }
        QCOMPARE(found.join('|'), paths);
    }

    void endsOnWhateverItIsGiven()
    {
        for (const char* const part : {"$(", "`", "${X:-", "'", "\"", "\\", "(", "{", "a/b ", "'\"", "$(("}) {
            std::string text;
            for (int i = 0; i < 5000; ++i) {
                text += part;
            }
            QVERIFY(commandPaths(text).size() < 5000);
        }
    }

    void knowsWhatGitRuns_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<int>("value");
        const auto row = [](const char* key, GitValue value) {
            QTest::newRow(key) << QByteArray(key) << static_cast<int>(value);
        };
        row("core.hookspath", GitValue::Path);
        row("include.path", GitValue::Include);
        row("includeif.gitdir:~/x/.path", GitValue::Include);
        row("core.fsmonitor", GitValue::Command);
        row("alias.x", GitValue::Command);
        row("pager.log", GitValue::Command);
        row("diff.x.textconv", GitValue::Command);
        row("filter.a.b.clean", GitValue::Command);
        row("merge.x.driver", GitValue::Command);
        row("core.alternaterefscommand", GitValue::Command);
        row("gpg.program", GitValue::Program);
        row("gpg.ssh.program", GitValue::Program);
        row("mergetool.x.path", GitValue::Program);
        row("submodule.x.path", GitValue::Other);
        row("submodule.x.update", GitValue::Command);
        row("remote.origin.url", GitValue::Other);
        row("remote.origin.fetch", GitValue::Other);
        row("branch.main.merge", GitValue::Other);
        row("user.name", GitValue::Other);
        row("safe.directory", GitValue::Other);
    }
    void knowsWhatGitRuns()
    {
        QFETCH(const QByteArray, key);
        QFETCH(const int, value);
        QCOMPARE(static_cast<int>(gitValueOf(key.toStdString())), value);
    }
};

QTEST_APPLESS_MAIN(CommandPathsTest)
#include "tst_command_paths.moc"
