// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/decided_world.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/tostring.h"
#include "tests/support/tree_snapshot.h"

#include <QTest>

#include <filesystem>
#include <memory>

using namespace revet::test;

/// `revet apply --commit`, by the host's own git.
class DecideCommitTest : public QObject, protected DecidedWorld
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_LAYERS(); }
    void init() { beginRepository(); }

    void aCommitInsteadOfFiles()
    {
        box("echo two > b; echo more >> tracked; chmod +x tracked; mkdir -p d/e; echo x > d/e/f; "
            "ln -s b link; echo junk.o > .gitignore; echo x > junk.o; rm -rf none; "
            "mkdir .vscode; echo {} > .vscode/tasks.json");
        const TreeSnapshot before = snapshotOf(project() / ".git/refs");
        const std::string index = readFile(project() / ".git/index");
        const std::string branch = "revet/" + m_id;
        const Finished made = apply({"--commit"});
        QVERIFY(made.out.find("held back: .vscode/tasks.json") != std::string::npos);
        QVERIFY(made.out.find("commits: " + branch + " is at ") != std::string::npos);
        QCOMPARE(git("diff --name-status " + m_main + ' ' + branch),
                 std::string("A\t.gitignore\nA\tb\nA\td/e/f\nA\tlink\nM\ttracked"));
        QCOMPARE(git("ls-tree " + branch + " tracked link | cut -c1-6"), std::string("120000\n100755"));
        QCOMPARE(git("log -1 --format=%an%ae " + branch), std::string("Testertester@example.org"));
        QCOMPARE(git("log -1 --format='%(trailers:key=Revet-Session,valueonly)' " + branch), m_id);
        QCOMPARE(git("rev-parse " + branch + "^"), m_first);
        QCOMPARE(git("status --porcelain"), std::string());
        QCOMPARE(readFile(project() / ".git/index"), index);
        QCOMPARE(state(), std::string("review"));
        isWhole();
        QCOMPARE(apply({"--commit"}).out.find("commits:"), std::string::npos);
        const Finished undone = revet({"undo"});
        QVERIFY2(undone.status == 0, undone.err.c_str());
        QCOMPARE(treeDifferences(before, snapshotOf(project() / ".git/refs")), std::string());
        QCOMPARE(revet({"apply", m_id, "--commit", "b"}).status, 0);
        QCOMPARE(git("diff --name-status " + m_main + ' ' + branch), std::string("A\tb"));
    }

    void aCommitWhereTheBranchHasNoRoom()
    {
        box("git checkout -q --detach; git commit -q --allow-empty -m loose; echo two > b");
        QCOMPARE(revet({"apply", m_id, ".git"}).status, 0);
        apply({"--commit"});
        QCOMPARE(git("diff --name-status " + m_main + " revet/" + m_id + "/commit"), std::string("A\tb"));
    }

    void aCommitThatHasNoNameIsRefused()
    {
        box("echo two > b");
        m_world->prepare("git branch revet");
        const Finished refused = revet({"apply", m_id, "--commit"});
        QCOMPARE(refused.status, 6);
        QVERIFY2(refused.err.find("no name is free for the branch revet/" + m_id) != std::string::npos,
                 refused.err.c_str());
        m_world->prepare("git branch -m revet other");
        apply({"--commit"});
        QCOMPARE(git("diff --name-status " + m_main + " revet/" + m_id), std::string("A\tb"));
    }

    void aCommitLeavesSubmodulesOut()
    {
        m_world->prepare(
            "git init -q ../sub && git -C ../sub -c user.name=x -c user.email=x@y commit -q "
            "--allow-empty -m sub && git -c protocol.file.allow=always submodule --quiet add ../sub sub "
            "&& git commit -qm sub");
        box("echo two > b; echo s > sub/s; chmod 700 sub");
        const Finished made = apply({"--commit"});
        QVERIFY2(made.out.find("held back: sub/s (not fit to cross: it is a submodule's)")
                     != std::string::npos,
                 made.out.c_str());
        QCOMPARE(git("diff --name-status " + m_main + " revet/" + m_id), std::string("A\tb"));
        isWhole();
    }

    void repositoriesOfAnUnknownFormatAreLeftAlone()
    {
        m_world->prepare("rm -rf .git && git init -q --object-format=sha256 . && git config user.name x && "
                         "git config user.email x@y && git add tracked && git commit -qm x");
        const std::string first = git("rev-parse HEAD");
        const TreeSnapshot before = snapshotOf(project() / ".git");
        box("echo two > b; git add b; git commit -qm two");
        const Finished refused = revet({"apply", m_id, "--commit"});
        QVERIFY(refused.status != 0);
        QVERIFY2(refused.err.find("extensions.objectformat = sha256") != std::string::npos,
                 refused.err.c_str());
        const Finished applied = apply();
        QVERIFY2(applied.out.find("extensions.objectformat = sha256") != std::string::npos,
                 applied.out.c_str());
        QCOMPARE(readFile(project() / "b"), std::string("two\n"));
        QCOMPARE(treeDifferences(before, snapshotOf(project() / ".git")), std::string());
    }
};

QTEST_APPLESS_MAIN(DecideCommitTest)

#include "tst_decide_commit.moc"
