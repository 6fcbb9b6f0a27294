// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/answers.h"
#include "engine/journal/catalogue.h"
#include "tests/engine/journal/journal_fixture.h"

namespace revet::journal::test {

namespace {

AskRecord sampleAsk(const SessionId& session, std::uint32_t number)
{
    AskRecord record;
    Ask& ask = record.ask;
    ask.id = {session, number};
    ask.project = "/home/dev/pro\xffject";
    ask.tier = Tier::Container;
    ask.target = "a.test:443";
    ask.chain = {{3, 30, "/usr/bin/make", {"make", "", "-j\xff"}}, {7, 70, "/usr/bin/curl", {}}};
    ask.cwd = "/work";
    ask.why = "no rule";
    ask.claim = "for a \xff";
    ask.from = Reach::None;
    ask.to = Reach::Beyond;
    ask.scopes = {GrantScope::Once, GrantScope::Project};
    ask.created = sampleSession().started;
    ask.deadline = ask.created + std::chrono::minutes(10);
    ask.hash = "abc";
    return record;
}

/// REVET_VERIFY() takes its argument more than once.
template<typename T>
void must(const Result<T>& result)
{
    REVET_VERIFY(result);
}

} // namespace

class TestAnswers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsEveryFieldOfAnAsk()
    {
        const QTemporaryDir folder;
        auto catalogue = Catalogue::open(pathIn(folder, "catalogue.db"));
        REVET_VERIFY(catalogue);
        Answers answers = catalogue->answers();
        const SessionId session = *SessionId::parse("k3f9q2");
        AskRecord record = sampleAsk(session, 1);
        must(answers.saveAsk(record));
        auto kept = answers.ask(record.ask.id);
        REVET_VERIFY(kept);
        const Ask& ask = (*kept)->ask;
        QCOMPARE(ask.id.text(), std::string("k3f9q2-1"));
        QCOMPARE(ask.project, record.ask.project);
        QVERIFY(ask.tier == Tier::Container);
        QCOMPARE(ask.target, record.ask.target);
        QVERIFY(ask.chain == record.ask.chain);
        QCOMPARE(ask.cwd, record.ask.cwd);
        QCOMPARE(ask.why, record.ask.why);
        QCOMPARE(ask.claim, record.ask.claim);
        QVERIFY(ask.lane == Lane::Network && ask.from == Reach::None && ask.to == Reach::Beyond);
        QVERIFY(ask.scopes == record.ask.scopes);
        QVERIFY(ask.created == record.ask.created && ask.deadline == record.ask.deadline);
        QCOMPARE(ask.hash, record.ask.hash);
        QVERIFY((*kept)->state == AskState::Waiting && !(*kept)->settled && !(*kept)->scope);

        record.state = AskState::Approved;
        record.count = 6;
        record.hasGivenUp = true;
        record.settled = record.ask.created + std::chrono::seconds(1);
        record.scope = GrantScope::Once;
        record.ask.target = "b.test:443"; // never changes
        must(answers.saveAsk(record));
        kept = answers.ask(record.ask.id);
        QVERIFY((*kept)->state == AskState::Approved && (*kept)->hasGivenUp);
        QCOMPARE((*kept)->count, 6U);
        QVERIFY((*kept)->settled == record.settled && (*kept)->scope == GrantScope::Once);
        QCOMPARE((*kept)->ask.target, std::string("a.test:443"));
        QVERIFY(!answers.ask({session, 2})->has_value());
    }

    void missesWhatADeadSessionAsked()
    {
        const QTemporaryDir folder;
        auto catalogue = Catalogue::open(pathIn(folder, "catalogue.db"));
        REVET_VERIFY(catalogue);
        Answers answers = catalogue->answers();
        const SessionId session = *SessionId::parse("k3f9q2");
        const SessionId other = *SessionId::parse("abcdef");
        must(answers.saveAsk(sampleAsk(session, 1)));
        must(answers.saveAsk(sampleAsk(other, 1)));
        must(answers.missAsks(session, sampleSession().started));
        QVERIFY((*answers.ask({session, 1}))->state == AskState::Missed);
        QVERIFY((*answers.ask({other, 1}))->state == AskState::Waiting);
    }

    void keepsGrants()
    {
        const QTemporaryDir folder;
        auto catalogue = Catalogue::open(pathIn(folder, "catalogue.db"));
        REVET_VERIFY(catalogue);
        Answers answers = catalogue->answers();
        const WallTime now = sampleSession().started;
        Grant grant;
        grant.project = "/p";
        grant.target = "a.test:443";
        grant.scope = GrantScope::Project;
        grant.origin = "k3f9q2-1";
        grant.created = now;
        grant.expires = now + std::chrono::hours(1);
        const auto id = answers.addGrant(grant);
        REVET_VERIFY(id);
        grant.session = *SessionId::parse("k3f9q2");
        grant.scope = GrantScope::Once;
        grant.isAllowed = false;
        grant.chain = "/usr/bin/curl";
        const auto second = answers.addGrant(grant);
        REVET_VERIFY(second);
        QVERIFY(*second != *id);
        QCOMPARE(answers.grantsFor(*SessionId::parse("k3f9q2"), "/p")->size(), std::size_t{2});
        QCOMPARE(answers.grantsFor(*SessionId::parse("abcdef"), "/p")->size(), std::size_t{1});
        QCOMPARE(answers.grantsFor(SessionId(), "/p")->size(), std::size_t{1});
        QVERIFY(answers.grantsFor(SessionId(), "/q")->empty());

        must(answers.noteUse(*id, 3, now + std::chrono::seconds(5), false));
        must(answers.noteUse(*second, 1, now, true));
        const auto kept = answers.grant(*id);
        QCOMPARE((*kept)->hits, std::uint64_t{3});
        QVERIFY((*kept)->lastUse == now + std::chrono::seconds(5));
        QVERIFY((*kept)->expires == grant.expires && (*kept)->isAllowed && (*kept)->session.isNone());
        QCOMPARE((*kept)->origin, std::string("k3f9q2-1"));
        QVERIFY((*answers.grant(*second))->revoked.has_value());
        QCOMPARE((*answers.grant(*second))->chain, std::string("/usr/bin/curl"));

        must(answers.revokeGrant(*id, now));
        QCOMPARE(answers.revokeGrant(*id, now).error().code, ErrorCode::Conflict);
        QCOMPARE(answers.revokeGrant(99, now).error().code, ErrorCode::NotFound);
        QVERIFY(answers.grantsFor(*SessionId::parse("k3f9q2"), "/p")->empty());
        QCOMPARE(answers.grants()->size(), std::size_t{2});

        grant.session = SessionId();
        must(answers.addGrant(grant));
        must(answers.revokeProject("/elsewhere", now));
        QCOMPARE(answers.grantsFor(SessionId(), "/p")->size(), std::size_t{1});
        must(answers.revokeProject("/p", now));
        QVERIFY(answers.grantsFor(SessionId(), "/p")->empty());
    }

    void forgetsAPrunedSession()
    {
        const QTemporaryDir folder;
        auto catalogue = Catalogue::open(pathIn(folder, "catalogue.db"));
        REVET_VERIFY(catalogue);
        const auto session = catalogue->addSession(sampleSession());
        REVET_VERIFY(session);
        Answers answers = catalogue->answers();
        must(answers.saveAsk(sampleAsk(*session, 1)));
        Grant grant;
        grant.project = "/p";
        grant.target = "a.test:443";
        must(answers.addGrant(grant)); // the project's own stays
        grant.session = *session;
        must(answers.addGrant(grant));
        must(catalogue->removeSession(*session));
        QVERIFY(answers.asks()->empty());
        QCOMPARE(answers.grants()->size(), std::size_t{1});
    }
};

} // namespace revet::journal::test

QTEST_APPLESS_MAIN(revet::journal::test::TestAnswers)
#include "tst_answers.moc"
