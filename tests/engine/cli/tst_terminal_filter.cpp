// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/terminal_filter.h"

#include <QTest>

#include <random>
#include <string>

using namespace std::string_literals;
using revet::cli::TerminalFilter;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class TerminalFilterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void passesAndDrops_data();
    void passesAndDrops();
    void doesNotCareWhereChunksEnd_data() { passesAndDrops_data(); }
    void doesNotCareWhereChunksEnd();
    void passesEveryOrdinaryByte();
    void neverLetsAReportOut();
    void endsAnEndlessString();
    void bringsTheTerminalBack_data();
    void bringsTheTerminalBack();
};

namespace {

std::string filtered(std::string_view input)
{
    TerminalFilter filter;
    std::string output;
    filter.feed(input, output);
    return output;
}

QByteArray toBytes(const std::string& text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

std::string fromBytes(const QByteArray& bytes)
{
    return {bytes.data(), static_cast<std::size_t>(bytes.size())};
}

} // namespace

void TerminalFilterTest::passesAndDrops_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("output");
    const auto row = [](const char* tag, const std::string& input, const std::string& output) {
        QTest::newRow(tag) << toBytes(input) << toBytes(output);
    };
    const auto same = [&row](const char* tag, const std::string& input) { row(tag, input, input); };
    same("text", "hello\r\n\tworld\b\a");
    same("UTF-8", "Grüße 日本 🚀 \u00c2\u00df");
    same("broken UTF-8", "a\xff\xfe\xe6 b\xe6\x97");
    same("colours", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[m");
    same("moves and clears", "\x1b[2J\x1b[H\x1b[10;20H\x1b[K\x1b[3A");
    same("modes", "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[4h");
    same("line drawing", "\x1b(0lqk\x1b(B");
    same("save, restore, index",
         "\x1b"
         "7\x1b"
         "8\x1b"
         "D\x1bM");
    same("questions whose answers programs need", "\x1b[c\x1b[>c\x1b[6n\x1b[5n\x1b[>q\x1b[?1$p");
    same("size questions", "\x1b[14t\x1b[18t");
    same("title stack", "\x1b[22;0t\x1b[23;0t");
    same("keyboard protocol", "\x1b[>1u\x1b[<u");
    same("colour question", "\x1b]11;?\x1b\\");
    row("colour question ended by a bell", "\x1b]10;?\a", "\x1b]10;?\x1b\\");
    same("link", "\x1b]8;;https://example.org/\x1b\\x\x1b]8;;\x1b\\");
    same("prompt mark", "\x1b]133;A\x1b\\");
    same("control byte inside a sequence", "\r\n");
    row("clipboard by bell", "a\x1b]52;c;aGVsbG8=\ab", "ab");
    row("clipboard by string end", "a\x1b]52;c;aGVsbG8=\x1b\\b", "ab");
    row("clipboard question", "\x1b]52;c;?\a", "");
    row("clipboard with zeros", "\x1b]052;c;eA==\a", "");
    row("clipboard of eight bits",
        "a\x9d"
        "52;c;eA==\ab",
        "ab");
    row("clipboard of eight bits as UTF-8",
        "a\xc2\x9d"
        "52;c;eA==\ab",
        "ab");
    row("control sequence of eight bits",
        "\x9b"
        "31mx",
        "\x1b[31mx");
    row("file transfer", "\x1b]1337;File=name=eA==:AAAA\a.", ".");
    row("notifications", "\x1b]9;hi\a\x1b]777;notify;a;b\a.", ".");
    row("unknown command", "\x1b]9999;x\a.", ".");
    row("title", "\x1b]0;rm -rf\a", "\x1b]0;revet: rm -rf\x1b\\");
    row("window title with controls", "\x1b]2;a\nb\u202e\x1b\\", "\x1b]2;revet: ab\x1b\\");
    row("endless title", "\x1b]2;" + std::string(1000, 'x') + "\a",
        "\x1b]2;revet: " + std::string(256, 'x') + "\x1b\\");
    row("titles of Sun and tmux", "\x1b]lname\x1b\\\x1bkname\x1b\\.", ".");
    row("title report", "a\x1b[21tb", "ab");
    row("icon report", "a\x1b[20tb", "ab");
    row("title report with zeros", "\x1b[0021;1t.", ".");
    row("settings report (DECRQSS)", "a\x1bP$q\"p\x1b\\b", "ab");
    row("termcap report", "\x1bP+q544e\x1b\\.", ".");
    row("APC, PM, SOS", "\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\.", ".");
    row("device string of eight bits", "\x90$qm\x1b\\.", ".");
    row("answerback",
        "a\x05"
        "b\x1b[\x05"
        "1mc",
        "ab\x1b[1mc");
    row("screen read back", "\x1b[1;1;1;1;5;5*y.", ".");
    row("printer", "\x1b[5i.", ".");
    row("leaving UTF-8", "\x1b%@.", ".");
    row("a link that hides a command",
        "\x1b]8;;x\x9c\x9d"
        "52;c;eA==\a.",
        ".");
    row("console palette", "\x1b]R.\x1b]P1aabbcc.", "..");
    row("string cut off by a sequence", "\x1bPabc\x1b[31mred", "\x1b[31mred");
    row("string cut off by cancel", "\x1bPabc\x18red", "red");
    row("sequence cut off by another", "\x1b[12\x1b[1mx", "\x1b[1mx");
    row("endless parameters", "\x1b[" + std::string(1000, '1') + "mx", "x");
    row("escape twice", "\x1b\x1b[1m", "\x1b[1m");
}

void TerminalFilterTest::passesAndDrops()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, output);
    QCOMPARE(toBytes(filtered(fromBytes(input))), output);
}

void TerminalFilterTest::doesNotCareWhereChunksEnd()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, output);
    const std::string text = fromBytes(input);
    for (std::size_t first = 0; first <= text.size(); ++first) {
        TerminalFilter filter;
        std::string got;
        filter.feed(std::string_view(text).substr(0, first), got);
        filter.feed(std::string_view(text).substr(first), got);
        QCOMPARE(toBytes(got), output);
    }
    TerminalFilter filter;
    std::string got;
    for (const char byte : text) {
        filter.feed({&byte, 1}, got);
    }
    QCOMPARE(toBytes(got), output);
}

void TerminalFilterTest::passesEveryOrdinaryByte()
{
    std::string all;
    for (int byte = 0; byte < 0x80; ++byte) {
        if (byte != 0x1b && byte != 0x05) {
            all += static_cast<char>(byte);
        }
    }
    QCOMPARE(toBytes(filtered(all)), toBytes(all));
}

void TerminalFilterTest::neverLetsAReportOut()
{
    // Whatever hostile bytes come: what goes out, read by itself, is what the filter would let pass again.
    std::mt19937 random(1); // NOLINT(cert-msc51-cpp): the same bytes in every run
    constexpr std::string_view kAlphabet = "\x1b\x1b\x1b[]P_^Xk\\0125;?tc\a\x9c\x9d\x9b\xc2\x90\x18%$qy*";
    std::uniform_int_distribution<std::size_t> pick(0, kAlphabet.size() - 1);
    for (int round = 0; round < 20000; ++round) {
        std::string input;
        for (int i = 0; i < 24; ++i) {
            input += kAlphabet[pick(random)];
        }
        const std::string output = filtered(input);
        QVERIFY2(output.find("]52") == std::string::npos || output.find("\x1b]52") == std::string::npos,
                 toBytes(input).toHex().constData());
        QVERIFY2(output.find("\x1b[21t") == std::string::npos, toBytes(input).toHex().constData());
        QVERIFY2(output.find("\x1bP") == std::string::npos, toBytes(input).toHex().constData());
    }
}

void TerminalFilterTest::endsAnEndlessString()
{
    TerminalFilter filter;
    std::string output;
    filter.feed("\x1bP", output);
    const std::string chunk(65536, 'x');
    for (int i = 0; i < 20; ++i) {
        filter.feed(chunk, output);
    }
    QVERIFY(!output.empty());
    QVERIFY(output.size() < 20 * chunk.size() - (1U << 19U));
}

void TerminalFilterTest::bringsTheTerminalBack_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("restored");
    const auto row = [](const char* tag, const std::string& input, const std::string& restored) {
        QTest::newRow(tag) << toBytes(input) << toBytes(restored);
    };
    row("nothing", "plain \x1b[31m", "");
    row("mouse left on", "\x1b[?1000;1006h", "\x1b[?1000l\x1b[?1006l");
    row("mouse turned off again", "\x1b[?1000;1006h\x1b[?1000l\x1b[?1006l", "");
    row("alternate screen", "\x1b[?1049h", "\x1b[?1049l");
    row("bracketed paste", "\x1b[?2004h", "\x1b[?2004l");
    row("hidden cursor", "\x1b[?25l", "\x1b[?25h");
    row("shown again", "\x1b[?25l\x1b[?25h", "");
    row("line drawing", "\x1b(0", "\x1b(B\x0f");
    row("shift out", "\x0e", "\x1b(B\x0f");
    row("keypad", "\x1b=", "\x1b>");
    row("keyboard protocol", "\x1b[>1u", "\x1b[<9u");
    row("reset by the program",
        "\x1b[?1000h\x1b[?25l\x1b"
        "c",
        "");
    row("in the middle of a string", "\x1bPabc", "\x18");
}

void TerminalFilterTest::bringsTheTerminalBack()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, restored);
    TerminalFilter filter;
    std::string output;
    filter.feed(fromBytes(input), output);
    QCOMPARE(toBytes(filter.restore()), restored);
    QCOMPARE(toBytes(filter.restore()), QByteArray());
}

QTEST_APPLESS_MAIN(TerminalFilterTest)
#include "tst_terminal_filter.moc"
