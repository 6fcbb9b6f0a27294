// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/run_later.h"
#include "tests/engine/policy/resource_text.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <ctime>

using namespace revet::policy;

class RunLaterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void classifiesPaths_data();
    void classifiesPaths();
    void namesTheEntry();
    void knowsDirectoriesThatCouldHoldPinnedFiles_data();
    void knowsDirectoriesThatCouldHoldPinnedFiles();
    void knowsWhatLiesInDependencies();
    void pinsInEveryLetterCase();
    void pinsWhatAProjectAdds();
    void tellsWhatOfACheckedFileRunsCode();
    void takesTheStrictestClass();
    void refusesMalformedTables_data();
    void refusesMalformedTables();
    void refusesWhatIsCutOff();
    void survivesEveryDamage();
    void answersForAnOrdinaryPathInAboutAMicrosecond();

private:
    RunLaterTable m_table; ///< as a start reads it
};

void RunLaterTest::initTestCase()
{
    auto table = RunLaterTable::parse(resourceText("tables/run-later.toml"));
    QVERIFY2(table, table ? "" : revet::toString(table.error()).c_str());
    auto compiled = RunLaterTable::parse(table->compiled());
    QVERIFY2(compiled, compiled ? "" : revet::toString(compiled.error()).c_str());
    m_table = std::move(*compiled);
    QVERIFY(m_table.compiled() == table->compiled());
}

void RunLaterTest::classifiesPaths_data()
{
    QTest::addColumn<QByteArray>("expected");
    const auto rows = [](const char* expected, std::initializer_list<const char*> paths) {
        for (const char* path : paths) {
            QTest::newRow(path) << QByteArray(expected);
        }
    };
    rows("pinned",
         {".vscode/tasks.json",
          ".vscode/settings.json",
          "packages/a/.vscode/launch.json",
          "x.code-workspace",
          ".idea/workspace.xml",
          ".zed/tasks.json",
          ".nvim.lua",
          "sub/.exrc",
          ".dir-locals.el",
          ".devcontainer/devcontainer.json",
          ".devcontainer/a/b.sh",
          ".devcontainer.json",
          ".envrc",
          "sub/dir/.envrc",
          ".bashrc",
          ".profile",
          ".zshenv",
          ".config/fish/config.fish",
          ".config/systemd/user/a.service",
          ".local/share/systemd/user/a.service",
          ".ssh/config",
          ".ssh/rc",
          ".config/autostart/a.desktop",
          ".gitconfig",
          ".husky/pre-commit",
          ".husky/_/pre-commit",
          "frontend/.husky/pre-push",
          ".githooks/post-merge",
          "lefthook.yml",
          ".lefthook-local.toml",
          ".pre-commit-config.yaml",
          ".github/workflows/ci.yml",
          ".github/actions/a/action.yml",
          ".gitlab-ci.yml",
          ".circleci/config.yml",
          "Jenkinsfile",
          ".claude/settings.json",
          ".claude/hooks/a.sh",
          ".mcp.json",
          ".codex/config.toml",
          ".gemini/settings.json",
          ".opencode/plugins/a.js",
          ".opencode/node_modules/p/index.js",
          "opencode.jsonc",
          ".cursor/mcp.json",
          ".aider.conf.yml",
          ".github/hooks/a.json",
          ".claude/worktrees/w/.claude/settings.json",
          ".claude/worktrees/w/.vscode/tasks.json",
          ".helix/languages.toml",
          "a/.lvimrc",
          ".local.vimrc",
          "crush.json",
          ".crush.json",
          ".qwen/settings.json",
          ".kilocode/mcp.json",
          ".amazonq/mcp.json",
          ".openhands/setup.sh",
          ".factory/mcp.json",
          ".trae/mcp.json",
          ".clinerules/hooks/x",
          "azure-pipelines.yaml",
          ".gitlab-ci.yaml",
          ".drone.yaml",
          ".tekton/x.yaml",
          ".semaphore/semaphore.yml",
          ".builds/x.yml",
          ".build.yml",
          ".teamcity/settings.kts",
          ".gitea/actions/a/action.yml"});
    rows("checked",
         {".vs/tasks.vs.json",
          ".clinerules/a.md",
          "rust-analyzer.toml",
          "package.json",
          "packages/a/package.json",
          "package-lock.json",
          "yarn.lock",
          ".npmrc",
          ".yarn/releases/yarn.cjs",
          "vite.config.ts",
          "eslint.config.mjs",
          ".eslintrc.json",
          "tsconfig.json",
          "pyproject.toml",
          "setup.py",
          "tests/conftest.py",
          "requirements-dev.txt",
          "tox.ini",
          "Makefile",
          "src/Makefile",
          "CMakeLists.txt",
          "cmake/x.cmake",
          "meson.build",
          "configure",
          "Cargo.toml",
          "build.rs",
          ".cargo/config.toml",
          "go.mod",
          "go.sum",
          "pom.xml",
          "app/build.gradle.kts",
          "gradlew",
          "gradle/wrapper/gradle-wrapper.properties",
          "a.csproj",
          "Gemfile",
          "composer.json",
          "mix.exs",
          "docker-compose.yml",
          "compose.prod.yaml",
          "main.tf",
          ".gitmodules",
          ".gitattributes",
          "CLAUDE.md",
          "docs/AGENTS.md",
          ".github/copilot-instructions.md",
          ".env",
          ".env.production",
          "flake.nix",
          "mise.toml",
          "home/.bashrc",
          "test-home/.gitconfig",
          ".gdbinit",
          "renovate.json"});
    rows("shown",
         {"node_modules/a/index.js",
          "node_modules/a/package.json",
          "node_modules/a/.github/workflows/ci.yml",
          "node_modules/a/.vscode/settings.json",
          "node_modules/a/.envrc",
          "node_modules/a/.eslintrc",
          "packages/x/node_modules/.bin/tsc",
          ".venv/bin/python",
          "venv/lib/python3.11/site-packages/a.pth",
          "vendor/github.com/a/b/.travis.yml",
          "a/b_test.go",
          "tests/test_a.py",
          "src/a.test.ts",
          "Dockerfile",
          "Dockerfile.dev",
          "packaging/revet.service",
          "packaging/revet.desktop",
          "a.ipynb",
          ".nvmrc",
          "compile_commands.json"});
    rows("free",
         {"src/main.cpp",
          "README.md",
          "a.js",
          "index.ts",
          "lib/a.py",
          "docs/x.html",
          ".gitignore",
          ".editorconfig",
          ".clang-format",
          "data.json",
          ".vscode",
          ".claude",
          "vscode/tasks.json",
          ".github/ISSUE_TEMPLATE/bug.md",
          ".github/CODEOWNERS",
          "sub/.github/workflows/ci.yml",
          "sub/.travis.yml",
          ".claude/worktrees",
          ".claude/worktrees/w/src/main.cpp",
          ".env.example",
          ".aider.chat.history.md",
          ".aider.tags.cache.v4/cache.db",
          ".codexrc",
          "package.json.bak",
          "my-package.json",
          "Makefile/x",
          "build/CMakeCache.txt",
          "target/debug/build/x/out",
          "a/b/c/d/e/f/g",
          "xlefthook.yml",
          ".cargo/registry/x",
          "_deps/fmt-src/.github/workflows/ci.yml",
          "TASKS.md",
          ".envrc.example",
          ""});
}

void RunLaterTest::classifiesPaths()
{
    QFETCH(const QByteArray, expected);
    const auto match = m_table.match(QTest::currentDataTag());
    const std::string_view actual = match ? toString(match->cls) : "free";
    QCOMPARE(QByteArray(actual.data(), static_cast<int>(actual.size())), expected);
}

void RunLaterTest::namesTheEntry()
{
    QCOMPARE(m_table.match("a/.vscode/tasks.json")->entry, std::string("editors: .vscode/**"));
    QCOMPARE(m_table.match(".github/workflows/x.yml")->entry,
             std::string("continuous integration: /.github/workflows/**"));
}

void RunLaterTest::knowsDirectoriesThatCouldHoldPinnedFiles_data()
{
    QTest::addColumn<bool>("expected");
    const auto row = [](const char* path, bool expected) { QTest::newRow(path) << expected; };
    row(".vscode", true);
    row("a/.claude", true);
    row(".vscode/snippets", true);
    row(".github", true);
    row(".github/workflows", true);
    row("sub/.github", true); // .github/hooks floats
    row(".config", true);
    row(".config/systemd", true);
    row("src", false);
    row("a/b/c", false);
    row("node_modules/a/.vscode", false);
    row("node_modules", false);
    row(".claude/worktrees/w", false);
    row("x.code-workspace", false);
    row(".yarn", false);
}

void RunLaterTest::knowsDirectoriesThatCouldHoldPinnedFiles()
{
    QFETCH(const bool, expected);
    QCOMPARE(m_table.couldHoldPinned(QTest::currentDataTag()), expected);
}

void RunLaterTest::knowsWhatLiesInDependencies()
{
    QVERIFY(m_table.isForDependencies("node_modules/a"));
    QVERIFY(m_table.isForDependencies("x/.venv/lib/a"));
    QVERIFY(m_table.isForDependencies("node_modules"));
    QVERIFY(!m_table.isForDependencies("src/a"));
}

void RunLaterTest::pinsInEveryLetterCase()
{
    for (const char* const path : {".VSCODE/tasks.json", "a/.Envrc", "JENKINSFILE", ".GitHub/Workflows/x.yml",
                                   ".envrc.", ".vscode ./tasks.json"}) {
        const auto match = m_table.match(path);
        QVERIFY2(match && match->cls == RunLaterClass::Pinned, path);
    }
    QVERIFY(m_table.couldHoldPinned("a/.VSCODE"));
    QVERIFY(!m_table.match("MAKEFILE")); // only what is pinned
}

void RunLaterTest::pinsWhatAProjectAdds()
{
    const auto table = RunLaterTable(m_table).with({.pinned = {"Scripts/[hooks]", "node_modules/.hooks/x"},
                                                    .anywhere = {"Own/hooks", "vendor/run"},
                                                    .inGitdirs = {"Own/hooks"},
                                                    .workTrees = {"libs/w"},
                                                    .repositories = {"deep/nested"}});
    const auto isPinned = [&table](const char* path) {
        const auto match = table.match(path);
        return match && match->cls == RunLaterClass::Pinned;
    };
    for (const char* const path :
         {"Scripts/[hooks]", "Scripts/[hooks]/a/b", "scripts/[HOOKS]/x", "node_modules/.hooks/x",
          "deep/nested/Jenkinsfile", "deep/nested/.github/workflows/x.yml", ".envrc", "Jenkinsfile",
          "Own/hooks", "Own/hooks/a/b", "x/Own/hooks/y", "x/y/own/HOOKS", "node_modules/a/Own/hooks/x",
          "a/vendor/run", "vendor/b/vendor/run"}) {
        QVERIFY2(isPinned(path), path);
    }
    for (const char* const path : {"Scripts/h", "a/Scripts/[hooks]/x", "node_modules/.hooks/y", "libs/w",
                                   "libs/w/x", "deep/Jenkinsfile", "deep/nested/x/Jenkinsfile", "Own/x",
                                   "hooks/x", "xOwn/hooks", "node_modules/a/.envrc", "vendor/Own/x"}) {
        QVERIFY2(!isPinned(path), path);
    }
    QVERIFY(table.couldHoldPinned("libs") && table.couldHoldPinned("libs/w"));
    QVERIFY(table.couldHoldPinned("Scripts") && !table.couldHoldPinned("libs/w/x"));
    QVERIFY(table.couldHoldPinned("x/vendor/y/Own") && !table.couldHoldPinned("x/y"));
    for (const char* const inside : {"Own/hooks", "own/hooks/x", "wt/Own/hooks/x"}) {
        QVERIFY2(table.matchInGitdir(inside), inside);
        QVERIFY2(!m_table.matchInGitdir(inside), inside);
    }
    // Branches may have any name.
    for (const char* const inside :
         {"refs/heads/Own/hooks", "logs/refs/heads/Own/hooks", "Own", "vendor/run"}) {
        QVERIFY2(!table.matchInGitdir(inside), inside);
    }
    QVERIFY(!m_table.match("deep/nested/Jenkinsfile"));
}

void RunLaterTest::tellsWhatOfACheckedFileRunsCode()
{
    const auto manifest = m_table.check("packages/a/package.json");
    QVERIFY(manifest);
    QCOMPARE(manifest->format, std::string("json"));
    QVERIFY(std::find(manifest->runs.begin(), manifest->runs.end(), "scripts.**") != manifest->runs.end());
    QCOMPARE(m_table.check("Makefile")->format, std::string("any"));
    QVERIFY(!m_table.check("src/main.cpp"));
    QVERIFY(!m_table.check(".vscode/tasks.json"));
    QVERIFY(!m_table.check("node_modules/a/package.json"));
}

void RunLaterTest::takesTheStrictestClass()
{
    const auto table
        = RunLaterTable::parse("[[entry]]\ngroup='a'\nclass='shown'\npaths='x/**'\n"
                               "[[entry]]\ngroup='b'\nclass='pinned'\npaths='y'\n"
                               "[[entry]]\ngroup='c'\nclass='checked'\nformat='any'\npaths='y'\n");
    QVERIFY(table);
    QCOMPARE(table->match("x/y")->entry, std::string("b: y"));
    QCOMPARE(table->match("x/z")->entry, std::string("a: x/**"));
    QVERIFY(!RunLaterTable().match("x"));
}

void RunLaterTest::refusesMalformedTables_data()
{
    QTest::addColumn<QByteArray>("toml");
    QTest::addColumn<QByteArray>("where");
    const auto row = [](const char* tag, const char* toml, const char* where) {
        QTest::newRow(tag) << QByteArray(toml) << QByteArray(where);
    };
    row("no entries", "", "run-later.toml:");
    row("not TOML", "[[entry]]\ngroup = \n", "run-later.toml:2");
    row("unknown class", "[[entry]]\ngroup='a'\nclass='firm'\npaths='x'\n", "run-later.toml:3");
    row("unknown key", "[[entry]]\ngroup='a'\nclass='shown'\npaths='x'\nfoo=1\n", "run-later.toml:5");
    row("no paths", "[[entry]]\ngroup='a'\nclass='shown'\n", "run-later.toml:");
    row("bad pattern", "[[entry]]\ngroup='a'\nclass='shown'\npaths=['a[']\n", "run-later.toml:4");
    row("pattern that begins anywhere", "[[entry]]\ngroup='a'\nclass='shown'\npaths='**/x'\n",
        "run-later.toml:4");
    row("checked without a format", "[[entry]]\ngroup='a'\nclass='checked'\npaths='x'\n", "run-later.toml:");
    row("pinned with a format", "[[entry]]\ngroup='a'\nclass='pinned'\nformat='any'\npaths='x'\n",
        "run-later.toml:4");
    row("format without keys", "[[entry]]\ngroup='a'\nclass='checked'\nformat='json'\npaths='x'\n",
        "run-later.toml:");
    row("number for a text", "[[entry]]\ngroup=1\nclass='shown'\npaths='x'\n", "run-later.toml:2");
}

void RunLaterTest::refusesMalformedTables()
{
    QFETCH(const QByteArray, toml);
    QFETCH(const QByteArray, where);
    const auto table = RunLaterTable::parse(toml.toStdString());
    QVERIFY(!table);
    QVERIFY2(table.error().operation.starts_with(where.toStdString()), table.error().operation.c_str());
}

void RunLaterTest::refusesWhatIsCutOff()
{
    const std::string whole = m_table.compiled();
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        QVERIFY(!RunLaterTable::parse(whole.substr(0, size)));
    }
    QVERIFY(!RunLaterTable::parse(whole + '\0'));
}

void RunLaterTest::survivesEveryDamage()
{
    const std::string whole = m_table.compiled();
    for (std::size_t i = 0; i < whole.size(); i += 5) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
        if (const auto table = RunLaterTable::parse(damaged)) {
            static_cast<void>(table->match("a/.git/hooks/x.service").has_value());
            static_cast<void>(table->couldHoldPinned("a/.vscode"));
        }
    }
}

void RunLaterTest::answersForAnOrdinaryPathInAboutAMicrosecond()
{
    constexpr std::array<std::string_view, 4> kPaths
        = {"src/engine/policy/run_later.cpp", "build/CMakeFiles/x.dir/main.cpp.o", "a.txt",
           "packages/web/components/Button.tsx"};
    constexpr int kRounds = 20000;
    int matches = 0;
    // Processor time, since other tests may run beside this one.
    const std::clock_t begin = std::clock();
    for (int i = 0; i < kRounds; ++i) {
        for (const std::string_view path : kPaths) {
            matches += m_table.match(path) ? 1 : 0;
        }
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double nanoseconds = seconds * 1e9 / (kRounds * static_cast<double>(kPaths.size()));
    qInfo("%.0f ns a path", nanoseconds);
    QCOMPARE(matches, 0);
    // An optimised build takes about 0.2 µs; sanitizers and a busy machine get their share.
    QVERIFY(nanoseconds < 20000);
}

QTEST_APPLESS_MAIN(RunLaterTest)
#include "tst_run_later.moc"
