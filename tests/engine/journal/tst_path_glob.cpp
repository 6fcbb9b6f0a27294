// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/interner.h"
#include "engine/journal/path_glob.h"

#include <QtTest>

namespace revet::journal::test {

class TestPathGlob : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void matches_data();
    void matches();
    void staysFastOnManyStars();
    void internerForgetsInsteadOfGrowing();
};

void TestPathGlob::matches_data()
{
    QTest::addColumn<std::string>("pattern");
    QTest::addColumn<std::string>("path");
    QTest::addColumn<bool>("expected");
    const auto row = [](const char* pattern, const char* path, bool expected) {
        QTest::addRow("%s on %s", pattern, path) << std::string(pattern) << std::string(path) << expected;
    };
    row("*.c", "/a/b.c", true);
    row("*.c", "/a.c/b", false);
    row("/a/*.c", "/a/b.c", true);
    row("/a/*.c", "/a/b/c.c", false);
    row("/a/**", "/a/b/c.c", true);
    row("/a/**", "/ab", false);
    row("**/c.c", "/a/b/c.c", true);
    row("/a/**/c.c", "/a/b/b/c.c", true);
    row("/a/**/c.c", "/a/c.c", true);
    row("/a/**/c.c", "/a/b/xc.c", false);
    row("/a/**/c.c", "/ac.c", false);
    row("/a/**/b/**", "/a/b/c", true);
    row("/a/x**/c", "/a/x/c", true);
    row("/a/x**/c", "/a/c", false);
    row("/a/?", "/a/b", true);
    row("/a/?", "/a//", false);
    row("/a", "/a", true);
    row("/a", "/a/b", false);
    row("/a/*", "/a/", true);
    row("/a/**b**", "/a/xby/z", true);
    row("example.*:443", "example.org:443", true);
    row("/a/*b",
        "/a/\xff"
        "b",
        true);
}

void TestPathGlob::matches()
{
    QFETCH(const std::string, pattern);
    QFETCH(const std::string, path);
    QFETCH(const bool, expected);
    QCOMPARE(PathGlob(pattern).matches(path), expected);
}

void TestPathGlob::staysFastOnManyStars()
{
    std::string pattern;
    for (int i = 0; i < 100; ++i) {
        pattern += "*a";
    }
    QVERIFY(!PathGlob(pattern + "b").matches(std::string(4000, 'a')));
}

void TestPathGlob::internerForgetsInsteadOfGrowing()
{
    Interner interner(10'000);
    const auto first = interner.numberOf("/a");
    QVERIFY(first.isNew);
    QCOMPARE(interner.numberOf("/a").id, first.id);
    QVERIFY(!interner.numberOf("/a").isNew);
    QCOMPARE(interner.numberOf("").id, std::int64_t{0});
    for (int i = 0; i < 1000; ++i) {
        QVERIFY(interner.numberOf("/" + std::to_string(i)).isNew);
    }
    const auto again = interner.numberOf("/a");
    QVERIFY(again.isNew);
    QCOMPARE(again.id, std::int64_t{1002});
}

} // namespace revet::journal::test

QTEST_APPLESS_MAIN(revet::journal::test::TestPathGlob)
#include "tst_path_glob.moc"
