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

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* kCommitTwo = "echo two > b; git add b; git commit -qm two";

} // namespace

/// How a box's commits come to the host's repository, after real boxes and by the host's own git.
class DecideGitTest : public QObject, protected DecidedWorld
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_LAYERS(); }
    void init() { beginRepository(); }

    void bringsCommitsBranchesAndTags()
    {
        box(std::string(kCommitTwo)
            + "; git tag -am one v1; git checkout -qb topic; git commit -q "
              "--allow-empty -m three; git rev-parse HEAD > tip");
        const std::string index = readFile(project() / ".git/index");
        const TreeSnapshot refs = snapshotOf(project() / ".git/refs");
        apply();
        QCOMPARE(git("rev-parse topic"), withoutEnd(readFile(project() / "tip")));
        QCOMPARE(git("rev-parse topic^ v1^{commit} " + m_main).find(m_first), std::string::npos);
        QCOMPARE(git("symbolic-ref --short HEAD"), m_main);
        QCOMPARE(readFile(project() / ".git/index"), index);
        QCOMPARE(readFile(project() / "b"), std::string("two\n"));
        isWhole();
        QCOMPARE(state(), std::string("closed"));
        QCOMPARE(git("reflog show " + m_main + " | head -1 | grep -c 'revet: apply'"), std::string("1"));

        QCOMPARE(revet({"undo"}).status, 0);
        QCOMPARE(treeDifferences(refs, snapshotOf(project() / ".git/refs")), std::string());
        QCOMPARE(git("rev-parse HEAD"), m_first);
        isWhole();
        QCOMPARE(revet({"undo"}).status, 0);
        QCOMPARE(git("rev-parse topic"), withoutEnd(readFile(project() / "tip")));
        isWhole();
    }

    void tellsOfCommitsInWordsAndAsJson()
    {
        box(kCommitTwo);
        const Finished told = apply({"--json"});
        QVERIFY(told.out.find("\"ref\":\"refs/heads/" + m_main + '"') != std::string::npos);
        QVERIFY(told.out.find("\"before\":\"" + m_first + '"') != std::string::npos);
        QVERIFY(revet({"undo"}).status == 0);
        const Finished words = apply();
        QVERIFY(words.out.find("commits: " + m_main + " is at ") != std::string::npos);
        QVERIFY(words.out.find("`git reset`") != std::string::npos);
        QCOMPARE(apply().out, "nothing to do for " + m_id + "; nothing is left to decide\n");
    }

    void aBranchThatTheHostMovedArrivesBesideIt()
    {
        box(kCommitTwo);
        m_world->prepare("echo mine > mine; git add mine; git commit -qm mine");
        const std::string mine = git("rev-parse HEAD");
        apply();
        QCOMPARE(git("rev-parse HEAD"), mine);
        QCOMPARE(git("log --format=%s revet/" + m_id + '/' + m_main), std::string("two\nfirst"));
        isWhole();
        apply();
        QCOMPARE(git("for-each-ref --format='%(refname)' refs/heads | wc -l"), std::string("2"));
    }

    void rewrittenCommitsReplaceWhatTheHostLeftAlone()
    {
        waitForTheClock();
        box("git commit -q --amend -m other");
        apply();
        QCOMPARE(git("log --format=%s"), std::string("other"));
        isWhole();
    }

    void rewrittenCommitsLoseNothingOfTheHosts()
    {
        box("git commit -q --amend -m other");
        m_world->prepare("git commit -q --allow-empty -m mine");
        apply();
        QCOMPARE(git("log --format=%s"), std::string("mine\nfirst"));
        QCOMPARE(git("log --format=%s revet/" + m_id + '/' + m_main), std::string("other"));
    }

    void threeSessionsGiveThreeBranches()
    {
        std::vector<std::string> ids;
        for (const char* const name : {"one", "two", "three"}) {
            box(std::string("echo x > ") + name + "; git add " + name + "; git commit -qm " + name);
            ids.push_back(m_id);
        }
        for (const std::string& id : ids) {
            QCOMPARE(revet({"apply", id}).status, 0);
        }
        QCOMPARE(git("log -1 --format=%s " + m_main), std::string("one"));
        QCOMPARE(git("log -1 --format=%s revet/" + ids[1] + '/' + m_main), std::string("two"));
        QCOMPARE(git("log -1 --format=%s revet/" + ids[2] + '/' + m_main), std::string("three"));
        isWhole();
    }

    void packedObjectsAndRefsCross()
    {
        box(std::string(kCommitTwo) + "; git branch topic; git gc -q --prune=now; ! test -e .git/refs/heads/"
            + m_main);
        apply();
        QCOMPARE(git("log -1 --format=%s topic"), std::string("two"));
        QCOMPARE(git("log -1 --format=%s"), std::string("two"));
        isWhole();
    }

    void commitsThatNoBranchHoldsAndTheStashArriveAsBranches()
    {
        box("git checkout -q --detach; git commit -q --allow-empty -m loose");
        apply();
        QCOMPARE(git("log -1 --format=%s revet/" + m_id + "/HEAD"), std::string("loose"));
        box("echo s >> tracked; git stash -q");
        apply();
        QCOMPARE(git("rev-parse revet/" + m_id + "/stash^"), m_first);
        QCOMPARE(git("symbolic-ref --short HEAD"), m_main);
        isWhole();
    }

    void onlyTheCommitsOrOnlyTheFiles()
    {
        box(std::string(kCommitTwo) + "; echo more > c");
        QCOMPARE(revet({"apply", m_id, "c"}).status, 0);
        QCOMPARE(git("rev-parse HEAD"), m_first);
        QCOMPARE(revet({"apply", m_id, ".git"}).status, 0);
        QCOMPARE(git("log -1 --format=%s"), std::string("two"));
        QVERIFY(!fs::exists(project() / "b"));
    }

    void aRemovedBranchStays()
    {
        m_world->prepare("git branch keep");
        box("git branch -qD keep; " + std::string(kCommitTwo));
        apply();
        QCOMPARE(git("rev-parse keep"), m_first);
    }

    void namesInEachOthersWayLoseNothing()
    {
        m_world->prepare("git branch revet");
        box("git branch topic/x; " + std::string(kCommitTwo));
        m_world->prepare("git branch topic; git commit -q --allow-empty -m mine");
        const Finished finished = apply();
        QVERIFY(finished.out.find("held back: .git/refs/heads/" + m_main) != std::string::npos);
        m_world->prepare("git branch -qD revet");
        apply();
        QCOMPARE(git("log -1 --format=%s revet/" + m_id + '/' + m_main), std::string("two"));
        QCOMPARE(git("rev-parse revet/" + m_id + "/topic/x"), m_first);
    }

    void hooksNeverCrossAndConfigurationOnlyWhereItIsHarmless()
    {
        box("git config user.name Box; printf '#!/bin/sh\\ntouch pwned\\n' > .git/hooks/post-checkout; "
            "chmod +x .git/hooks/post-checkout; mkdir -p .git/info; echo '* filter=x' > "
            ".git/info/attributes; "
            + std::string(kCommitTwo));
        apply();
        QCOMPARE(git("config --local user.name"), std::string("Box"));
        QVERIFY(!fs::exists(project() / ".git/hooks/post-checkout"));
        QVERIFY(!fs::exists(project() / ".git/info/attributes"));
        QCOMPARE(state(), std::string("review"));
        box("git config core.fsmonitor ./evil");
        apply();
        QCOMPARE(git("config --local core.fsmonitor || echo none"), std::string("none"));
        QCOMPARE(revet({"apply", m_id, "--pinned"}).status, 0);
        QCOMPARE(git("config --local core.fsmonitor"), std::string("./evil"));
    }

    void commitsThatBringPinnedFilesNeedAYes()
    {
        box("mkdir .vscode; echo {} > .vscode/tasks.json; git add -A; git commit -qm tasks");
        const Finished held = apply();
        QVERIFY2(held.out.find("held back: .git/refs/heads/" + m_main + " (pinned: .vscode/tasks.json")
                     != std::string::npos,
                 held.out.c_str());
        QCOMPARE(git("rev-parse HEAD"), m_first);
        QCOMPARE(revet({"apply", "--pinned"}).status, 0);
        QCOMPARE(git("log -1 --format=%s"), std::string("tasks"));
    }

    void aNewRepositoryCrossesWithoutItsHooks()
    {
        box("git init -q sub; cd sub; git config user.name x; git config user.email x@example.org; echo x > "
            "x; "
            "git add x; git commit -qm inner; "
            "echo 'touch pwned' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit");
        apply();
        QCOMPARE(git("-C sub log --format=%s"), std::string("inner"));
        QCOMPARE(git("-C sub status --porcelain"), std::string());
        QVERIFY(!fs::exists(project() / "sub/.git/hooks/post-commit"));
    }

    void aLinkedWorkTreesCommitsCross()
    {
        const fs::path tree = m_world->home().home() / "linked";
        m_world->prepare("git worktree add -q " + tree.string() + " -b side");
        RunOptions options;
        options.directory = tree;
        const Finished ran
            = m_world->runner().revet({"run", "--tier", "container", "--", "sh", "-c",
                                       "echo l > l; git add l; git commit -qm linked; git branch other"},
                                      options);
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const Finished applied = m_world->runner().revet({"apply"}, options);
        QVERIFY2(applied.status == 0, applied.err.c_str());
        QCOMPARE(git("log -1 --format=%s side"), std::string("linked"));
        QCOMPARE(git("log -1 --format=%s other"), std::string("linked"));
        QCOMPARE(readFile(tree / "l"), std::string("l\n"));
        isWhole();
        QCOMPARE(m_world->runner().revet({"undo"}, options).status, 0);
        QCOMPARE(git("rev-parse side"), m_first);
        QVERIFY(!fs::exists(tree / "l"));
        isWhole();
    }

    void aWorkTreeMadeInTheBoxWorks()
    {
        box("git worktree add -q wt -b side; cd wt; " + std::string(kCommitTwo));
        apply({"--pinned"}); // its .git names an absolute path
        QCOMPARE(git("-C wt log -1 --format=%s"), std::string("two"));
        QCOMPARE(git("-C wt status --porcelain"), std::string());
        isWhole();
    }

    /// Which nobody has to check out for it to be a repository one day.
    void aRepositoryInCommitsIsHeld()
    {
        const std::string commit = "; git add lib; git commit -qm lib; git checkout -q " + m_main;
        const std::string shape
            = "mkdir -p lib/objects lib/refs; for f in HEAD objects/x refs/x; do echo x > lib/$f; done";
        box("git checkout -qb whole; " + shape + "; mkdir lib/hooks; echo x > lib/hooks/update" + commit);
        QVERIFY(revet({"apply", m_id}).out.find("held back: .git/refs/heads/whole (pinned")
                != std::string::npos);
        box("git checkout -qb steps; mkdir -p lib/hooks; echo x > lib/hooks/update" + commit);
        apply();
        QVERIFY(!git("rev-parse steps").empty());
        box("git checkout -q steps; " + shape + commit);
        QVERIFY(revet({"apply", m_id}).out.find("held back: .git/refs/heads/steps (pinned")
                != std::string::npos);
        box("git checkout -qb plain; " + shape + commit);
        apply();
        QCOMPARE(git("diff --name-only " + m_main + " plain"),
                 std::string("lib/HEAD\nlib/objects/x\nlib/refs/x"));
    }

    void textsThatBothSidesChangedAreMerged()
    {
        m_world->prepare("seq 1 20 > tracked; seq 1 20 > same; git add -A; git commit -qm seq");
        waitForTheClock();
        box("sed -i 's/^2$/two/' tracked; sed -i 's/^2$/two/' same");
        m_world->prepare("sed -i 's/^19$/nineteen/' tracked");
        const TreeSnapshot before = snapshotOf(project());
        const Finished refused = revet({"apply", m_id});
        QCOMPARE(refused.status, 6);
        QVERIFY(refused.err.find("--merge") != std::string::npos);
        apply({"--merge"});
        const std::string merged = readFile(project() / "tracked");
        QVERIFY(merged.starts_with("1\ntwo\n3\n") && merged.ends_with("18\nnineteen\n20\n"));
        // Once more is harmless, and without the merge nothing of the host's goes.
        apply({"--merge"});
        QCOMPARE(revet({"apply", m_id}).status, 6);
        QCOMPARE(readFile(project() / "tracked"), merged);
        QCOMPARE(revet({"undo", m_id}).status, 0);
        QCOMPARE(treeDifferences(before, snapshotOf(project())), std::string());
    }

    void textsThatBothSidesChangedInTheSameLinesAreLeftAlone()
    {
        m_world->prepare("seq 1 20 > tracked; git commit -qam seq");
        waitForTheClock();
        box("sed -i 's/^2$/two/' tracked; echo new > new");
        m_world->prepare("sed -i 's/^2$/zwei/' tracked");
        const TreeSnapshot before = snapshotOf(project());
        QCOMPARE(revet({"apply", m_id, "--merge"}).status, 6);
        QCOMPARE(treeDifferences(before, snapshotOf(project())), std::string());
    }

    void hostileObjectsDoNotCross_data()
    {
        QTest::addColumn<QString>("script");
        const auto row = [](const char* name, const char* script) {
            QTest::newRow(name) << QString::fromLatin1(script);
        };
        row("a tree with .git",
            "b=$(git hash-object -w tracked); t=$(printf '100644 .GIT\\0' | cat - "
            "<(echo -n $b | xxd -r -p) | git hash-object -t tree --literally -w --stdin); "
            "git update-ref refs/heads/evil $(git commit-tree -m x $t)");
        row("a tree that leads up",
            "b=$(git hash-object -w tracked); t=$(printf '100644 ..\\0' | cat - "
            "<(echo -n $b | xxd -r -p) | git hash-object -t tree --literally -w "
            "--stdin); git update-ref refs/heads/evil $(git commit-tree -m x $t)");
        row("a commit without an author",
            "c=$(printf 'tree %s\\n\\nx\\n' $(git rev-parse HEAD^{tree}) | git hash-object -t commit "
            "--literally -w --stdin); echo $c > .git/refs/heads/evil");
        row("a missing object",
            "git checkout -qb evil; echo q > q; git add q; git commit -qm q; b=$(git rev-parse HEAD:q); "
            "rm -f .git/objects/${b:0:2}/${b:2}");
        row("an object under another's name",
            "git checkout -qb evil; echo q > q; git add q; git commit -qm q; b=$(git rev-parse HEAD:q); "
            "o=$(echo other | git hash-object -w --stdin); rm -f .git/objects/${b:0:2}/${b:2}; "
            "cp .git/objects/${o:0:2}/${o:2} .git/objects/${b:0:2}/${b:2}");
        row("an object that is a link",
            "git checkout -qb evil; echo q > q; git add q; git commit -qm q; b=$(git rev-parse HEAD:q); "
            "rm -f .git/objects/${b:0:2}/${b:2}; ln -s /etc/passwd .git/objects/${b:0:2}/${b:2}");
        row("a link in the place of objects",
            "git checkout -qb evil; echo q > q; git add q; git commit -qm q; b=$(git rev-parse HEAD:q); "
            "rm -rf .git/objects/${b:0:2}; ln -s /tmp .git/objects/${b:0:2}");
        row("a branch of a blob", "git hash-object -w tracked > .git/refs/heads/evil");
        row("a branch of nothing", "echo 0123456789012345678901234567890123456789 > .git/refs/heads/evil");
        row("a branch of words", "echo hello > .git/refs/heads/evil");
        row("a branch of another ref", "echo 'ref: refs/../../../etc/passwd' > .git/refs/heads/evil");
        row("a branch that is a link", "ln -s /etc/passwd .git/refs/heads/evil");
        row("packed-refs of nonsense", "echo 'x y z' > .git/packed-refs");
        row("a name like an option", "git rev-parse HEAD > .git/refs/heads/--evil");
        row("a name with bells", "git rev-parse HEAD > \".git/refs/heads/$(printf 'evil\\a')\"");
        row("a submodule's command",
            "printf '[submodule \"x\"]\\n path = x\\n url = u\\n update = !evil\\n' > .gitmodules; git "
            "checkout -qb evil; git add -A; git commit -qm q; git rm -q --cached .gitmodules; rm "
            ".gitmodules");
        row("a submodule that leads up",
            "printf '[submodule \"../../x\"]\\n path = x\\n url = u\\n' > .gitmodules; git checkout -qb "
            "evil; "
            "git add -A; git commit -qm q; git rm -q --cached .gitmodules; rm .gitmodules");
        row("a damaged pack",
            "git checkout -qb evil; echo q > q; git add q; git commit -qm q; git gc -q; "
            "for p in .git/objects/pack/*.pack; do chmod +w $p; "
            "printf XXXX | dd of=$p bs=1 seek=20 conv=notrunc status=none; done");
        row("an index that lies",
            "git checkout -qb evil; echo q > q; git add q; git commit -qm q; git gc -q --prune=now; "
            "for p in .git/objects/pack/*.idx; do chmod +w $p; head -c 3000 /dev/urandom > $p; done; "
            "echo 0123456789012345678901234567890123456789 > .git/refs/heads/evil");
    }
    void hostileObjectsDoNotCross()
    {
        QFETCH(QString, script);
        const Finished ran
            = m_world->runner().run("container", {"bash", "-c", script.toStdString() + "; exit 0"});
        QCOMPARE(ran.status, 0);
        m_id = m_world->runner().lastSession();
        const Finished finished = revet({"apply", "--pinned", m_id});
        QVERIFY2(finished.status == 0, finished.err.c_str());
        QVERIFY2(finished.out.find("not fit to cross") != std::string::npos, finished.out.c_str());
        QCOMPARE(git("for-each-ref --format='%(refname:short)'"), m_main);
        QCOMPARE(git("rev-parse HEAD"), m_first);
        QVERIFY(!fs::exists(project() / ".git/packed-refs"));
        isWhole();
    }

    void theHostsOwnLockIsRespected()
    {
        box(kCommitTwo);
        writeFile(project() / (".git/refs/heads/" + m_main + ".lock"), "");
        QCOMPARE(revet({"apply"}).status, 6);
        QCOMPARE(git("rev-parse HEAD"), m_first);
        QVERIFY(!fs::exists(project() / "b"));
        fs::remove(project() / (".git/refs/heads/" + m_main + ".lock"));
        apply();
        QVERIFY(!fs::exists(project() / (".git/refs/heads/" + m_main + ".lock")));
        QCOMPARE(git("log -1 --format=%s"), std::string("two"));
    }

    /// A person commits all the time while sessions' commits are taken over.
    void nobodysCommitsAreLost()
    {
        // A lock of the host's that a box has seen once stays there for it, so boxes run in pauses.
        m_world->prepare("(i=0; while ! test -e ../stop; do while test -e ../pause; do touch ../paused; "
                         "sleep 0.02; done; rm -f ../paused; i=$((i+1)); git commit -q --allow-empty -m "
                         "human-$i && echo human-$i >> ../humans; done) > /dev/null 2>&1 &");
        std::string agents;
        for (int i = 0; i < 5; ++i) {
            const std::string name = "agent-" + std::to_string(i);
            m_world->prepare("touch ../pause; while ! test -e ../paused; do sleep 0.02; done");
            box("git commit -q --allow-empty -m " + name);
            m_world->prepare("rm ../pause; while test -e ../paused; do sleep 0.02; done");
            agents += name + '\n';
            QCOMPARE(revet({"apply", m_id, ".git"}).status, 0);
        }
        m_world->prepare("touch ../stop; sleep 1");
        m_world->prepare("git log --all --format=%s > ../found");
        const std::string found = '\n' + readFile(m_world->home().home() / "found");
        const std::string humans = readFile(m_world->home().home() / "humans");
        QVERIFY(humans.size() > 100);
        for (const std::string& text : {humans, agents}) {
            for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
                const std::string name = text.substr(at, text.find('\n', at) - at);
                QVERIFY2(found.find('\n' + name + '\n') != std::string::npos, name.c_str());
            }
        }
        isWhole();
    }

private:
    static void waitForTheClock() { QTest::qWait(20); }
};

QTEST_APPLESS_MAIN(DecideGitTest)

#include "tst_decide_git.moc"
