// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/hidden_files.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <algorithm>
#include <set>

#include <sys/stat.h>

using namespace revet;
namespace fs = std::filesystem;

class HiddenFilesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<test::TempHome>();
        for (const char* const name : {".env", "src/.env", "certs/a.pem", "certs/b.pem", "src/main.c"}) {
            test::writeFile(m_home->project() / name, "x");
        }
        auto table = policy::HiddenNames::parse(
            "group = []\n[project]\nwhy = \"test\"\npaths = [\".env\", \"*.pem\"]\n");
        QVERIFY2(table, table ? "" : toString(table.error()).c_str());
        m_table = std::move(*table);
    }

    void findsSecretsByName()
    {
        QCOMPARE(hidden({}), (std::vector<std::string>{".env", "certs/a.pem", "certs/b.pem", "src/.env"}));
    }

    void showsWhatIsNamed_data()
    {
        QTest::addColumn<QByteArray>("unhide");
        QTest::addColumn<int>("left");
        QTest::newRow("a file") << QByteArray(".env") << 3;
        QTest::newRow("a directory") << QByteArray("certs") << 2;
        QTest::newRow("a glob") << QByteArray("certs/*.pem") << 2;
        QTest::newRow("a glob that names one") << QByteArray("certs/a*") << 3;
        QTest::newRow("a glob at any depth") << QByteArray("**/.env") << 2;
        QTest::newRow("a name that only begins so") << QByteArray("cert") << 4;
        QTest::newRow("no glob") << QByteArray("certs/[") << 4;
    }

    void showsWhatIsNamed()
    {
        QFETCH(const QByteArray, unhide);
        QFETCH(const int, left);
        QCOMPARE(hidden({(m_home->project() / unhide.toStdString()).string()}).size(),
                 static_cast<std::size_t>(left));
    }

    void remembersWhatWasHidden()
    {
        const fs::path memory = m_home->project() / "memory";
        QVERIFY(session::readHiddenBefore(memory)->empty());
        QVERIFY(session::addHiddenBefore(memory, {"certs"}).has_value());
        QVERIFY(session::addHiddenBefore(memory, {"gone", "src/plain"}).has_value());
        const auto before = session::readHiddenBefore(memory);
        QCOMPARE(*before, (std::set<std::string>{"certs", "gone", "src/plain"}));
        test::writeFile(m_home->project() / "src/plain", "x");
        const auto found = session::findHiddenFiles(m_home->project(), m_table, {}, *before);
        // What is gone is not looked for, and what is in a hidden directory is hidden with it.
        QCOMPARE(found->names, (std::set<std::string>{".env", "certs", "src/.env", "src/plain"}));
    }

    void takesABrokenIndexForNone()
    {
        test::writeFile(m_home->project() / ".git/index", "DIRC and nothing that is one");
        const auto found = session::findHiddenFiles(m_home->project(), m_table, {});
        QVERIFY(found.has_value());
        QVERIFY(!found->isIndexRead);
        QCOMPARE(found->paths.size(), std::size_t{4});
    }

    void looksAtALargeProject()
    {
        for (int i = 0; i < 4500; ++i) {
            test::writeFile(m_home->project() / ("junk" + std::to_string(i)), "");
        }
        const auto found = session::findHiddenFiles(m_home->project(), m_table, {});
        QVERIFY(found->isComplete);
        QCOMPARE(found->paths.size(), std::size_t{4});
    }

    void saysWhatItCouldNotLookAt()
    {
        const fs::path closed = m_home->project() / "closed";
        test::writeFile(closed / ".env", "x");
        QCOMPARE(::chmod(closed.c_str(), 0), 0);
        const auto found = session::findHiddenFiles(m_home->project(), m_table, {});
        ::chmod(closed.c_str(), 0700);
        QVERIFY(found.has_value());
        QVERIFY(!found->isComplete);
        QCOMPARE(found->paths.size(), std::size_t{4}); // the others all the same
        QVERIFY(session::findHiddenFiles(m_home->project(), m_table, {})->isComplete);
    }

private:
    [[nodiscard]] std::vector<std::string> hidden(const std::vector<std::string>& unhide)
    {
        const auto found = session::findHiddenFiles(m_home->project(), m_table, unhide);
        std::vector<std::string> names;
        for (const std::string& path : found ? found->paths : std::vector<std::string>()) {
            names.push_back(path.substr(m_home->project().string().size() + 1));
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    std::unique_ptr<test::TempHome> m_home;
    policy::HiddenNames m_table;
};

QTEST_APPLESS_MAIN(HiddenFilesTest)
#include "tst_hidden_files.moc"
