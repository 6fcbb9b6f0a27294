// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_rules.h"

#include <QTest>

#include <set>

using namespace revet::policy;

Q_DECLARE_METATYPE(revet::policy::GitEntry)

class GitRulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void splitsPathsAtTheInnermostGitdir_data();
    void splitsPathsAtTheInnermostGitdir();
    void classifiesEntries_data();
    void classifiesEntries();
    void knowsTheShapeOfAGitdir();
    void knowsNamesThatMatterInARename();
    void judgesCommondirs();
    void judgesAlternates();
};

void GitRulesTest::splitsPathsAtTheInnermostGitdir_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("gitdir"); // empty: not below one
    QTest::addColumn<QByteArray>("inside");
    const auto row = [](const char* path, const char* gitdir, const char* inside) {
        QTest::newRow(path) << QByteArray(path) << QByteArray(gitdir) << QByteArray(inside);
    };
    row(".git", ".git", "");
    row(".git/config", ".git", "config");
    row(".git/refs/heads/config", ".git", "refs/heads/config");
    row("a/b/.git/hooks/pre-commit", "a/b/.git", "hooks/pre-commit");
    row("src/main.cpp", "", "");
    row(".github/workflows/ci.yml", "", "");
    row("a.git/config", "", "");
    row(".gitignore", "", "");
    row(".GIT/config", ".GIT", "config");
    row("./.git//config", ".git", "config");
    row(".git./config", ".git.", "config");
    row("git~1/config", "git~1", "config");
    row(".git::$INDEX/config", ".git::$INDEX", "config");
    row(".git/modules", ".git", "modules");
    row(".git/modules/x", ".git/modules/x", "");
    row(".git/modules/x/config", ".git/modules/x", "config");
    row(".git/modules/x/config.lock", ".git/modules/x", "config.lock");
    row(".git/modules/lib/x/config", ".git/modules/lib/x", "config");
    row(".git/modules/lib/x/hooks/post-checkout", ".git/modules/lib/x", "hooks/post-checkout");
    row(".git/modules/hooks/config", ".git/modules/hooks", "config");
    row(".git/modules/x/refs/heads/config", ".git/modules/x", "refs/heads/config");
    row(".git/modules/x/modules/y/config", ".git/modules/x/modules/y", "config");
    row(".git/worktrees", ".git", "worktrees");
    row(".git/worktrees/w", ".git/worktrees/w", "");
    row(".git/worktrees/w/commondir", ".git/worktrees/w", "commondir");
    row(".git/worktrees/w/config.worktree", ".git/worktrees/w", "config.worktree");
    row(".git/modules/x/worktrees/w/config.worktree", ".git/modules/x/worktrees/w", "config.worktree");
    row("sub/.git/x/.git/config", "sub/.git/x/.git", "config");
}

void GitRulesTest::splitsPathsAtTheInnermostGitdir()
{
    QFETCH(const QByteArray, path);
    QFETCH(const QByteArray, gitdir);
    QFETCH(const QByteArray, inside);
    GitSplit split;
    QCOMPARE(isBelowGitdir(path.toStdString(), &split), !gitdir.isEmpty());
    QCOMPARE(QByteArray::fromStdString(split.gitdir), gitdir);
    QCOMPARE(QByteArray::fromStdString(split.inside), inside);
}

void GitRulesTest::classifiesEntries_data()
{
    QTest::addColumn<GitEntry>("expected");
    const auto row = [](const char* entry, GitEntry expected) { QTest::newRow(entry) << expected; };
    row("", GitEntry::Ordinary);
    row("HEAD", GitEntry::Ordinary);
    row("index", GitEntry::Ordinary);
    row("objects/ab/cdef", GitEntry::Ordinary);
    row("refs/heads/hooks/x", GitEntry::Ordinary);
    row("logs/HEAD", GitEntry::Ordinary);
    row("info/exclude", GitEntry::Ordinary);
    row("info/sparse-checkout", GitEntry::Ordinary);
    row("hooks/pre-commit.sample", GitEntry::Ordinary);
    row("config.lock", GitEntry::Ordinary);
    row("config", GitEntry::Config);
    row("CONFIG", GitEntry::Config);
    row("config.worktree", GitEntry::Config);
    row("hooks", GitEntry::DirectoryOnly);
    row("info", GitEntry::DirectoryOnly);
    row("modules", GitEntry::DirectoryOnly);
    row("worktrees", GitEntry::DirectoryOnly);
    row("objects/info", GitEntry::DirectoryOnly);
    row("hooks/pre-commit", GitEntry::Protected);
    row("Hooks/pre-commit", GitEntry::Protected);
    row("hooks/a/b", GitEntry::Protected);
    row("hooks/a.sample/b", GitEntry::Protected);
    row("hooks./pre-commit", GitEntry::Protected);
    row("info/attributes", GitEntry::Protected);
    row("info/ATTRIBUTES", GitEntry::Protected);
    row("remotes/origin", GitEntry::Protected);
    row("branches/x", GitEntry::Protected);
    row("commondir", GitEntry::CommonDir);
    row("objects/info/alternates", GitEntry::Alternates);
    row("objects/info/packs", GitEntry::Ordinary);
}

void GitRulesTest::classifiesEntries()
{
    QFETCH(const GitEntry, expected);
    QCOMPARE(classifyGitEntry(QTest::currentDataTag()), expected);
}

void GitRulesTest::knowsTheShapeOfAGitdir()
{
    const auto shape = [](std::set<std::string_view> entries) {
        return hasGitdirShape([&](std::string_view entry) { return entries.contains(entry); });
    };
    QVERIFY(shape({"HEAD", "objects", "refs"}));
    QVERIFY(shape({"HEAD", "commondir", "gitdir"}));
    QVERIFY(shape({"HEAD", "commondir"}));
    QVERIFY(shape({"objects", "refs"})); // what a commondir leads to
    QVERIFY(!shape({"commondir", "refs"}));
    QVERIFY(!shape({"HEAD", "refs"}));
    QVERIFY(!shape({"HEAD", "objects"}));
    for (const char* name : {"HEAD", "objects", "refs", "commondir", "gitdir", "config"}) {
        QVERIFY2(completesGitdirShape(name), name);
    }
    QVERIFY(!completesGitdirShape("README"));
}

void GitRulesTest::knowsNamesThatMatterInARename()
{
    for (const char* name : {".git", ".Git", "hooks", "info", "modules", "worktrees"}) {
        QVERIFY2(isGitStructureName(name), name);
    }
    for (const char* name : {"src", ".github", "hooks2", "git"}) {
        QVERIFY2(!isGitStructureName(name), name);
    }
}

void GitRulesTest::judgesCommondirs()
{
    QVERIFY(isHarmlessCommonDir(".git/worktrees/w", "../..\n"));
    QVERIFY(isHarmlessCommonDir("sub/.git/worktrees/w", "../.."));
    QVERIFY(!isHarmlessCommonDir(".git/worktrees/w", "/tmp/evil\n"));
    QVERIFY(!isHarmlessCommonDir(".git/worktrees/w", "../../x\n"));
    QVERIFY(!isHarmlessCommonDir(".git/worktrees/w", "../..\n\n"));
    QVERIFY(!isHarmlessCommonDir(".git", "../.."));
    QVERIFY(!isHarmlessCommonDir("bare", "../.."));
}

void GitRulesTest::judgesAlternates()
{
    const auto isInside
        = [](std::string_view line) { return line.find("outside") == std::string_view::npos; };
    QVERIFY(areHarmlessAlternates("", isInside));
    QVERIFY(areHarmlessAlternates("../../a/.git/objects\n# comment\n", isInside));
    QVERIFY(!areHarmlessAlternates("../a\n/outside/objects\n", isInside));
    QVERIFY(!areHarmlessAlternates("\"quoted\\057\"\n", isInside));
    QVERIFY(!areHarmlessAlternates("../outside", isInside));
}

QTEST_APPLESS_MAIN(GitRulesTest)
#include "tst_git_rules.moc"
