// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/message.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

#include <QTest>

using namespace std::string_literals;
using revet::cli::TextTable;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class TextTableTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void alignsColumns();
    void countsWideCharacters();
    void shortensWhatGivesWay();
    void letsTheWidestGiveWayFirst();
    void staysReadableWhereThereIsNoRoom();
    void findsTheWordThatWasMeant();
};

void TextTableTest::alignsColumns()
{
    TextTable table({{"ID"}, {"N", TextTable::Align::Right}, {"WHAT"}});
    table.addRow({"a", "1", "x"});
    table.addRow({"bcd", "1000"});
    QCOMPARE(table.toText(0), "ID      N  WHAT\na       1  x\nbcd  1000\n"s);
}

void TextTableTest::countsWideCharacters()
{
    TextTable table({{"A"}, {"B"}});
    table.addRow({"日本", "x"});
    table.addRow({"abcd", "y"});
    QCOMPARE(table.toText(0), "A     B\n日本  x\nabcd  y\n"s);
}

void TextTableTest::shortensWhatGivesWay()
{
    TextTable table({{"ID"}, {"PATH", TextTable::Align::Left, true}, {"END"}});
    table.addRow({"k3f9q2", "/home/user/a/very/long/path/to/a/file.txt", "done"});
    for (std::size_t columns = 24; columns < 80; ++columns) {
        const std::string text = table.toText(columns);
        const std::size_t border = text.find('\n') + 1;
        const std::string line = text.substr(border, text.size() - border - 1);
        QVERIFY2(revet::displayColumns(line) <= columns, line.c_str());
        QVERIFY(line.ends_with("done"));
    }
    QVERIFY(table.toText(40).find("file.txt") != std::string::npos);
}

void TextTableTest::letsTheWidestGiveWayFirst()
{
    TextTable table(
        {{"ID"}, {"LABEL", TextTable::Align::Left, true}, {"WHAT", TextTable::Align::Left, true}});
    table.addRow({"k3f9q2", std::string(300, 'l'), std::string(20, 'w')});
    const auto rowAt = [&table](std::size_t columns) {
        const std::string text = table.toText(columns);
        const std::size_t border = text.find('\n') + 1;
        return text.substr(border, text.size() - border - 1);
    };
    QVERIFY(rowAt(60).ends_with(std::string(20, 'w')));
    for (std::size_t columns = 26; columns < 400; ++columns) {
        QVERIFY2(revet::displayColumns(rowAt(columns)) <= columns, rowAt(columns).c_str());
    }
}

void TextTableTest::staysReadableWhereThereIsNoRoom()
{
    TextTable table({{"ID"}, {"PATH", TextTable::Align::Left, true}});
    table.addRow({"k3f9q2", "/home/user/file"});
    QVERIFY(table.toText(5).find("k3f9q2") != std::string::npos);
}

void TextTableTest::findsTheWordThatWasMeant()
{
    using revet::cli::closestWord;
    const std::vector words = {"run"s, "log"s, "files"s, "profile"s, "project"s};
    QCOMPARE(closestWord("rnu", words), "run"s);
    QCOMPARE(closestWord("ru", words), "run"s);
    QCOMPARE(closestWord("file", words), "files"s);
    QCOMPARE(closestWord("porject", words), "project"s);
    QCOMPARE(closestWord("approve", words), ""s);
    QCOMPARE(closestWord("", words), ""s);
}

QTEST_APPLESS_MAIN(TextTableTest)
#include "tst_text_table.moc"
