// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/before_tree.h"

#include <QTest>

using namespace revet;
using namespace revet::workspace;

namespace {

using Kind = PreImageRecord::Kind;
using Content = PreImageRecord::Content;
using Records = std::vector<PreImageRecord>;

PreImageRecord record(Kind kind, std::string path, std::string other = {}, std::uint64_t object = 0)
{
    PreImageRecord made;
    made.kind = kind;
    made.path = std::move(path);
    made.other = std::move(other);
    made.object = object;
    made.content = object == 0 ? Content::None : Content::Kept;
    return made;
}

std::string text(const std::optional<std::string>& path)
{
    return path.value_or("(none)");
}

std::string savedPaths(const BeforeTree& tree)
{
    std::string paths;
    for (const auto& [path, saved] : tree.saved()) {
        paths += path + '#' + std::to_string(saved.object) + ' ';
    }
    return paths;
}

} // namespace

class TestBeforeTree : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knowsNothingOfTheRest()
    {
        const BeforeTree tree(Records{});
        QCOMPARE(text(tree.originalOf("a/b")), std::string("a/b"));
        QCOMPARE(text(tree.presentOf("a/b")), std::string("a/b"));
    }
    void followsDirectories()
    {
        const BeforeTree tree(Records{record(Kind::Moved, "a", "b"), record(Kind::Moved, "b/x", "y"),
                                      record(Kind::Moved, "b", "c/d"),
                                      record(Kind::Removed, "c/d/z", {}, 1)});
        QCOMPARE(text(tree.presentOf("a/f")), std::string("c/d/f"));
        QCOMPARE(text(tree.originalOf("c/d/f")), std::string("a/f"));
        QCOMPARE(text(tree.presentOf("a/x")), std::string("y"));
        QCOMPARE(text(tree.originalOf("c/d/x")), std::string("(none)"));
        QCOMPARE(text(tree.presentOf("a/z")), std::string("(none)"));
        QCOMPARE(savedPaths(tree), std::string("a#0 a/x#0 a/z#1 "));
        QCOMPARE(tree.moved().size(), 2U);
    }
    void seesThroughAnAtomicSave()
    {
        const BeforeTree tree(Records{record(Kind::Born, "f.tmp"), record(Kind::Removed, "f", {}, 4),
                                      record(Kind::Moved, "f.tmp", "f")});
        QCOMPARE(savedPaths(tree), std::string("f#4 "));
        QCOMPARE(text(tree.originalOf("f")), std::string("(none)"));
        QCOMPARE(text(tree.presentOf("f")), std::string("(none)"));
    }
    void seesThroughABackup()
    {
        const BeforeTree tree(Records{record(Kind::Moved, "f", "f~"), record(Kind::Born, "f")});
        QCOMPARE(text(tree.presentOf("f")), std::string("f~"));
        QCOMPARE(text(tree.originalOf("f~")), std::string("f"));
        QCOMPARE(text(tree.originalOf("f")), std::string("(none)"));
    }
    void comesBackToItsPlace()
    {
        const BeforeTree tree(Records{record(Kind::Moved, "d", "e"), record(Kind::Born, "d"),
                                      record(Kind::Moved, "e/f", "d/f")});
        QCOMPARE(text(tree.presentOf("d/f")), std::string("d/f"));
        QCOMPARE(text(tree.presentOf("d/g")), std::string("e/g"));
        QCOMPARE(text(tree.originalOf("d/g")), std::string("(none)"));
    }
    void exchanges()
    {
        const BeforeTree tree(Records{record(Kind::Exchanged, "a", "b/c")});
        QCOMPARE(text(tree.presentOf("a/x")), std::string("b/c/x"));
        QCOMPARE(text(tree.originalOf("a/x")), std::string("b/c/x"));
    }
    void writesThroughANewName()
    {
        // ln f g; echo >> g; rm f
        const BeforeTree tree(Records{record(Kind::Linked, "g", "f"), record(Kind::Saved, "g", {}, 3),
                                      record(Kind::Removed, "f", {}, 3)});
        QCOMPARE(savedPaths(tree), std::string("f#3 "));
        QCOMPARE(text(tree.originalOf("g")), std::string("(none)"));
    }
    void keepsTheFirstState()
    {
        PreImageRecord mode = record(Kind::Saved, "f");
        mode.entry.mode = 0600;
        mode.attributes = {{"user.a", "1"}};
        PreImageRecord later = record(Kind::Saved, "f", {}, 5);
        later.entry.mode = 0644;
        PreImageRecord last = record(Kind::Removed, "f", {}, 6);
        const BeforeTree tree(Records{mode, later, last});
        QCOMPARE(savedPaths(tree), std::string("f#5 "));
        QCOMPARE(tree.saved().at("f").entry.mode, mode_t{0600});
        QCOMPARE(tree.saved().at("f").attributes.size(), 1U);
    }
    void ignoresWhatIsNew()
    {
        const BeforeTree tree(Records{record(Kind::Born, "d"), record(Kind::Saved, "d/f", {}, 1),
                                      record(Kind::Moved, "d", "e"), record(Kind::Removed, "e/f", {}, 2)});
        QCOMPARE(savedPaths(tree), std::string());
        QCOMPARE(tree.moved().size(), 0U);
    }
    void survivesDepth()
    {
        std::string path = "a";
        for (int i = 0; i < 2000; ++i) {
            path += "/a";
        }
        const BeforeTree tree(Records{record(Kind::Born, path)});
        QCOMPARE(text(tree.originalOf(path)), std::string("(none)"));
    }
};

QTEST_APPLESS_MAIN(TestBeforeTree)
#include "tst_before_tree.moc"
