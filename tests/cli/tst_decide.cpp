// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/decided_world.h"
#include "tests/cli/pty_program.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/tostring.h"
#include "tests/support/tree_snapshot.h"

#include <QTest>

#include <filesystem>
#include <memory>

#include <sys/xattr.h>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* kBefore
    = "mkdir -p dir gone; echo one > a; echo x > gone/x; echo kept > dir/kept; echo hold > held";
constexpr const char* kDeeds
    = "echo two >> a; rm -r gone; mkdir -p new/deep; echo new > new/deep/file; "
      "chmod 000 new/deep/file; chmod +x dir/kept; mkdir -p .vscode; echo {} > .vscode/tasks.json";

} // namespace

/// `revet apply`, `discard` and `undo`, after real boxes.
class DecideTest : public QObject, protected DecidedWorld
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_LAYERS(); }
    void init()
    {
        m_world = std::make_unique<World>();
        m_world->prepare(kBefore);
        m_before = tree();
        const Finished finished = m_world->runner().runScript("container", kDeeds);
        QCOMPARE(finished.status, 0);
        m_id = m_world->runner().lastSession();
    }

    void takesOverAndTakesBack()
    {
        const Finished applied = revet({"apply", "--json"});
        QCOMPARE(applied.status, 0);
        QCOMPARE(
            told(applied),
            std::string(
                "applied a; applied dir/kept; applied gone; applied gone/x; applied new; applied new/deep; "
                "applied new/deep/file; held .vscode/tasks.json"));
        QCOMPARE(readFile(project() / "a"), std::string("one\ntwo\n"));
        QVERIFY(!fs::exists(project() / "gone"));
        QCOMPARE(fs::status(project() / "new/deep/file").permissions(), fs::perms::none);
        QVERIFY(!fs::exists(project() / ".vscode"));
        QCOMPARE(state(), std::string("review"));
        QCOMPARE(told(revet({"apply", "--json"})), std::string("held .vscode/tasks.json"));

        const TreeSnapshot between = tree();
        QCOMPARE(revet({"apply", "--pinned"}).status, 0);
        QCOMPARE(readFile(project() / ".vscode/tasks.json"), std::string("{}\n"));
        QCOMPARE(state(), std::string("closed"));

        QCOMPARE(revet({"undo"}).status, 0);
        QCOMPARE(treeDifferences(between, tree()), std::string());
        QCOMPARE(state(), std::string("review"));
        QCOMPARE(revet({"undo"}).status, 0);
        QCOMPARE(treeDifferences(m_before, tree()), std::string());
        QCOMPARE(revet({"undo", m_id, "a"}).status, 0);
        QCOMPARE(readFile(project() / "a"), std::string("one\ntwo\n"));

        const auto rows = m_world->runner().list({"log", m_id, "--kind", "apply"});
        QVERIFY(!matching(rows, {{"rule", "apply"}, {"target", (project() / "a").string()}}).empty());
        QVERIFY(!matching(rows, {{"rule", "undo"}, {"target", (project() / "a").string()}}).empty());
        QCOMPARE(revet({"log", m_id, "--verify"}).status, 0);
    }

    void takesNoAttributesOver()
    {
        REVET_NEEDS_PROGRAM("python3");
        QCOMPARE(m_world->runner()
                     .runScript("container",
                                "python3 -c 'import os; os.setxattr(\"a\", \"user.note\", b\"v\")'; echo > b")
                     .status,
                 0);
        const std::string id = m_world->runner().lastSession();
        QCOMPARE(told(revet({"apply", id, "--json"})), std::string("applied b; held a"));
        QCOMPARE(::getxattr((project() / "a").c_str(), "user.note", nullptr, 0), ssize_t{-1});
        // Nothing is left that could be.
        QCOMPARE(
            matching(m_world->runner().list({"ps", "--all"}), {{"session", id}}).front().value("state", ""),
            std::string("closed"));
    }

    /// Whom the user namespace of the review does not know.
    void keepsAccessListsThatNameOthers()
    {
        const std::string list = accessListFor(1501);
        QCOMPARE(::setxattr((project() / "a").c_str(), kAccessList, list.data(), list.size(), 0), 0);
        box("echo three >> a; echo x > b");
        QCOMPARE(told(revet({"apply", m_id, "--json"})), std::string("applied a; applied b"));
        QCOMPARE(accessListOf(project() / "a"), list);
        QCOMPARE(readFile(project() / "a"), std::string("one\nthree\n"));
        QCOMPARE(revet({"undo", m_id}).status, 0);
        QCOMPARE(accessListOf(project() / "a"), list);
    }

    /// Mode and time are the file's: one with other names, outside, held or not meant, is replaced whole.
    void changesNoOtherNameOfAFile()
    {
        m_world->prepare("git init -q; echo tool > tool; ln tool ../ext; echo hook > t2; ln t2 "
                         ".git/hooks/pre-commit; echo h > h1; ln h1 h2; echo t > t1; ln t1 ../ext-time; "
                         "chmod 644 tool t2 h1 t1; touch -d 2001-01-01T00:00Z tool t2 h1 t1");
        const TreeSnapshot before = tree();
        const std::string deeds = "chmod 755 tool t2 h1; chmod 600 t1; touch -d 2002-02-02T00:00Z t1";
        QCOMPARE(m_world->runner().runScript("container", deeds).status, 0);
        m_id = m_world->runner().lastSession();
        QCOMPARE(told(revet({"apply", m_id, "--json"})),
                 std::string("applied h1; applied t1; applied t2; applied tool"));
        const auto looks = [this] {
            return m_world->runner().bare(
                {"/bin/sh", "-c",
                 "stat -c '%n %a %Y' tool ../ext t2 .git/hooks/pre-commit h1 h2 t1 ../ext-time"});
        };
        const std::string modes = "tool 755 978307200\n../ext 644 978307200\nt2 755 978307200\n"
                                  ".git/hooks/pre-commit 644 978307200\nh1 755 978307200\n"
                                  "h2 644 978307200\nt1 600 1012608000\n../ext-time 644 978307200\n";
        QCOMPARE(looks().out, modes);
        const TreeSnapshot after = tree();
        QCOMPARE(revet({"undo", m_id}).status, 0);
        QCOMPARE(treeDifferences(before, tree()), std::string());
        const auto links = m_world->runner().bare(
            {"/bin/sh", "-c", "stat -c %h tool t2 h1 t1; stat -c %i tool ../ext | uniq | wc -l"});
        QCOMPARE(links.out, std::string("2\n2\n2\n2\n1\n"));
        QCOMPARE(revet({"undo", m_id}).status, 0);
        QCOMPARE(treeDifferences(after, tree()), std::string());
        QCOMPARE(looks().out, modes);
    }

    void takesOverOnlyWhatIsNamed()
    {
        QCOMPARE(revet({"apply", "a"}).status, 0);
        QCOMPARE(readFile(project() / "a"), std::string("one\ntwo\n"));
        QVERIFY(fs::exists(project() / "gone/x"));
        QVERIFY(!fs::exists(project() / "new"));
        QCOMPARE(state(), std::string("review"));
        QCOMPARE(revet({"apply", "../elsewhere"}).status, 3);
        const Finished nothing = revet({"apply", "a", "nosuch"});
        QCOMPARE(nothing.status, 3);
        QVERIFY2(nothing.err.find("nosuch") != std::string::npos, nothing.err.c_str());
        QCOMPARE(revet({"apply", "a"}).status, 0); // as before
    }

    void holdsWhatOnlyTheHostsConfigurationRuns()
    {
        m_world->prepare(
            "git init -q; mkdir scripts editor; echo old > scripts/watch; echo {} > editor/tasks.json; "
            "ln -s editor .idea; echo old > variables; ln -s variables .envrc; "
            "git config core.fsmonitor scripts/watch; git config core.hooksPath scripts/hooks");
        const std::string deeds
            = "echo new > scripts/watch; mkdir scripts/hooks; echo x > scripts/hooks/pre-commit; "
              "echo new > editor/tasks.json; echo new > variables; echo new > free";
        QCOMPARE(m_world->runner().runScript("container", deeds).status, 0);
        const std::string id = m_world->runner().lastSession();
        const Finished applied = revet({"apply", id, "--json"});
        QCOMPARE(applied.status, 0);
        QCOMPARE(told(applied),
                 std::string("applied free; held editor/tasks.json; held scripts/hooks; "
                             "held scripts/hooks/pre-commit; held scripts/watch; held variables"));
        QCOMPARE(readFile(project() / "scripts/watch"), std::string("old\n"));
        QVERIFY(!fs::exists(project() / "scripts/hooks"));
    }

    void passesOverWhatIsTooDeepToOpen()
    {
        const std::string deeds = "import os\n"
                                  "open('beside', 'w').write('b')\n"
                                  "for i in range(3000):\n  os.mkdir('x'); os.chdir('x')\n"
                                  "open('leaf', 'w').write('q')";
        QCOMPARE(m_world->runner().run("container", {"/usr/bin/python3", "-c", deeds}).status, 0);
        const std::string id = m_world->runner().lastSession();
        const auto rows = m_world->runner().list({"diff", id});
        QVERIFY(rows.size() > 100 && rows.size() < 3000);
        const Finished applied = revet({"apply", id, "--json"});
        QCOMPARE(applied.status, 0);
        QVERIFY(told(applied).find("held x/x/x") != std::string::npos);
        QVERIFY(fs::exists(project() / "beside"));
        QVERIFY(!fs::exists(project() / "x")); // would only hold what is held
        QCOMPARE(revet({"discard", id}).status, 0);
    }

    /// A file's other names have another ctime then, and nothing else.
    void takesOverOneNameOfAFileAfterTheOther()
    {
        m_world->prepare("echo x > f; ln f g; ln f h");
        QTest::qWait(20);
        QCOMPARE(m_world->runner().runScript("container", "echo 1 >> f; echo 2 > g; rm h").status, 0);
        const std::string id = m_world->runner().lastSession();
        QCOMPARE(revet({"apply", id, "f"}).status, 0);
        QCOMPARE(readFile(project() / "g"), std::string("x\n"));
        QCOMPARE(revet({"undo", id}).status, 0);
        QCOMPARE(revet({"apply", id, "f"}).status, 0);
        QCOMPARE(revet({"apply", id, "g"}).status, 0);
        QCOMPARE(readFile(project() / "g"), std::string("2\n"));
        writeFile(project() / "h", "mine\n");
        QCOMPARE(revet({"apply", id, "h"}).status, 6);
    }

    void namesTheSessionInWhatItSays()
    {
        QCOMPARE(revet({"apply", "a"}).out, "applied 1 path of " + m_id + '\n');
        QCOMPARE(revet({"apply", "a"}).out, "nothing to do for " + m_id + '\n');
        QVERIFY(revet({"undo"}).out.ends_with(" of " + m_id + '\n'));
        QCOMPARE(revet({"discard"}).out, "discarded 1 path of " + m_id + "; nothing is left to decide\n");
        QVERIFY(revet({"undo"}).out.find(m_id) != std::string::npos);
    }

    void takesNoPathForASessionElsewhere()
    {
        const fs::path other = project().parent_path() / "other";
        const std::string start = m_id.substr(0, 2);
        m_world->prepare("mkdir ../other; echo x > ../other/" + start + "; echo x > " + start);
        const auto in = [this](const fs::path& directory, const std::vector<std::string>& arguments) {
            RunOptions options;
            options.directory = directory.string();
            return m_world->runner().revet(arguments, options).status;
        };
        QCOMPARE(in(other, {"discard", start}), 3); // no session of this project
        QCOMPARE(in(project(), {"discard", start}), 2); // a path, and the beginning of a session's id
        QCOMPARE(in(project(), {"discard", "./" + start}), 3); // the path, at which nothing was done
        QCOMPARE(state(), std::string("review"));
        QCOMPARE(in(other, {"discard", m_id}), 0);
        QCOMPARE(state(), std::string("closed"));
    }

    void refusesWhatTheHostChangedMeanwhile()
    {
        writeFile(project() / "a", "mine\n");
        const TreeSnapshot mine = tree();
        const Finished finished = revet({"apply"});
        QCOMPARE(finished.status, 6);
        QVERIFY(finished.err.find("a: it was changed") != std::string::npos);
        QCOMPARE(treeDifferences(mine, tree()), std::string());
        QVERIFY(told(revet({"apply", "--json"})).ends_with("; conflict a"));
    }

    void refusesWhatTheHostRemovedMeanwhile()
    {
        fs::rename(project() / "dir", project() / "elsewhere"); // its files keep their ctime
        fs::remove(project() / "a");
        const TreeSnapshot mine = tree();
        for (const bool isContinued : {false, true}) {
            if (isContinued) { // by whom the files were replaced is another session then
                QCOMPARE(revet({"run", "--tier", "container", "--continue=" + m_id, "--", "true"}).status, 0);
            }
            const Finished finished = revet({"apply"});
            QCOMPARE(finished.status, 6);
            QVERIFY(finished.err.find("a: it was removed") != std::string::npos);
            QVERIFY(finished.err.find("dir/kept: it was removed") != std::string::npos);
            QCOMPARE(treeDifferences(mine, tree()), std::string());
        }
        QCOMPARE(revet({"apply", "new"}).status, 0);
    }

    void refusesToTakeBackWhatThePersonChanged()
    {
        QCOMPARE(revet({"apply"}).status, 0);
        writeFile(project() / "a", "mine\n");
        QCOMPARE(revet({"undo"}).status, 6);
        QCOMPARE(readFile(project() / "a"), std::string("mine\n"));
    }

    void throwsAwayAndBringsBack()
    {
        QCOMPARE(revet({"discard", "new"}).status, 0);
        QCOMPARE(told(revet({"apply", "--json", "new"})), std::string());
        QCOMPARE(revet({"undo"}).status, 0);
        QCOMPARE(revet({"discard"}).status, 0);
        QCOMPARE(state(), std::string("closed"));
        QCOMPARE(revet({"discard", m_id}).status, 3);
        QCOMPARE(treeDifferences(m_before, tree()), std::string());
        QCOMPARE(revet({"undo"}).status, 0);
        QCOMPARE(state(), std::string("review"));
        QCOMPARE(revet({"apply"}).status, 0);
        QCOMPARE(readFile(project() / "a"), std::string("one\ntwo\n"));
    }

    void takesBackWhatADirectSessionDid()
    {
        m_world = std::make_unique<World>();
        m_world->prepare("mkdir -p src gone/deep; echo one > src/a; echo two > src/b; echo x > gone/deep/x");
        const TreeSnapshot before = tree();
        const Finished finished = m_world->runner().runScript(
            "sandbox", "echo more >> src/a; rm src/b; rm -r gone; mkdir new; echo n > new/file");
        const std::string id = m_world->runner().lastSession();
        const std::string end
            = ": 'revet diff " + id + "' shows that, 'revet undo " + id + "' takes it back;";
        QVERIFY2(finished.err.find("4 files changed" + end) != std::string::npos, finished.err.c_str());
        const TreeSnapshot after = tree();

        QCOMPARE(revet({"discard", id}).status, 5);
        // A file comes with the directories that it was in, and nothing else.
        QCOMPARE(told(revet({"undo", "gone/deep/x", "--json"})),
                 std::string("undone gone; undone gone/deep; undone gone/deep/x"));
        QVERIFY(!fs::exists(project() / "src/b"));
        QCOMPARE(revet({"undo", id}).status, 0);
        QCOMPARE(treeDifferences(before, tree()), std::string());
        QCOMPARE(revet({"undo"}).status, 0);
        QCOMPARE(treeDifferences(after, tree()), std::string());

        // A person's own work stays, and all with it; what is named apart from it does not wait.
        writeFile(project() / "src/a", "mine\n");
        writeFile(project() / "new/mine", "mine\n");
        const TreeSnapshot mine = tree();
        const Finished refused = revet({"undo", id});
        QCOMPARE(refused.status, 6);
        QVERIFY2(refused.err.find("src/a: it was changed") != std::string::npos
                     && refused.err.find("new/mine: it is not part of this") != std::string::npos,
                 refused.err.c_str());
        QCOMPARE(treeDifferences(mine, tree()), std::string());
        QCOMPARE(told(revet({"undo", "src/b", "new/file", "--json"})),
                 std::string("undone new/file; undone src/b"));
        QCOMPARE(readFile(project() / "src/b"), std::string("two\n"));
        QCOMPARE(readFile(project() / "new/mine"), std::string("mine\n"));

        const auto rows = m_world->runner().list({"log", id, "--kind", "apply"});
        QVERIFY(!matching(rows, {{"rule", "undo"}, {"target", (project() / "src/b").string()}}).empty());
    }

    void letsOldUndoGo()
    {
        m_world = std::make_unique<World>();
        m_world->prepare("head -c 300000 /dev/urandom > a; echo b > b");
        QCOMPARE(m_world->runner().runScript("sandbox", "rm a; echo new > b").status, 0);
        const std::string id = m_world->runner().lastSession();
        QCOMPARE(revet({"undo", "b"}).status, 0); // makes a record
        const fs::path session = m_world->home().dataHome() / "revet/sessions" / id;
        const auto age = [&](const std::string& days) {
            m_world->prepare("touch -d '" + days + " days ago' '" + session.string() + "'/pre-images '"
                             + session.string() + "'/records '" + session.string()
                             + "'/discarded; python3 -c 'import sqlite3, sys, time; c = "
                             + "sqlite3.connect(sys.argv[1]); c.execute(\"UPDATE session SET ended = ?\", "
                             + "(int(time.time() - " + days + " * 86400) * 1000000,)); c.commit()' '"
                             + (m_world->home().dataHome() / "revet/catalogue.db").string() + "'");
        };
        age("29");
        const Finished kept = revet({"prune"});
        QVERIFY2(kept.out.starts_with("kept: 1 session, ")
                     && kept.out.find("; for undo ") != std::string::npos,
                 (kept.out + kept.err).c_str());
        age("31");
        QVERIFY(revet({"prune", "--dry-run"}).out.find("undo is too old") != std::string::npos);
        const auto gone = m_world->runner().list({"prune"});
        QCOMPARE(gone.size(), std::size_t{1});
        QCOMPARE(gone[0].value("reason", ""), std::string("undo_age"));
        QVERIFY(gone[0].value("bytes", 0) > 300'000);
        QVERIFY(!fs::exists(session / "pre-images") && !fs::exists(session / "records"));
        QCOMPARE(revet({"undo", id}).status, 3);
        QCOMPARE(revet({"diff", id}).status, 3);
        QVERIFY(!m_world->runner().list({"log", id}).empty());
        QVERIFY(m_world->runner().list({"prune"}).empty());
    }

    void saysWhatADirectSessionDidNotKeep()
    {
        m_world = std::make_unique<World>();
        m_world->prepare("mkdir -p node_modules/m; echo old > node_modules/m/x; echo one > a");
        m_world->makeRepository();
        QCOMPARE(m_world->runner().runScript("sandbox", "echo new > node_modules/m/x; rm a").status, 0);
        const Finished stat = revet({"diff", "--stat"});
        QVERIFY2(stat.out.find("not kept: build output is not copied") != std::string::npos,
                 stat.out.c_str());
        const auto rows = matching(m_world->runner().list({"diff"}), {{"path", "node_modules/m/x"}});
        QCOMPARE(rows.at(0).value("unread", ""), std::string("not kept: build output is not copied"));
        const Finished undone = revet({"undo"});
        QCOMPARE(undone.status, 1);
        QVERIFY2(undone.err.find("node_modules/m/x: build output is not copied") != std::string::npos,
                 undone.err.c_str());
        QCOMPARE(readFile(project() / "a"), std::string("one\n"));
        QCOMPARE(readFile(project() / "node_modules/m/x"), std::string("new\n"));
        QCOMPARE(revet({"undo"}).status, 0); // and that again
        QVERIFY(!fs::exists(project() / "a"));
    }

    void refusesADirectoryInAnothersPlace()
    {
        fs::rename(project(), project().string() + "-old");
        fs::create_directory(project());
        const Finished finished = revet({"apply", m_id});
        QCOMPARE(finished.status, 6);
        QVERIFY(fs::is_empty(project()));
    }

private:
    [[nodiscard]] TreeSnapshot tree() const { return snapshotOf(project()); }
    [[nodiscard]] std::string state() const
    {
        const auto rows = matching(m_world->runner().list({"ps", "--all"}), {{"session", m_id}});
        return rows.empty() ? "" : rows.front().value("state", "");
    }

    TreeSnapshot m_before;
};

QTEST_APPLESS_MAIN(DecideTest)

#include "tst_decide.moc"
