// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/display_escape.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <string>

using namespace std::string_literals;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class DisplayEscapeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsWhatCannotBeSeen_data();
    void showsWhatCannotBeSeen();
    void escapesEveryByteThatIsNotText();
    void escapesEveryCodePointWithoutInk();
    void tellsTwinsApart();
    void quotesLikeAShell_data();
    void quotesLikeAShell();
    void keepsTheDangerousTailInView();
    void neverExceedsTheColumns();
    void neverCutsAnEscape();
    void countsColumns();
};

namespace {

QByteArray toBytes(const std::string& text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

std::string escaped(const QByteArray& bytes)
{
    return revet::displayEscape({bytes.data(), static_cast<std::size_t>(bytes.size())});
}

} // namespace

void DisplayEscapeTest::showsWhatCannotBeSeen_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char* tag, const std::string& bytes, const std::string& shown) {
        QTest::newRow(tag) << toBytes(bytes) << toBytes(shown);
    };
    row("nothing", "", "");
    row("plain path", "/home/user/a b.txt", "/home/user/a b.txt");
    row("newline that fakes a second line", "a\nApprove: yes", "a\\nApprove: yes");
    row("carriage return and backspace", "rm -rf /\r\b\bls", "rm -rf /\\x0D\\x08\\x08ls");
    row("bell, escape and colour", "\a\x1b[31mred\x1b[0m", "\\x07\\x1B[31mred\\x1B[0m");
    row("clipboard sequence", "\x1b]52;c;aGk=\a", "\\x1B]52;c;aGk=\\x07");
    row("link sequence", "\x1b]8;;file:///x\x1b\\y", "\\x1B]8;;file:///x\\x1B\\\\y");
    row("eight-bit control as UTF-8",
        "\xc2\x9b"
        "31m",
        "\\u{9B}31m");
    row("eight-bit control as a byte",
        "\x9b"
        "31m",
        "\\x9B31m");
    row("NUL and DEL", "a\0b\x7f"s, "a\\x00b\\x7F");
    row("backslash that fakes an escape", "\\x1B", "\\\\x1B");
    row("markup stays what it is", "<img src=x>&amp;", "<img src=x>&amp;");
    row("right-to-left override", "safe\u202egnp.exe", "safe\\u{202E}gnp.exe");
    row("isolates", "\u2066a\u2069", "\\u{2066}a\\u{2069}");
    row("zero width", "a\u200bb\u200d\ufeffc", "a\\u{200B}b\\u{200D}\\u{FEFF}c");
    row("tag characters", "\U000e0041\U000e0042", "\\u{E0041}\\u{E0042}");
    row("variation selector", "a\ufe0f", "a\\u{FE0F}");
    row("private use", "\ue000\U00100000", "\\u{E000}\\u{100000}");
    row("unassigned and non-character", "\u0378\uffff", "\\u{378}\\u{FFFF}");
    row("line and paragraph separators", "\u2028\u2029", "\\u{2028}\\u{2029}");
    row("spaces that look like a space", "a\u00a0b\u2003c\u3000", "a\\u{A0}b\\u{2003}c\\u{3000}");
    row("letters without ink", "\u3164\u115f\u2800", "\\u{3164}\\u{115F}\\u{2800}");
    row("surrogate", "\xed\xa0\x80", "\\xED\\xA0\\x80");
    row("overlong slash", "\xc0\xaf", "\\xC0\\xAF");
    row("truncated sequence", "a\xe2\x82", "a\\xE2\\x82");
    row("Latin-1 name", "caf\xe9", "caf\\xE9");
    row("other scripts", "Grüße гит 日本 Việt ไฟล์", "Grüße гит 日本 Việt ไฟล์");
    row("emoji", "🚀", "🚀");
    row("mark on nothing", "\u0301a", "\\u{301}a");
    row("mark on a space", " \u0301", " \\u{301}");
    row("flood of marks", "x\u0316\u0316\u0316\u0316\u0316\u0316",
        "x\u0316\u0316\u0316\u0316\\u{316}\\u{316}");
    row("mark after an escape", "\n\u0301", "\\n\\u{301}");
    row("singleton twin", "\u212b", "\\u{212B}");
}

void DisplayEscapeTest::showsWhatCannotBeSeen()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, shown);
    QCOMPARE(toBytes(escaped(bytes)), shown);
}

void DisplayEscapeTest::escapesEveryByteThatIsNotText()
{
    for (int byte = 0; byte < 256; ++byte) {
        const std::string shown = revet::displayEscape(std::string(1, static_cast<char>(byte)));
        QVERIFY(!shown.empty());
        for (const char character : shown) {
            QVERIFY2(character >= 0x20 && character < 0x7f, qPrintable(QString::number(byte)));
        }
    }
}

void DisplayEscapeTest::escapesEveryCodePointWithoutInk()
{
    int escapedCount = 0;
    for (char32_t value = 0x80; value < 0x110000; value += value < 0xe1000 ? 1 : 251) {
        if (value >= 0xd800 && value < 0xe000) {
            continue;
        }
        // Behind a letter, since fromUcs4() swallows a byte order mark at the start.
        const std::array<char32_t, 2> text = {U'a', value};
        const QByteArray bytes = QString::fromUcs4(text.data(), 2).toUtf8();
        const std::string shown = escaped(bytes);
        const QChar::Category category = QChar::category(value);
        const bool isHidden = category == QChar::Other_Control || category == QChar::Other_Format
            || category == QChar::Other_PrivateUse || category == QChar::Separator_Line
            || category == QChar::Separator_Paragraph || category == QChar::Separator_Space;
        if (isHidden) {
            QVERIFY2(shown.starts_with("a\\u{"), bytes.toHex().constData());
            ++escapedCount;
        }
    }
    QVERIFY(escapedCount > 6400 + 500); // private use alone
}

void DisplayEscapeTest::tellsTwinsApart()
{
    const std::string composed = revet::displayEscape("caf\u00e9");
    const std::string decomposed = revet::displayEscape("cafe\u0301");
    QCOMPARE(composed, "caf\u00e9"s);
    QCOMPARE(decomposed, "cafe\\u{301}"s);
    QCOMPARE(revet::displayEscape("x\u0323\u0301"), "x\u0323\u0301"s);
    QCOMPARE(revet::displayEscape("x\u0301\u0323"), "x\u0301\\u{323}"s);
    QCOMPARE(revet::displayEscape("\u00e9\u0323"), "\u00e9\\u{323}"s);
    QCOMPARE(revet::displayEscape("\u1112\u1161"), "\u1112\\u{1161}"s);
}

void DisplayEscapeTest::quotesLikeAShell_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char* tag, const std::string& bytes, const std::string& shown) {
        QTest::newRow(tag) << toBytes(bytes) << toBytes(shown);
    };
    row("word", "make", "make");
    row("path and option", "--file=/a/b-c.txt", "--file=/a/b-c.txt");
    row("nothing", "", "''");
    row("space", "a b", "'a b'");
    row("substitution", "$(rm -rf ~)", "'$(rm -rf ~)'");
    row("home", "~/x", "'~/x'");
    row("quote", "it's", "$'it\\'s'");
    row("newline", "a\nb", "$'a\\nb'");
    row("backslash", "a\\b", "$'a\\\\b'");
    row("other script", "日本", "日本");
}

void DisplayEscapeTest::quotesLikeAShell()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, shown);
    QCOMPARE(toBytes(revet::displayQuoted({bytes.data(), static_cast<std::size_t>(bytes.size())})), shown);
}

void DisplayEscapeTest::keepsTheDangerousTailInView()
{
    const std::string command = "echo" + std::string(10000, ' ') + "; rm -rf /";
    const std::string shown = revet::elideMiddle(revet::displayEscape(command), 60);
    QVERIFY(shown.starts_with("echo"));
    QVERIFY(shown.ends_with("; rm -rf /"));
    QVERIFY(shown.find("…(99") != std::string::npos);
    QCOMPARE(revet::elideMiddle("short", 5), "short"s);
    QCOMPARE(revet::elideMiddle("longer", 5), "lo…er"s);
    QCOMPARE(revet::elideMiddle("longer", 1), "…"s);
    QCOMPARE(revet::elideMiddle("longer", 0), ""s);
}

void DisplayEscapeTest::neverExceedsTheColumns()
{
    const std::string text
        = revet::displayEscape("日本語の長い名前\u202e\n abc x\u0323\u0301 \xff end 🚀🚀🚀🚀🚀🚀🚀");
    for (std::size_t columns = 0; columns < 80; ++columns) {
        QVERIFY(revet::displayColumns(revet::elideMiddle(text, columns)) <= columns);
    }
}

void DisplayEscapeTest::neverCutsAnEscape()
{
    const std::string text = revet::displayEscape(std::string(40, '\x1b'));
    for (std::size_t columns = 5; columns < 80; ++columns) {
        std::string shown = revet::elideMiddle(text, columns);
        std::size_t backslashes = 0;
        for (std::size_t at = shown.find("\\x1B"); at != std::string::npos;
             at = shown.find("\\x1B", at + 1)) {
            ++backslashes;
        }
        QCOMPARE(static_cast<std::size_t>(std::count(shown.begin(), shown.end(), 'B')), backslashes);
    }
}

void DisplayEscapeTest::countsColumns()
{
    QCOMPARE(revet::displayColumns("abc"), std::size_t{3});
    QCOMPARE(revet::displayColumns("日本"), std::size_t{4});
    QCOMPARE(revet::displayColumns("x\u0323"), std::size_t{1});
    QCOMPARE(revet::displayColumns("\xff"), std::size_t{1});
}

QTEST_APPLESS_MAIN(DisplayEscapeTest)
#include "tst_display_escape.moc"
