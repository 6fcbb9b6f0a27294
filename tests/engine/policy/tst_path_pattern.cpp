// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/path_pattern.h"

#include <QTest>

#include <ctime>

using revet::policy::LetterCase;
using revet::policy::NamePattern;
using revet::policy::NameText;
using revet::policy::PathPattern;

class PathPatternTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void matchesWholePaths_data();
    void matchesWholePaths();
    void matchesNamesUncompiledAsCompiled();
    void coversWhatLiesBelow();
    void foldsLettersOnlyWhenAsked();
    void refusesMalformedPatterns_data();
    void refusesMalformedPatterns();
    void staysFastOnHostileInput_data();
    void staysFastOnHostileInput();
};

void PathPatternTest::matchesWholePaths_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<bool>("expected");
    const auto row = [](const char* tag, const char* pattern, const char* path, bool expected) {
        QTest::newRow(tag) << QByteArray(pattern) << QByteArray(path) << expected;
    };
    row("plain name", "a/b", "a/b", true);
    row("plain name differs", "a/b", "a/c", false);
    row("shorter path", "a/b", "a", false);
    row("longer path", "a/b", "a/b/c", false);
    row("star in a name", "*.cpp", "main.cpp", true);
    row("star takes nothing", "a*b", "ab", true);
    row("star stops at a slash", "*.cpp", "src/main.cpp", false);
    row("two stars", "*a*b", "xaxbxb", true);
    row("two stars, no end", "*a*b", "xaxbx", false);
    row("question mark", "a?c", "abc", true);
    row("question mark needs a byte", "a?c", "ac", false);
    row("question mark is no slash", "a?c", "a/c", false);
    row("set", "[abc].h", "b.h", true);
    row("set misses", "[abc].h", "d.h", false);
    row("range", "v[0-9]", "v7", true);
    row("negated set", "v[!0-9]", "v7", false);
    row("negated set, caret", "v[^0-9]", "vx", true);
    row("bracket in a set", "[]]", "]", true);
    row("dash in a set", "[a-]", "-", true);
    row("escaped star", "a\\*", "a*", true);
    row("escaped star is literal", "a\\*", "ab", false);
    row("braces", "{a,b}.h", "b.h", true);
    row("braces miss", "{a,b}.h", "c.h", false);
    row("empty choice", "x.y{,a}ml", "x.yml", true);
    row("nested braces", "{a,{b,c}d}", "cd", true);
    row("braces across slashes", "{a/b,c}/d", "a/b/d", true);
    row("escaped brace", "\\{a}", "{a}", false); // the closing one is unbalanced: see the malformed rows
    row("depth in front", "**/x", "a/b/x", true);
    row("depth in front takes none", "**/x", "x", true);
    row("depth in the middle", "a/**/x", "a/b/c/x", true);
    row("depth in the middle takes none", "a/**/x", "a/x", true);
    row("depth at the end", "a/**", "a/b/c", true);
    row("depth at the end takes one at least", "a/**", "a", false);
    row("two depths", "**/a/**/b", "x/a/y/a/z/b", true);
    row("two depths miss", "**/a/**/b", "x/b/a", false);
    row("depth alone", "**", "a/b", true);
    row("depth inside a name is a star", "a**b", "axxb", true);
    row("absolute", "/etc/*", "/etc/passwd", true);
    row("absolute pattern, relative path", "/etc/*", "etc/passwd", false);
    row("relative pattern, absolute path", "etc/*", "/etc/passwd", false);
    row("repeated slashes", "a/b", "a//b", true);
    row("trailing slash", "a/b", "a/b/", true);
    row("dot component", "a/b", "./a/./b", true);
    row("dot dot is a name", "a/*/b", "a/../b", true);
    row("star takes leading dots", "*", ".hidden", true);
    row("bytes that are no UTF-8", "\xff*", "\xff\xfe", true);
    row("newline in a name", "a*b", "a\nb", true);
    row("case matters", "Makefile", "makefile", false);
}

void PathPatternTest::matchesWholePaths()
{
    QFETCH(const QByteArray, pattern);
    QFETCH(const QByteArray, path);
    QFETCH(const bool, expected);
    const auto compiled = PathPattern::compile(pattern.toStdString());
    QCOMPARE(compiled.has_value() && compiled->matches(path.toStdString()), expected);
}

void PathPatternTest::matchesNamesUncompiledAsCompiled()
{
    for (const std::string_view pattern :
         {"",    "a",    "*", "**", "***",   "a*",   "*a",   "a*a", "*.x",  "a.*.x",
          "*a*", "a**a", "?", "a?", "[ab]*", "[!a]", "a\\*", "\\a", "*\\a", "a*[x]"}) {
        const auto compiled = NamePattern::compile(pattern);
        QVERIFY(compiled);
        const NameText text(pattern);
        QCOMPARE(text.isAnyDepth(), compiled->isAnyDepth());
        for (const std::string_view name :
             {"", "a", "b", "aa", "aba", "a.x", "a.b.x", "x", ".x", "*", "a*", "**", "\\a", "ab", "A"}) {
            const QByteArray told = QByteArray(pattern.data()) + " on " + name.data();
            QVERIFY2(text.matches(name) == compiled->matches(name), told);
            QVERIFY2(!text.matches(name) || text.isAnyDepth()
                         || (name.starts_with(text.prefix()) && name.ends_with(text.suffix())),
                     told);
        }
    }
    QVERIFY(NameText("[a").matches("b")); // no pattern: nothing is let through for that
}

void PathPatternTest::coversWhatLiesBelow()
{
    const auto pattern = PathPattern::compile("/home/*/.ssh");
    QVERIFY(pattern);
    QVERIFY(pattern->covers("/home/u/.ssh"));
    QVERIFY(pattern->covers("/home/u/.ssh/id_ed25519"));
    QVERIFY(pattern->covers("/home/u/.ssh/a/b/c"));
    QVERIFY(!pattern->covers("/home/u"));
    QVERIFY(!pattern->covers("/home/u/.sshd"));
    QVERIFY(!pattern->covers("/home/u/x/.ssh"));
}

void PathPatternTest::foldsLettersOnlyWhenAsked()
{
    const auto folded = PathPattern::compile(".GIT/[A-C]onfig", LetterCase::Folded);
    QVERIFY(folded);
    QVERIFY(folded->matches(".git/Config"));
    QVERIFY(folded->matches(".gIt/aONFIG"));
    QVERIFY(!folded->matches(".git/donfig"));
}

void PathPatternTest::refusesMalformedPatterns_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("only slashes") << QByteArray("///");
    QTest::newRow("open set") << QByteArray("a[bc");
    QTest::newRow("open negated set") << QByteArray("[!");
    QTest::newRow("backwards range") << QByteArray("[z-a]");
    QTest::newRow("open brace") << QByteArray("{a,b");
    QTest::newRow("closing brace") << QByteArray("a}");
    QTest::newRow("trailing backslash") << QByteArray("a\\");
    QTest::newRow("too long") << QByteArray(2000, 'a');
    QTest::newRow("too many choices") << QByteArray("{a,b}").repeated(20);
    QTest::newRow("too many components") << QByteArray("a/").repeated(64);
}

void PathPatternTest::refusesMalformedPatterns()
{
    QFETCH(const QByteArray, pattern);
    QVERIFY(!PathPattern::compile(pattern.toStdString()));
}

void PathPatternTest::staysFastOnHostileInput_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("path");
    QTest::newRow("many stars") << QByteArray("*a").repeated(100) + "b" << QByteArray(4000, 'a');
    QTest::newRow("many depths") << QByteArray("**/a/").repeated(30) + "b" << QByteArray("a/").repeated(2000);
    QTest::newRow("depths and stars")
        << QByteArray("**/*a*a*a/").repeated(20) + "b" << QByteArray("aaaaaaaaa/").repeated(400);
    QTest::newRow("sets") << QByteArray("*[a-z]").repeated(60) + "0" << QByteArray(4000, 'z');
}

void PathPatternTest::staysFastOnHostileInput()
{
    QFETCH(const QByteArray, pattern);
    QFETCH(const QByteArray, path);
    const auto compiled = PathPattern::compile(pattern.toStdString());
    QVERIFY(compiled);
    const std::clock_t begin = std::clock();
    QVERIFY(!compiled->matches(path.toStdString()));
    // An exponential matcher would not be back this year.
    QVERIFY(std::clock() - begin < CLOCKS_PER_SEC * 2);
}

QTEST_APPLESS_MAIN(PathPatternTest)
#include "tst_path_pattern.moc"
