// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/project_settings.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <sys/stat.h>

using namespace revet;
using session::ProjectSettings;

class ProjectSettingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<test::TempHome>();
        m_places.config = m_home->home() / ".config/revet";
        m_places.data = m_home->dataHome() / "revet";
        QVERIFY(makePrivateDirectory(m_places.data).has_value());
        auto catalogue = journal::Catalogue::open(m_places.catalogue());
        QVERIFY(catalogue.has_value());
        m_catalogue = std::make_unique<journal::Catalogue>(std::move(*catalogue));
    }

    void takesOnlyTheTighterOfAnUntrustedFile()
    {
        writeRepositoryFile("tier = 'container'\nbind_rw = ['/etc']\nallow_hosts = ['example.org']\n");
        const auto settings = load();
        QVERIFY(settings.has_value());
        QCOMPARE(settings->repository, ProjectSettings::Repository::Untrusted);
        QCOMPARE(settings->effective.settings().tier, std::optional(Tier::Container));
        QVERIFY(settings->effective.settings().bindRw.empty());
        QCOMPARE(settings->ignored,
                 (std::vector<std::string>{"bind_rw = /etc", "allow_hosts = example.org"}));
    }

    void trustsTheExactContentOnly()
    {
        writeRepositoryFile("bind_rw = ['/etc']\n");
        QVERIFY(load().has_value());
        const auto offer = session::repositoryOffer(m_places, *m_catalogue, m_home->project());
        QVERIFY(offer.has_value());
        QCOMPARE(offer->effective.bindRw.front().source, std::string(".revet.toml"));
        writeRepositoryFile("bind_rw = ['/']\n"); // behind the back of who looks
        const auto trust
            = [&] { return session::trustRepositorySettings(*m_catalogue, m_home->project(), offer->hash); };
        QCOMPARE(trust().error().code, ErrorCode::Conflict);
        QVERIFY(load()->effective.settings().bindRw.empty());
        writeRepositoryFile("bind_rw = ['/etc']\n");
        QVERIFY(trust().has_value());
        QCOMPARE(load()->effective.settings().bindRw, std::vector<std::string>{"/etc"});
        writeRepositoryFile("bind_rw = ['/etc', '/var']\n");
        QVERIFY(load()->effective.settings().bindRw.empty());
    }

    void ignoresAnUntrustedFileThatItCannotUse()
    {
        for (const char* const text :
             {"garbage = = [", "tier = 'vm'\n", "tier = 'airgap'\n", "tier = 'remote'\n"}) {
            writeRepositoryFile(text);
            const auto settings = load();
            QVERIFY2(settings.has_value(), text);
            QCOMPARE(settings->ignored.size(), std::size_t{1});
            QVERIFY(!settings->effective.settings().tier);
        }
        const auto file = m_home->project() / ".revet.toml";
        std::filesystem::remove(file);
        QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
        QVERIFY(load().has_value());
        QCOMPARE(load()->ignored.size(), std::size_t{1});
        QVERIFY(!session::repositoryOffer(m_places, *m_catalogue, m_home->project()));
    }

    void refusesWhatNothingEnforces_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("limits") << QByteArray("[limits]\nmemory = '1G'\n");
        QTest::newRow("tier") << QByteArray("tier = 'vm'\n");
    }

    void refusesWhatNothingEnforces()
    {
        QFETCH(const QByteArray, text);
        QVERIFY(load().has_value());
        writeRepositoryFile(text.toStdString());
        // A box may have written that: it is said, and no later session is kept from starting.
        const auto untrusted = load();
        QVERIFY(untrusted.has_value());
        QCOMPARE(untrusted->ignored.size(), std::size_t{1});
        QVERIFY(!session::repositoryOffer(m_places, *m_catalogue, m_home->project()));
        writeRepositoryFile("");
        test::writeFile(m_places.config / "config.toml", text.toStdString());
        QVERIFY(!load());
    }

private:
    void writeRepositoryFile(const std::string& text)
    {
        test::writeFile(m_home->project() / ".revet.toml", text);
    }
    [[nodiscard]] Result<ProjectSettings> load()
    {
        return session::loadProjectSettings(m_places, *m_catalogue, m_home->project());
    }

    std::unique_ptr<test::TempHome> m_home;
    Places m_places;
    std::unique_ptr<journal::Catalogue> m_catalogue;
};

QTEST_APPLESS_MAIN(ProjectSettingsTest)
#include "tst_project_settings.moc"
