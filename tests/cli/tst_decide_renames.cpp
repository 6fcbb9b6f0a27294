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

namespace {

namespace fs = std::filesystem;

constexpr const char* kMovesAndEdits = "sed 's/^50$/fifty/' old > moved; rm old";

} // namespace

/// `revet apply` and `undo` of what was moved: one change with two names, also where that is a guess.
class DecideRenamesTest : public QObject, protected DecidedWorld
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_LAYERS();
        REVET_NEEDS_PROGRAM("git");
    }
    void init()
    {
        m_world = std::make_unique<World>();
        m_world->makeRepository();
        m_world->prepare("seq 100 > old; seq 300 > plain; git add .; git commit -qm numbers");
    }

    void takesBothEndsOverByEitherName()
    {
        for (const std::string name : {"old", "moved", "plain", "elsewhere"}) {
            const TreeSnapshot before = snapshotOf(project());
            box(std::string(kMovesAndEdits) + "; mv plain elsewhere; echo > other");
            const bool isEdited = name == "old" || name == "moved";
            QCOMPARE(told(revet({"apply", m_id, name, "--json"})),
                     isEdited ? std::string("applied moved; applied old")
                              : std::string("applied elsewhere; applied plain"));
            QVERIFY(fs::exists(project() / (isEdited ? "moved" : "elsewhere")));
            QVERIFY(!fs::exists(project() / (isEdited ? "old" : "plain")));
            QVERIFY(!fs::exists(project() / "other"));
            QCOMPARE(revet({"undo", m_id}).status, 0);
            QCOMPARE(treeDifferences(before, snapshotOf(project())), std::string());
        }
    }

    /// What was removed there comes back, what was made there goes.
    void takesBackEachNameByItself()
    {
        box(kMovesAndEdits);
        QCOMPARE(revet({"apply", m_id}).status, 0);
        QCOMPARE(told(revet({"undo", m_id, "old", "--json"})), std::string("undone old"));
        QVERIFY(fs::exists(project() / "old") && fs::exists(project() / "moved"));
        QCOMPARE(told(revet({"undo", m_id, "moved", "--json"})), std::string("undone moved"));
        QVERIFY(!fs::exists(project() / "moved"));
    }

    void commitsBothEnds()
    {
        box(std::string(kMovesAndEdits) + "; rm plain");
        QCOMPARE(revet({"apply", m_id, "--commit", "moved"}).status, 0);
        QCOMPARE(git("diff -M --name-status HEAD revet/" + m_id), std::string("R097\told\tmoved"));
    }

    void whatABoxMovesOutOfTheRepositoryStaysToo()
    {
        m_world->prepare("git branch keep");
        const std::string first = git("rev-parse keep");
        box("mv .git/refs/heads/keep taken; mv .git/description described");
        QCOMPARE(revet({"apply", m_id}).status, 0);
        QCOMPARE(git("rev-parse keep"), first);
        QCOMPARE(readFile(project() / "taken"), first + '\n');
        QVERIFY(fs::exists(project() / ".git/description"));
        QVERIFY(fs::exists(project() / "described"));
    }
};

QTEST_APPLESS_MAIN(DecideRenamesTest)

#include "tst_decide_renames.moc"
