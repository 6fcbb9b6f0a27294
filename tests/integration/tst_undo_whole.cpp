// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/workspace/reconstruct.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/tree_snapshot.h"

#include <QTest>

using namespace revet::test;

namespace {

/// Makes paths longer than the kernel takes at once, by a new name of what is on the way and of what is at
/// the end.
constexpr const char* kLongPaths = R"(
import os
def down(directory, name):
    os.mkdir(name, dir_fd=directory)
    return os.open(name, os.O_RDONLY, dir_fd=directory)
directory = down(os.open('.', os.O_RDONLY), 'top')
length = len(os.getcwd()) + 4
while length < 3850:
    directory = down(directory, 'd' * 200)
    length += 201
os.mkdir('m' * 250, dir_fd=directory)
os.rename('m' * 250, 'k' * 250, src_dir_fd=directory, dst_dir_fd=directory)
os.rename('top', 't' * 250)
os.unlink('a/one')
)";

} // namespace

/// Directories that go and come as a whole, since nobody looks into all of them.
class TestUndoWhole : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_ORDINARY_USER(); }

    /// Of new build output only the top is told, and what comes from elsewhere or was renamed within.
    void undoesPackages()
    {
        const World world;
        world.prepare("mkdir -p a node_modules; echo one > a/one; echo two > a/two");
        const Tree before = treeAt(world.project());
        const Finished finished = world.runner().runScript(
            "sandbox",
            "mkdir -p node_modules/@s/p/new; mv node_modules/@s/p/new node_modules/@s/p/old; mv a/one "
            "node_modules/@s/p/; rm a/two; chmod 555 node_modules/@s");
        QVERIFY2(finished.status == 0, text(finished).c_str());
        const TreeSnapshot after = snapshotOf(world.project(), DirectoryTimes::Ignored);
        for (int i = 0; i < 2; ++i) {
            REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "took back"));
            REVET_VERIFY_NONE(difference(before, treeAt(world.project())));
            REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "did again"));
            REVET_VERIFY_NONE(treeDifferences(after, snapshotOf(world.project(), DirectoryTimes::Ignored)));
        }
    }

    void undoesWhatIsDeeperThanAPathReaches()
    {
        const World world;
        world.prepare("mkdir -p a node_modules; echo one > a/one; echo two > a/two");
        const Tree before = treeAt(world.project());
        const Finished finished = world.runner().run("sandbox", {"/usr/bin/python3", "-c", kLongPaths});
        QVERIFY2(finished.status == 0, text(finished).c_str());
        REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "took back"));
        REVET_VERIFY_NONE(difference(before, treeAt(world.project())));
    }
};

QTEST_GUILESS_MAIN(TestUndoWhole)
#include "tst_undo_whole.moc"
