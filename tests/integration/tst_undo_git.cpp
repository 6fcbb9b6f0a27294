// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"

using namespace revet;
using namespace revet::test;

/// Undo in a repository whose person uses git between the session and the undo.
class UndoGitTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void doesNotMindThatSomebodyLooked_data()
    {
        QTest::addColumn<QString>("script");
        QTest::newRow("stages") << QStringLiteral("echo more >> a; git add a; echo new > c");
        QTest::newRow("commits") << QStringLiteral("echo more >> a; git commit -qam more");
        QTest::newRow("resets") << QStringLiteral("git reset -q --hard HEAD~1");
        QTest::newRow("in a submodule's place")
            << QStringLiteral("cd sub && echo more >> s && git commit -qam more");
    }
    void doesNotMindThatSomebodyLooked()
    {
        const World world;
        makeRepository(world);
        const std::string before = state(world);
        const Finished finished = world.runner().runScript("sandbox", fetched("script"));
        QVERIFY2(finished.status == 0, text(finished).c_str());
        const std::string after = state(world);
        QVERIFY(after != before);
        for (const std::string& expected : {before, after, before}) {
            world.prepare(kLook);
            const Finished undone = world.runner().revet({"undo"});
            QVERIFY2(undone.status == 0, text(undone).c_str());
            QCOMPARE(state(world), expected);
        }
        world.prepare("git fsck --strict");
    }

    void doesNotTakeAwayWhatSomebodyStaged()
    {
        const World world;
        makeRepository(world);
        QCOMPARE(world.runner().runScript("sandbox", "echo more >> a; git add a").status, 0);
        world.prepare("echo mine > b; git add b");
        const std::string staged = state(world);
        const Finished undone = world.runner().revet({"undo"});
        QCOMPARE(undone.status, 6);
        QVERIFY2(undone.err.find(".git/index: it was changed") != std::string::npos, text(undone).c_str());
        QCOMPARE(state(world), staged);
    }

private:
    /// Both repositories, so that git has times to note anew.
    static constexpr const char* kLook = "touch b sub/t; git status; git -C sub status";

    static void makeRepository(const World& world)
    {
        world.prepare(
            "git init -q; git config user.name a; git config user.email a@b; echo a > a; echo b > b; "
            "git add -A; git commit -qm 1; echo two > a; git commit -qam 2; git init -q sub; cd sub; "
            "git config user.name a; git config user.email a@b; echo s > s; echo t > t; git add -A; "
            "git commit -qm 1");
    }
    /// What git and the files say.
    static std::string state(const World& world)
    {
        world.prepare(
            "(git ls-files -s; git -C sub ls-files -s; git log --format=%H; git -C sub log --format=%H; "
            "git status --porcelain; cat a b sub/s) > $HOME/state");
        return readFile(world.home().home() / "state");
    }
};

QTEST_GUILESS_MAIN(UndoGitTest)
#include "tst_undo_git.moc"
