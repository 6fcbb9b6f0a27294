// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/text_diff.h"
#include "tests/engine/workspace/hand_made_layer.h"
#include "tests/support/kernel_gate.h"

#include <QProcess>

#include <random>

using namespace revet;
using namespace revet::workspace;
using namespace revet::workspace::test;
using revet::test::writeFile;

namespace {

/// The hunks as git writes them.
std::string written(const TextDiff& diff)
{
    std::string text;
    for (const Hunk& hunk : diff.hunks) {
        text += hunk.header + '\n';
        for (const DiffLine& line : hunk.lines) {
            text += line.origin + line.text;
            text += line.text.ends_with('\n') ? "" : "\n\\ No newline at end of file\n";
        }
    }
    return text;
}

/// Lines that come again, so that there is more than one way to tell the difference.
std::string randomText(std::mt19937& random, std::size_t lines)
{
    static const std::vector<std::string> kLines{"{",  "}", "",    "    return;", "int main()",  "  x = 1;",
                                                 "\t", "a", "b\r", "struct S",    "    if (y) {"};
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) {
        text += kLines.at(random() % kLines.size()) + '\n';
    }
    return text;
}

std::string mutated(std::mt19937& random, std::string text)
{
    for (auto edits = random() % 5; edits > 0 && !text.empty(); --edits) {
        const std::size_t at = text.find('\n', random() % text.size());
        if (at == std::string::npos) {
            break;
        }
        switch (random() % 3) {
        case 0:
            text.insert(at + 1, randomText(random, 1 + random() % 4));
            break;
        case 1:
            text.erase(at + 1, text.find('\n', at + 1 + random() % 40) - at);
            break;
        default:
            text.replace(at, 1, " changed\n");
        }
    }
    if (random() % 4 == 0 && !text.empty()) {
        text.pop_back(); // no end of line at the end
    }
    return text;
}

} // namespace

class TestTextDiff : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsGit()
    {
        REVET_NEEDS_PROGRAM("git");
        const HandMadeLayer layer;
        std::mt19937 random(20240601); // the same texts at every run
        std::size_t differing = 0;
        for (int round = 0; round < 200; ++round) {
            const std::string before = mutated(random, randomText(random, random() % 60));
            const std::string after = mutated(random, before);
            writeFile(layer.root() / "before", before);
            writeFile(layer.root() / "after", after);
            QProcess git;
            git.setWorkingDirectory(QString::fromStdString(layer.root().string()));
            git.start(QStringLiteral("git"),
                      {QStringLiteral("-c"), QStringLiteral("core.attributesFile=/dev/null"),
                       QStringLiteral("diff"), QStringLiteral("--no-index"), QStringLiteral("--no-color"),
                       QStringLiteral("before"), QStringLiteral("after")});
            QVERIFY(git.waitForFinished());
            std::string wanted = git.readAllStandardOutput().toStdString();
            const std::size_t hunks = wanted.find("\n@@ ");
            wanted = hunks == std::string::npos ? "" : wanted.substr(hunks + 1);
            const auto diff = diffTexts(before, after);
            REVET_VERIFY(diff);
            QCOMPARE(written(*diff), wanted);
            differing += wanted.empty() ? 0U : 1U;
        }
        QVERIFY(differing > 100);
    }

    void countsLines()
    {
        const auto diff = diffTexts("one\ntwo\nthree\n", "one\n2\nthree\nfour\n");
        REVET_VERIFY(diff);
        QCOMPARE(diff->added, 2U);
        QCOMPARE(diff->removed, 1U);
        QCOMPARE(diff->hunks.size(), std::size_t{1});
        QCOMPARE(diff->hunks.front().newLines, 4U);
    }

    void knowsBinaries()
    {
        const std::string binary("a\0b", 3);
        QVERIFY(diffTexts("text\n", binary)->isBinary);
        QVERIFY(diffTexts(binary, "text\n")->isBinary);
        QVERIFY(diffTexts(binary, "text\n")->hunks.empty());
        QVERIFY(!diffTexts("text\n", "\xff\xfe\n")->isBinary);
    }

    void leavesLargeTextsAlone()
    {
        const std::string large(kLargestText + 1, 'x');
        QVERIFY(diffTexts("", large)->isTooLarge);
        Change change;
        const HandMadeLayer layer;
        LayerChanges source = layer.source();
        change.after.type = EntryType::File;
        change.after.size = std::uint64_t{1} << 40U; // sparse: is not read
        QVERIFY(diffChange(source, change)->isTooLarge);
    }

    void comparesLinksByTheirTargets()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "f", "content\n");
        std::filesystem::create_symlink("/etc/passwd", layer.upper() / "f");
        LayerChanges source = layer.source();
        const auto changes = source.changes();
        REVET_VERIFY(changes);
        const auto diff = diffChange(source, changes->front());
        REVET_VERIFY(diff);
        QCOMPARE(written(*diff),
                 std::string("@@ -1 +1 @@\n-content\n+/etc/passwd\n\\ No newline at end of file\n"));
    }
};

QTEST_APPLESS_MAIN(TestTextDiff)
#include "tst_text_diff.moc"
