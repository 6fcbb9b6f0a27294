// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/catalogue.h"
#include "tests/engine/journal/journal_fixture.h"

#include <fstream>
#include <set>
#include <thread>

#include <sys/stat.h>

namespace revet::journal::test {

class TestCatalogue : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsAProjectOnce();
    void keepsEveryFieldOfASession();
    void listsTheSessionsOfOneProject();
    void givesDifferentIdsToManyProcessesAtOnce();
    void saysWhatToDoAboutADamagedFile();
    void belongsToItsOwnerOnly();
    void refusesToUpdateWhatIsNotThere();
};

void TestCatalogue::keepsAProjectOnce()
{
    const QTemporaryDir folder;
    auto catalogue = Catalogue::open(pathIn(folder, "catalogue.db"));
    REVET_VERIFY(catalogue);
    ProjectRecord project;
    project.path = "/home/dev/pro\xffject";
    project.device = ~std::uint64_t{0};
    project.inode = 42;
    project.created = sampleSession().started;
    const auto first = catalogue->addProject(project);
    REVET_VERIFY(first);
    project.inode = 43;
    const auto second = catalogue->addProject(project);
    REVET_VERIFY(second);
    QCOMPARE(second->id, first->id);
    QCOMPARE(second->inode, std::uint64_t{42});
    QCOMPARE(second->device, ~std::uint64_t{0});
    ProjectRecord changed = *first;
    changed.trustedHash = "abc";
    changed.settingsFile = "project.toml";
    REVET_VERIFY(catalogue->updateProject(changed));
    const auto found = catalogue->projectAt(project.path);
    REVET_VERIFY(found);
    QVERIFY(found->has_value());
    QCOMPARE((*found)->trustedHash, std::string("abc"));
    QCOMPARE((*found)->settingsFile, std::string("project.toml"));
    QVERIFY((*found)->created == project.created);
    QCOMPARE(catalogue->projects()->size(), std::size_t{1});
    QVERIFY(!catalogue->projectAt("/elsewhere")->has_value());
}

void TestCatalogue::keepsEveryFieldOfASession()
{
    const QTemporaryDir folder;
    auto catalogue = Catalogue::open(pathIn(folder, "catalogue.db"));
    REVET_VERIFY(catalogue);
    SessionInfo session = sampleSession();
    const auto id = catalogue->addSession(session);
    REVET_VERIFY(id);
    session.id = *id;
    session.state = SessionState::Review;
    session.ended = session.started + std::chrono::seconds(5);
    session.waitStatus = 139;
    session.endReason = "stopped";
    session.sessionPid = 77;
    session.reached = Reach::Machine;
    session.events = 123'456'789'012;
    session.asksPending = 3;
    REVET_VERIFY(catalogue->updateSession(session));
    const auto found = catalogue->session(*id);
    REVET_VERIFY(found);
    QVERIFY(found->has_value());
    const SessionInfo& kept = **found;
    QCOMPARE(kept.id.text(), session.id.text());
    QCOMPARE(kept.label, session.label);
    QCOMPARE(kept.state, session.state);
    QCOMPARE(kept.project, session.project);
    QCOMPARE(kept.tier, session.tier);
    QCOMPARE(kept.observe, session.observe);
    QCOMPARE(kept.command, session.command);
    QVERIFY(kept.started == session.started);
    QVERIFY(kept.ended == session.ended);
    QCOMPARE(kept.waitStatus.value_or(0), 139);
    QCOMPARE(kept.endReason, session.endReason);
    QCOMPARE(kept.sessionPid, 77);
    QCOMPARE(kept.reached, session.reached);
    QCOMPARE(kept.events, session.events);
    QCOMPARE(kept.asksPending, session.asksPending);
    REVET_VERIFY(catalogue->removeSession(*id));
    QCOMPARE(catalogue->sessions()->size(), std::size_t{0});
    QVERIFY(!catalogue->session(*id)->has_value());
}

void TestCatalogue::listsTheSessionsOfOneProject()
{
    const QTemporaryDir folder;
    auto catalogue = Catalogue::open(pathIn(folder, "catalogue.db"));
    REVET_VERIFY(catalogue);
    SessionInfo session = sampleSession();
    QVERIFY(catalogue->addSession(session).has_value());
    session.project = "/other";
    session.started += std::chrono::seconds(1);
    QVERIFY(catalogue->addSession(session).has_value());
    session.label = "newest";
    session.started += std::chrono::seconds(1);
    QVERIFY(catalogue->addSession(session).has_value());
    QCOMPARE(catalogue->sessions()->size(), std::size_t{3});
    const auto others = catalogue->sessions("/other");
    REVET_VERIFY(others);
    QCOMPARE(others->size(), std::size_t{2});
    QCOMPARE(others->back().label, std::string("newest"));
}

void TestCatalogue::givesDifferentIdsToManyProcessesAtOnce()
{
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "catalogue.db");
    std::vector<std::vector<std::string>> ids(4);
    std::vector<std::thread> threads;
    for (auto& mine : ids) { // a connection each, as processes have; the file is created by one of them
        threads.emplace_back([&mine, &file] {
            auto catalogue = Catalogue::open(file);
            for (int i = 0; i < 25 && catalogue; ++i) {
                const auto id = catalogue->addSession(sampleSession());
                mine.push_back(id ? id->text() : toString(id.error()));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::set<std::string> all;
    for (const auto& mine : ids) {
        all.insert(mine.begin(), mine.end());
    }
    QCOMPARE(all.size(), std::size_t{100});
    auto catalogue = Catalogue::open(file);
    REVET_VERIFY(catalogue);
    QCOMPARE(catalogue->sessions()->size(), std::size_t{100});
}

void TestCatalogue::saysWhatToDoAboutADamagedFile()
{
    const QTemporaryDir folder;
    const auto file = pathIn(folder, "catalogue.db");
    std::ofstream(file) << std::string(8192, 'x');
    const auto catalogue = Catalogue::open(file);
    QVERIFY(!catalogue);
    const std::string text = toString(catalogue.error());
    QVERIFY2(text.find(file.string()) != std::string::npos, text.c_str());
    QVERIFY2(text.find("move it away") != std::string::npos, text.c_str());
}

void TestCatalogue::belongsToItsOwnerOnly()
{
    const QTemporaryDir folder;
    QVERIFY(Catalogue::open(pathIn(folder, "catalogue.db")).has_value());
    struct stat status = {};
    QCOMPARE(::stat(pathIn(folder, "catalogue.db").c_str(), &status), 0);
    QCOMPARE(status.st_mode & 07777U, 0600U);
}

void TestCatalogue::refusesToUpdateWhatIsNotThere()
{
    const QTemporaryDir folder;
    auto catalogue = Catalogue::open(pathIn(folder, "catalogue.db"));
    REVET_VERIFY(catalogue);
    QCOMPARE(catalogue->updateSession(sampleSession()).error().code, ErrorCode::NotFound);
    QCOMPARE(catalogue->removeSession(sampleSession().id).error().code, ErrorCode::NotFound);
    ProjectRecord project;
    project.id = 5;
    QCOMPARE(catalogue->updateProject(project).error().code, ErrorCode::NotFound);
}

} // namespace revet::journal::test

QTEST_APPLESS_MAIN(revet::journal::test::TestCatalogue)
#include "tst_catalogue.moc"
