// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <filesystem>

using namespace revet::test;

/// SECURITY.md E003: what the host's configuration names relative to a work tree or a repository gets no
/// other meaning by a new place of either, however the setting is written. Each deed works where there is no
/// box, and what would run is told by the host's own git.
class EscapeGitPlacesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void runsNothingOfTheBox_data()
    {
        QTest::addColumn<QString>("tier");
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("deed");
        QTest::addColumn<QString>("later");
        const auto row = [](const std::string& name, const char* host, const char* deed, const char* later) {
            for (const char* const tier : {"none", "sandbox", "container"}) {
                QTest::newRow((name + ", " + tier).c_str())
                    << QString::fromLatin1(tier) << QString::fromUtf8(host) << QString::fromUtf8(deed)
                    << QString::fromUtf8(later);
            }
        };
        const char* const hooks = "git config core.hooksPath githooks";
        row("a new work tree", hooks, "git worktree add -q wt; plant wt/githooks/pre-commit",
            "cd wt; commit");
        row("a monitor in a new work tree", "git config core.fsmonitor tools/fsm",
            "git worktree add -q wt; plant wt/tools/fsm", "cd wt; git status");
        row("a work tree that moved", hooks,
            "git worktree add -q wt; mkdir -p wt; mv wt w2; git worktree repair w2; "
            "plant w2/githooks/pre-commit",
            "cd w2; commit");
        row("a work tree of the box's branch", hooks,
            "plant x; export GIT_INDEX_FILE=$PWD/i; git read-tree HEAD; git update-index --add --cacheinfo "
            "100755,$(git hash-object -w x),githooks/pre-commit; "
            "git branch other $(git commit-tree -p HEAD -m x $(git write-tree)); unset GIT_INDEX_FILE; "
            "git worktree add -q wt other",
            "cd wt; commit");
        row("a work tree below dependencies", hooks,
            "git worktree add -q vendor/wt; plant vendor/wt/githooks/pre-commit", "cd vendor/wt; commit");
        row("a work tree in the repository", hooks,
            "git worktree add -q .git/wt; plant .git/wt/githooks/pre-commit", "cd .git/wt; commit");
        row("a work tree made by hand", hooks,
            "g=.git/worktrees/h; mkdir -p $g w; git rev-parse HEAD > $g/HEAD; echo ../.. > $g/commondir; "
            "echo \"$PWD/w/.git\" > $g/gitdir; echo 'gitdir: ../.git/worktrees/h' > w/.git; "
            "plant w/githooks/pre-commit",
            "cd w; commit");
        row("a repository that moved", hooks, "plant s/githooks/pre-commit; mv .git s/.git", "cd s; commit");
        row("an include of a repository that moved", "git config include.path ../tools/inc",
            "mkdir -p d5/tools; printf '[core]\\n\\tfsmonitor = \": > ~/fired; false\"\\n' > d5/tools/inc; "
            "mv .git d5/.git",
            "cd d5; git status");
        row("the user's hooks in a new repository", "git config --global core.hooksPath .ghooks",
            "git init -q n; plant n/.ghooks/pre-commit", "cd n; commit");
        row("hooks in the repository", "git config core.hooksPath .git/own", "plant .git/own/pre-commit",
            "commit");
        row("hooks that a push runs", hooks, "plant .git/githooks/update",
            "git clone -q . ~/clone; cd ~/clone; git push -q origin HEAD:refs/heads/pushed");

        row("a hook that is a link",
            "ln -s ../lib/hook githooks/pre-commit; git config core.hooksPath githooks", "plant lib/hook",
            "commit");
        row("a directory on the way that is a link",
            "mkdir real; mv tools real; ln -s real/tools tools; git config core.fsmonitor tools/fsm",
            "plant real/tools/fsm", "git status");

        const char* const monitors[][2]
            = {{"$PWD/tools/fsm -x", "tools/fsm"},     {"\"$PWD/tools/fsm\"", "tools/fsm"},
               {"\"$PWD/tools/fsm\" -x", "tools/fsm"}, {"\"$PWD\"/tools/fsm", "tools/fsm"},
               {"\"tools/fsm\" -x", "tools/fsm"},      {"'my tools/fsm'", "my tools/fsm"},
               {"sh absent.sh", "absent.sh"}};
        for (const auto& [value, path] : monitors) {
            const std::string host
                = std::string("git config core.fsmonitor \"$(cat <<'END'\n") + value + "\nEND\n)\"";
            const std::string deed = std::string("plant '") + path + "'";
            row(std::string("a monitor ") + value, host.c_str(), deed.c_str(), "git status");
        }
        row("a quoted diff", "git config diff.external \"'my tools/fsm'\"", "plant 'my tools/fsm'",
            "echo x >> tracked; git diff");
        const char* const differs = "echo 'tracked diff=x' > .gitattributes; git config diff.x.textconv ";
        row("a quoted converter", (std::string(differs) + "\"'dir sp/fsm' -z\"").c_str(),
            "plant 'dir sp/fsm'", "echo x >> tracked; git diff");
        row("a converter that was missing", (std::string(differs) + "tools/miss.sh").c_str(),
            "plant tools/miss.sh", "echo x >> tracked; git diff");
        row("an editor by default", "git config core.editor '${X:-tools/param} --wait'", "plant tools/param",
            "git commit -q --allow-empty");
        row("an alias", "git config alias.esc '!\"$(git rev-parse --show-toplevel)\"/tools/esc'",
            "plant tools/esc", "git esc");
        row("a pager elsewhere", "git config core.pager 'cd tools && ./pager.sh'", "plant tools/pager.sh",
            "python3 -c 'import pty; pty.spawn([\"git\", \"log\"])'");
        row("a signer that was missing", "git config gpg.program tools/gpg", "plant tools/gpg",
            "git commit -q -S --allow-empty -m x");
    }
    void runsNothingOfTheBox()
    {
        const World world;
        world.makeRepository();
        const std::string tier = fetched("tier");
        const std::string tools = "plant() { mkdir -p \"$(dirname \"$1\")\"; "
                                  "printf '#!/bin/sh\\n: > \"$HOME/fired\"\\n' > \"$1\"; chmod +x \"$1\"; }; "
                                  "commit() { git commit -q --allow-empty -m x; }; ";
        world.prepare(
            "git config --global user.name x; git config --global user.email x@example.org; "
            "mkdir githooks tools 'my tools' 'dir sp'; for f in githooks/keep tools/fsm tools/param "
            "tools/esc tools/pager.sh 'my tools/fsm' 'dir sp/fsm'; do printf '#!/bin/sh\\nexit "
            "1\\n' > \"$f\"; chmod +x \"$f\"; done; git add -A; git commit -qm two");
        world.prepare(fetched("host"));
        const std::string deed = tools + fetched("deed") + "; true";
        if (tier == "none") {
            QCOMPARE(world.runner().bare({"sh", "-c", deed}).status, 0);
        } else {
            const Finished finished = world.runner().runScript(tier, deed);
            QVERIFY2(finished.status == 0, finished.err.c_str());
        }
        if (tier == "container") {
            static_cast<void>(world.runner().revet({"apply", world.runner().lastSession()}));
        }
        const std::filesystem::path fired = world.home().home() / "fired";
        std::filesystem::remove(fired);
        RunOptions options;
        options.environment = {{"EDITOR", ""}, {"VISUAL", ""}, {"GIT_EDITOR", ""}, {"TERM", "xterm"}};
        static_cast<void>(world.runner().bare({"sh", "-c", tools + fetched("later")}, options));
        QCOMPARE(std::filesystem::exists(fired), tier == "none");
    }

    void leavesOrdinaryWorkFree_data() { addTierRows(); }
    void leavesOrdinaryWorkFree()
    {
        const World world;
        world.makeRepository();
        world.prepare("mkdir src; git config core.hooksPath githooks; git config core.fsmonitor false; "
                      "git config core.pager 'less -R'; git config core.editor 'vim -u NONE'; "
                      "git config diff.x.textconv tools/convert; git config alias.l 'log origin/main..HEAD'; "
                      "git config alias.t '!cat \"$(git rev-parse --git-dir)/HEAD\" .git/index src/$1'; "
                      "git config safe.directory $PWD/src; git config remote.origin.url ../elsewhere.git");
        const Finished finished = world.runner().runScript(
            fetched("tier"),
            "set -e; git config --global user.name x; git config --global user.email x@example.org; "
            "echo x > src/a; mkdir -p src/deep tools/other; echo x > tools/other/convert; "
            "git add -A; git commit -qm two; git branch githooks; git branch tools/convert; "
            "git checkout -qb topic; git worktree add -q wt; echo x > wt/b; cd wt; git add b; git commit -qm "
            "b; "
            "cd ..; git init -q n; cd n; echo x > c; git add c; git commit -qm c; cd ..; "
            "git clone -q n m; git gc -q; git worktree remove wt; git stash list; mv src lib; mv lib src");
        QVERIFY2(finished.status == 0, finished.err.c_str());
    }
};

QTEST_APPLESS_MAIN(EscapeGitPlacesTest)
#include "tst_escape_git_places.moc"
