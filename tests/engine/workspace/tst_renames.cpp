// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/file_content.h"
#include "tests/engine/workspace/hand_made_layer.h"
#include "tests/support/kernel_gate.h"

#include <QProcess>

#include <random>
#include <set>

using namespace revet;
using namespace revet::workspace;
using namespace revet::workspace::test;
using revet::test::writeFile;
namespace fs = std::filesystem;

namespace {

std::string lines(int from, int count, const std::string& word = "line")
{
    std::string text;
    for (int i = from; i < from + count; ++i) {
        text += word + " number " + std::to_string(i) + '\n';
    }
    return text;
}

/// "R085 from to" and the like, as git tells them.
std::set<std::string> asGitTells(const std::vector<Change>& changes)
{
    std::set<std::string> rows;
    for (const Change& change : changes) {
        if (change.kind == Change::Kind::Renamed) {
            const std::string number = std::to_string(change.similarity);
            rows.insert('R' + std::string(3 - number.size(), '0') + number + ' ' + change.from + ' '
                        + change.path);
        } else if (change.after.type != EntryType::Directory && change.before.type != EntryType::Directory) {
            rows.insert(std::string(1, "AMDR"[static_cast<std::size_t>(change.kind)]) + ' ' + change.path);
        }
    }
    return rows;
}

std::set<std::string> whatGitTells(const fs::path& root)
{
    QProcess git;
    git.setWorkingDirectory(QString::fromStdString(root));
    git.start(QStringLiteral("git"),
              {QStringLiteral("diff"), QStringLiteral("--no-index"), QStringLiteral("-M"),
               QStringLiteral("--name-status"), QStringLiteral("lower"), QStringLiteral("seen")});
    std::set<std::string> rows;
    if (!git.waitForFinished()) {
        return {"git does not end"};
    }
    const QList<QByteArray> told = git.readAllStandardOutput().split('\n');
    for (const QByteArray& line : told) {
        std::string row;
        for (const QByteArray& word : line.split('\t')) {
            const qsizetype slash
                = word.startsWith("lower/") || word.startsWith("seen/") ? word.indexOf('/') : -1;
            row += (row.empty() ? "" : " ") + word.mid(slash + 1).toStdString();
        }
        if (!row.empty()) {
            rows.insert(row);
        }
    }
    return rows;
}

std::string joined(const std::set<std::string>& rows)
{
    std::string text;
    for (const std::string& row : rows) {
        text += row + '\n';
    }
    return text;
}

} // namespace

class TestRenames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsRenamesHoweverDeep()
    {
        const HandMadeLayer layer;
        for (const char* const name : {"a", "b/c", "b/d/e"}) {
            writeFile(layer.lower() / "old" / name, std::string("content of ") + name);
            writeFile(layer.upper() / "new/place" / name, std::string("content of ") + name);
        }
        fs::create_symlink("a", layer.lower() / "old/link");
        fs::create_symlink("a", layer.upper() / "new/link2");
        writeFile(layer.lower() / "old/empty", "");
        writeFile(layer.upper() / "new/empty", "");
        layer.whiteOut("old");
        LayerChanges source = layer.source();
        QCOMPARE(
            told(paired(source)),
            std::string("A new/; A new/empty; R old/link -> new/link2; A new/place/; R old/a -> new/place/a; "
                        "A new/place/b/; R old/b/c -> new/place/b/c; A new/place/b/d/; "
                        "R old/b/d/e -> new/place/b/d/e; D old/; D old/b/; D old/b/d/; D old/empty"));
    }

    void opensBothSides()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "old", "was here");
        writeFile(layer.upper() / "new", "was here");
        layer.whiteOut("old");
        LayerChanges source = layer.source();
        const auto changes = paired(source);
        QCOMPARE(told(changes), std::string("R old -> new"));
        QCOMPARE(*readContent(*source.openBefore(changes->front()), 99), std::string("was here"));
        QCOMPARE(*readContent(*source.openAfter(changes->front()), 99), std::string("was here"));
    }

    void findsWhatWasEdited()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "src/old.c", lines(0, 20));
        writeFile(layer.upper() / "lib/new.c", lines(0, 18) + "changed\n" + lines(18, 2));
        writeFile(layer.lower() / "src/rewritten.c", lines(100, 20));
        writeFile(layer.upper() / "lib/written.c", lines(200, 20, "nothing of it"));
        layer.whiteOut("src/old.c");
        layer.whiteOut("src/rewritten.c");
        LayerChanges source = layer.source();
        const auto changes = paired(source);
        QCOMPARE(told(changes),
                 std::string("A lib/; R src/old.c -> lib/new.c*; A lib/written.c; D src/rewritten.c"));
        QVERIFY(changes->at(1).similarity > 90 && changes->at(1).similarity < 100);
        QCOMPARE(*readContent(*source.openBefore(changes->at(1)), 999), lines(0, 20));
    }

    /// The same pairs, and the same numbers.
    void saysWhatGitSays()
    {
        REVET_NEEDS_PROGRAM("git");
        std::mt19937 random(11); // the same files at every run
        std::size_t renamed = 0;
        for (int round = 0; round < 10; ++round) {
            const HandMadeLayer layer;
            for (int file = 0; file < 12; ++file) {
                const std::string name = "file" + std::to_string(file);
                const int count = 5 + static_cast<int>(random() % 60);
                std::string before;
                std::string after;
                for (int i = 0; i < count; ++i) {
                    const std::string line = lines(static_cast<int>(random() % 100'000), 1, name)
                        + (random() % 9 == 0 ? std::string(random() % 200, 'l') + "\r\n" : "");
                    const auto fate = random() % (3 + static_cast<unsigned>(file));
                    before += line;
                    after += fate == 0 ? lines(static_cast<int>(random() % 100'000), 1, "new")
                        : fate == 1    ? std::string()
                                       : line;
                }
                before += file % 4 == 0 ? std::string(1, '\0') + "\n" : "";
                after += file % 4 == 0 ? std::string(1, '\0') + "\n" : "";
                const std::string to = (file % 3 == 0 ? "other/" : "") + name + (file % 3 == 1 ? ".new" : "");
                const bool stays = to == name;
                writeFile(layer.lower() / name, before);
                for (const char* const side : {"upper", "seen"}) {
                    writeFile(layer.root() / side / to, after);
                }
                if (!stays) {
                    layer.whiteOut(name);
                }
            }
            LayerChanges source = layer.source();
            const auto changes = paired(source);
            REVET_VERIFY(changes);
            const std::set<std::string> ours = asGitTells(*changes);
            QCOMPARE(joined(ours), joined(whatGitTells(layer.root())));
            renamed += static_cast<std::size_t>(
                std::ranges::count(ours, 'R', [](const std::string& row) { return row.front(); }));
        }
        QVERIFY(renamed > 20);
    }

    void prefersTheNameThenTheLikeness()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "a/util.c", lines(0, 20));
        writeFile(layer.lower() / "b/near.c", lines(0, 19) + "x\n");
        layer.whiteOut("a/util.c");
        layer.whiteOut("b/near.c");
        writeFile(layer.upper() / "c/util.c", lines(0, 19) + "y\n");
        writeFile(layer.upper() / "c/far.c", lines(0, 14) + lines(100, 6));
        LayerChanges source = layer.source();
        QCOMPARE(told(paired(source)), std::string("A c/; R b/near.c -> c/far.c*; R a/util.c -> c/util.c*"));
    }

    void leavesGitsOwnFilesAlone()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / ".git/logs/one", lines(0, 20));
        writeFile(layer.lower() / ".git/same", lines(50, 20));
        layer.whiteOut(".git/logs/one");
        layer.whiteOut(".git/same");
        writeFile(layer.upper() / ".git/logs/two", lines(0, 21));
        writeFile(layer.upper() / "same", lines(50, 20));
        LayerChanges source = layer.source();
        QCOMPARE(told(paired(source)), std::string("D .git/logs/one; A .git/logs/two; D .git/same; A same"));
    }

    void leavesAloneWhatWouldTakeTooLong_data()
    {
        QTest::addColumn<int>("files");
        QTest::addColumn<int>("count");
        QTest::newRow("many pairs") << 1001 << 1;
        QTest::newRow("many pieces") << 170 << 2000;
    }
    void leavesAloneWhatWouldTakeTooLong()
    {
        QFETCH(int, files);
        QFETCH(int, count);
        const HandMadeLayer layer;
        for (int file = 0; file < files; ++file) {
            const std::string number = std::to_string(file);
            const std::string text = lines(0, count) + lines(file, 1, "own");
            writeFile(layer.lower() / ("old" + number), text);
            writeFile(layer.upper() / ("new" + number), text + "!\n");
            layer.whiteOut("old" + number);
        }
        LayerChanges source = layer.source();
        const auto changes = paired(source);
        REVET_VERIFY(changes);
        const auto renamed = std::ranges::count(*changes, Change::Kind::Renamed, &Change::kind);
        QVERIFY2(renamed < files, "all pairs were compared");
    }
};

QTEST_APPLESS_MAIN(TestRenames)
#include "tst_renames.moc"
