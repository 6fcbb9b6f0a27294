// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"
#include "engine/journal/remove_tree.h"
#include "engine/journal/retention.h"
#include "tests/engine/journal/journal_fixture.h"

#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace revet::journal::test {

namespace {

const WallTime kNow = sampleSession().started + 24h * 365;

bool keepNone(const SessionInfo& /*unused*/)
{
    return false;
}

} // namespace

class TestRetention : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void plansNothingBeforeTheFirstSession();
    void plansWhatIsTooOldOnly();
    void plansTheOldestUntilTheRestFits();
    void neverTakesARunningOrUndecidedSession();
    void removesDirectoryAndEntry();
    void removesHostileTreesWithoutFollowingLinks();
    void removesTreesDeeperThanTheDescriptorLimit();
    void leavesALinkInPlaceOfASessionAlone();

private:
    SessionId addSession(std::chrono::hours age, std::size_t bytes, SessionState state = SessionState::Ended);
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_sessions;
    std::optional<Catalogue> m_catalogue;
};

void TestRetention::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_sessions = pathIn(*m_folder, "sessions");
    std::filesystem::create_directory(m_sessions);
    m_catalogue.emplace(std::move(*Catalogue::open(pathIn(*m_folder, "catalogue.db"))));
}

SessionId TestRetention::addSession(std::chrono::hours age, std::size_t bytes, SessionState state)
{
    SessionInfo session = sampleSession();
    session.started = kNow - age - 1h;
    session.ended = kNow - age;
    session.state = state;
    const SessionId id = m_catalogue->addSession(session).value_or(SessionId());
    std::filesystem::create_directory(m_sessions / id.text());
    std::ofstream(m_sessions / id.text() / "journal.db") << std::string(bytes, 'j');
    return id;
}

void TestRetention::plansNothingBeforeTheFirstSession()
{
    std::filesystem::remove(m_sessions);
    const auto plan = planPrune(*m_catalogue, m_sessions, {}, kNow, keepNone);
    REVET_VERIFY(plan);
    QVERIFY(plan->empty());
}

void TestRetention::plansWhatIsTooOldOnly()
{
    const SessionId old = addSession(24h * 181, 100);
    addSession(24h * 179, 100);
    const auto plan = planPrune(*m_catalogue, m_sessions, {}, kNow, keepNone);
    REVET_VERIFY(plan);
    QCOMPARE(plan->size(), std::size_t{1});
    QCOMPARE(plan->front().session.id.text(), old.text());
    QCOMPARE(plan->front().reason, PruneItem::Reason::TooOld);
    QVERIFY(std::filesystem::exists(m_sessions / old.text()));
}

void TestRetention::plansTheOldestUntilTheRestFits()
{
    const SessionId newest = addSession(1h, 100'000);
    const SessionId oldest = addSession(3h, 100'000);
    const SessionId middle = addSession(2h, 100'000);
    RetentionLimits limits;
    limits.bytes = 150'000;
    const auto plan = planPrune(*m_catalogue, m_sessions, limits, kNow, keepNone);
    REVET_VERIFY(plan);
    QCOMPARE(plan->size(), std::size_t{2});
    QCOMPARE(plan->at(0).session.id.text(), oldest.text());
    QCOMPARE(plan->at(1).session.id.text(), middle.text());
    QCOMPARE(plan->at(1).reason, PruneItem::Reason::OverBudget);
    QVERIFY(plan->at(0).bytes >= 100'000);
    Q_UNUSED(newest)
}

void TestRetention::neverTakesARunningOrUndecidedSession()
{
    addSession(24h * 300, 100, SessionState::Running);
    addSession(24h * 300, 100, SessionState::Paused);
    const SessionId undecided = addSession(24h * 300, 100, SessionState::Review);
    const auto keep = [&undecided](const SessionInfo& session) { return session.id == undecided; };
    RetentionLimits limits;
    limits.bytes = 0;
    const auto plan = planPrune(*m_catalogue, m_sessions, limits, kNow, keep);
    REVET_VERIFY(plan);
    QCOMPARE(plan->size(), std::size_t{0});
    // Planned while nobody needed it, needed again when its turn comes.
    const auto early = planPrune(*m_catalogue, m_sessions, limits, kNow, keepNone);
    REVET_VERIFY(early);
    QCOMPARE(early->size(), std::size_t{1});
    const auto refused = prune(*m_catalogue, m_sessions, early->front(), keep);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Conflict);
    QVERIFY(std::filesystem::exists(m_sessions / undecided.text()));
}

void TestRetention::removesDirectoryAndEntry()
{
    const SessionId old = addSession(24h * 181, 100);
    const SessionId young = addSession(1h, 100);
    const auto plan = planPrune(*m_catalogue, m_sessions, {}, kNow, keepNone);
    REVET_VERIFY(plan);
    REVET_VERIFY(prune(*m_catalogue, m_sessions, plan->front(), keepNone));
    QVERIFY(!std::filesystem::exists(m_sessions / old.text()));
    QVERIFY(std::filesystem::exists(m_sessions / young.text()));
    QCOMPARE(m_catalogue->sessions()->size(), std::size_t{1});
}

void TestRetention::removesHostileTreesWithoutFollowingLinks()
{
    const SessionId id = addSession(24h * 181, 100);
    const auto precious = pathIn(*m_folder, "precious");
    std::filesystem::create_directory(precious);
    std::ofstream(precious / "file") << "keep me";
    const auto layer = m_sessions / id.text() / "layer";
    std::filesystem::create_directories(layer / "closed" / "inner");
    std::ofstream(layer / "closed" / "inner" / "file") << "x";
    std::ofstream(layer / "new\nline\xff") << "x";
    std::filesystem::create_directory_symlink(precious, layer / "link");
    std::filesystem::create_symlink(precious / "file", layer / "closed" / "filelink");
    QCOMPARE(::mkfifo((layer / "fifo").c_str(), 0600), 0);
    QCOMPARE(::chmod((layer / "closed" / "inner").c_str(), 0), 0);
    QCOMPARE(::chmod((layer / "closed").c_str(), 0), 0);
    QCOMPARE(::chmod(layer.c_str(), 0500), 0);
    const auto plan = planPrune(*m_catalogue, m_sessions, {}, kNow, keepNone);
    REVET_VERIFY(plan);
    REVET_VERIFY(prune(*m_catalogue, m_sessions, plan->front(), keepNone));
    QVERIFY(!std::filesystem::exists(m_sessions / id.text()));
    QVERIFY(std::filesystem::exists(precious / "file"));
}

void TestRetention::removesTreesDeeperThanTheDescriptorLimit()
{
    const auto top = pathIn(*m_folder, "deep");
    std::filesystem::create_directory(top);
    UniqueFd at(::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int i = 0; i < 3000; ++i) {
        QCOMPARE(::mkdirat(at.get(), "d", 0700), 0);
        at = UniqueFd(::openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        QVERIFY(at.isOpen());
    }
    const UniqueFd parent(::open(m_folder->path().toStdString().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    static_cast<void>(treeBytes(parent.get(), "deep"));
    REVET_VERIFY(removeTree(parent.get(), "deep"));
    QVERIFY(!std::filesystem::exists(top));
}

void TestRetention::leavesALinkInPlaceOfASessionAlone()
{
    const SessionId id = addSession(24h * 181, 100);
    const auto precious = pathIn(*m_folder, "precious");
    std::filesystem::rename(m_sessions / id.text(), precious);
    std::filesystem::create_directory_symlink(precious, m_sessions / id.text());
    const auto plan = planPrune(*m_catalogue, m_sessions, {}, kNow, keepNone);
    REVET_VERIFY(plan);
    const auto result = prune(*m_catalogue, m_sessions, plan->front(), keepNone);
    QVERIFY(!result); // not a session's directory: left alone, and said
    QVERIFY(std::filesystem::exists(precious / "journal.db"));
}

} // namespace revet::journal::test

QTEST_APPLESS_MAIN(revet::journal::test::TestRetention)
#include "tst_retention.moc"
