// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"
#include "engine/workspace/staged_index.h"
#include "tests/support/temp_home.h"

#include <QProcess>
#include <QTest>

#include <fcntl.h>

using namespace revet;
using namespace revet::workspace;

/// Indexes that git itself writes: which of them stage the same.
class StagedIndexTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_home = std::make_unique<test::TempHome>(); }

    void isTheSameForTheSameContent_data()
    {
        QTest::addColumn<QByteArray>("begin");
        const QByteArray commit
            = QByteArray("git init -q; seq 300 | while read i; do echo $i > file-$i; done; "
                         "mkdir -p a/b; echo x > a/b/c; git add -A; git commit -qm 1; ");
        QTest::newRow("version 2") << commit;
        QTest::newRow("version 3") << commit + QByteArray("echo n > new; git add -N new; ");
        QTest::newRow("version 4") << commit + QByteArray("git update-index --index-version 4; ");
        QTest::newRow("conflict") << commit
                + QByteArray("git checkout -qb b; echo b > file-1; git commit -qam b; git checkout -q -; "
                             "echo c > file-1; git commit -qam c; ! git merge -q b; ");
        QTest::newRow("a long name")
            << commit
                + QByteArray(
                    "d=$(printf 'd%.0s' $(seq 250)); mkdir -p $d/$d/$d/$d/$d/$d/$d/$d/$d/$d/$d/$d/$d/$d/$d; "
                    "(cd $d; cd $d; cd $d; cd $d; cd $d; cd $d; cd $d; cd $d; cd $d; cd $d; cd $d; "
                    "cd $d; cd $d; cd $d; cd $d; echo x > $d); git add -A; git update-index --index-version "
                    "4;");
        QTest::newRow("SHA-256") << QByteArray(
            "git init -q --object-format=sha256; echo a > file-1; echo b > file-2; git add -A; ");
    }
    void isTheSameForTheSameContent()
    {
        QFETCH(const QByteArray, begin);
        sh(begin);
        const std::string first = index();
        const std::string staged = stagedBy(first);
        QVERIFY(!staged.empty());

        sh("touch -d 2001-02-03 file-2; git status");
        QVERIFY(index() != first);
        QCOMPARE(stagedBy(index()), staged);

        sh("echo other > file-2; git status");
        QCOMPARE(stagedBy(index()), staged);
        sh("git add file-2");
        QVERIFY(stagedBy(index()) != staged);
    }

    void seesEveryChange_data()
    {
        QTest::addColumn<QByteArray>("change");
        for (const char* const change :
             {"git rm -q --cached file-1", "git update-index --chmod=+x file-1", "git mv file-1 file-0",
              "git update-index --assume-unchanged file-1", "git update-index --skip-worktree file-1",
              "echo n > new; git add -N new", "rm file-1; ln -s x file-1; git add file-1"}) {
            QTest::newRow(change) << QByteArray(change);
        }
    }
    void seesEveryChange()
    {
        QFETCH(const QByteArray, change);
        sh("git init -q; echo 1 > file-1; echo 2 > file-2; git add -A");
        const std::string staged = stagedBy(index());
        sh(change);
        QVERIFY(!stagedBy(index()).empty());
        QVERIFY(stagedBy(index()) != staged);
    }

    void knowsNothingOfWhatDoesNotStandAlone()
    {
        sh("git init -q; echo 1 > file-1; git add -A; git update-index --split-index");
        QCOMPARE(stagedBy(index()), std::string());
        QCOMPARE(stagedBy(""), std::string());
        QCOMPARE(stagedBy("DIRC"), std::string());
        QCOMPARE(stagedBy(std::string("DIRC\0\0\0\5\0\0\0\0", 12) + std::string(20, 'x')), std::string());
    }

    void survivesAnyBytes()
    {
        sh("git init -q; echo 1 > file-1; mkdir d; echo 2 > d/file-2; git add -A; git update-index "
           "--index-version 4");
        const std::string whole = index();
        const std::string staged = stagedBy(whole);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            QVERIFY2(stagedBy(std::string_view(whole).substr(0, length)) != staged,
                     std::to_string(length).c_str());
        }
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (const char bits : {'\x01', '\x7f', '\x80'}) {
                std::string changed = whole;
                changed[at] = static_cast<char>(changed[at] ^ bits);
                static_cast<void>(stagedBy(changed)); // the sanitizers judge
            }
        }
    }

    void doesNotSwellWithNamesThatCostNothing()
    {
        // Version 4: each entry says again what the first one spelt.
        constexpr std::size_t kEntries = 8000;
        std::string index("DIRC\0\0\0\4\0\0\x1f\x40", 12);
        for (std::size_t i = 0; i < kEntries; ++i) {
            index += std::string(40 + 20, '\1') + "\x0f\xff" + std::string(1, '\0')
                + (i == 0 ? std::string(100'000, 'x') : std::string()) + std::string(1, '\0');
        }
        QCOMPARE(stagedBy(index + std::string(20, '\2')), std::string());
    }

    void readsOnlyIndexes()
    {
        sh("git init -q; echo 1 > file-1; git add -A; cp .git/index copy; ln -s .git/index link; "
           "mkdir d e; ln -s ../.git/index d/index; mkfifo e/index");
        const UniqueFd top(::open(m_home->project().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        QCOMPARE(stagedAt(top.get(), ".git/index"), stagedBy(index()));
        for (const char* const path : {"copy", "link", "d/index", "e/index", "nowhere/index"}) {
            QVERIFY2(stagedAt(top.get(), path).empty(), path);
        }
    }

private:
    void sh(const char* script) const
    {
        QProcess shell;
        shell.setWorkingDirectory(QString::fromStdString(m_home->project()));
        QProcessEnvironment environment;
        for (const auto& [name, value] : m_home->environment()) {
            environment.insert(QString::fromStdString(name), QString::fromStdString(value));
        }
        for (const char* const who : {"AUTHOR", "COMMITTER"}) {
            environment.insert(QStringLiteral("GIT_%1_NAME").arg(QLatin1String(who)), QStringLiteral("a"));
            environment.insert(QStringLiteral("GIT_%1_EMAIL").arg(QLatin1String(who)), QStringLiteral("a@b"));
        }
        shell.setProcessEnvironment(environment);
        shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-ec"), QString::fromUtf8(script)});
        QVERIFY(shell.waitForFinished());
        QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError().constData());
    }
    [[nodiscard]] std::string index() const { return test::readFile(m_home->project() / ".git/index"); }

    std::unique_ptr<test::TempHome> m_home;
};

QTEST_GUILESS_MAIN(StagedIndexTest)
#include "tst_staged_index.moc"
