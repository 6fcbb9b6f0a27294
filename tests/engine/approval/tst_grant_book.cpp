// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/grant_book.h"
#include "tests/support/fake_clock.h"

#include <QTest>

using namespace revet;
using namespace revet::approval;
using namespace std::chrono_literals;

namespace {

Grant grantFor(std::int64_t id, const std::string& target, GrantScope scope = GrantScope::Session,
               bool isAllowed = true)
{
    Grant grant;
    grant.id = id;
    grant.target = target;
    grant.scope = scope;
    grant.isAllowed = isAllowed;
    return grant;
}

} // namespace

/// Answers that are remembered.
class GrantBookTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void permitsWhatAGrantIsAbout()
    {
        const test::FakeClock clock;
        GrantBook book;
        book.replace({grantFor(1, "a.test:443"), grantFor(2, "93.184.216.34:22", GrantScope::Project)});
        const auto name = *policy::HostName::parse("a.test");
        const auto match = book.judge(name, 443, nullptr, clock.now());
        QVERIFY(match && match->isAllowed);
        QCOMPARE(match->rule, std::string("grant g1"));
        QVERIFY(!book.judge(name, 80, nullptr, clock.now()));
        QVERIFY(!book.judge(*policy::HostName::parse("b.a.test"), 443, nullptr, clock.now()));
        QVERIFY(book.judge(*policy::IpAddress::parse("93.184.216.34"), 22, nullptr, clock.now()));
        QVERIFY(book.mayReach(name, clock.now()));
        QVERIFY(!book.mayReach(*policy::HostName::parse("b.test"), clock.now()));
    }

    void isNotUsedByALookAhead()
    {
        const test::FakeClock clock;
        GrantBook book;
        book.replace({grantFor(1, "a.test:443", GrantScope::Once),
                      grantFor(2, "b.test:443", GrantScope::Session, false)});
        const auto name = *policy::HostName::parse("a.test");
        const GrantBook::Claimant claimant{ProcessNumber(7), "sh > curl"};
        QCOMPARE(book.foresee(name, 443, &claimant, clock.now()), std::optional(true));
        QCOMPARE(book.foresee(name, 80, &claimant, clock.now()), std::optional<bool>());
        QCOMPARE(book.foresee(*policy::HostName::parse("b.test"), 443, &claimant, clock.now()),
                 std::optional(false));
        QVERIFY(book.takeUses().empty());
        QVERIFY(book.judge(name, 443, &claimant, clock.now()));
        QCOMPARE(book.foresee(name, 443, &claimant, clock.now()), std::optional<bool>());
    }

    void keepsKindsApart()
    {
        const test::FakeClock clock;
        GrantBook book;
        Grant hook = grantFor(1, "a.test:443");
        hook.kind = AskKind::RunLater;
        Grant brake = grantFor(2, "/work");
        brake.kind = AskKind::Brake;
        Grant path = grantFor(3, "/home/u/notes");
        path.kind = AskKind::Path;
        book.replace({hook, brake, path});
        QVERIFY(!book.judge(*policy::HostName::parse("a.test"), 443, nullptr, clock.now()));
        QVERIFY(!book.mayReach(*policy::HostName::parse("a.test"), clock.now()));
        QVERIFY(!book.hasAllowed(clock.now()));
        QVERIFY(book.judge(AskKind::RunLater, "a.test:443", nullptr, clock.now()));
        QVERIFY(!book.judge(AskKind::Destination, "a.test:443", nullptr, clock.now()));
        QVERIFY(book.judge(AskKind::Brake, "/work", nullptr, clock.now()));
        QVERIFY(!book.judge(AskKind::Brake, "/work/x", nullptr, clock.now()));
        QVERIFY(!book.judge(AskKind::PathWrite, "/home/u/notes", nullptr, clock.now()));
    }

    void lastsUntilItsDate()
    {
        test::FakeClock clock;
        GrantBook book;
        Grant grant = grantFor(1, "a.test:443");
        grant.expires = clock.now() + 60s;
        book.replace({grant});
        const auto name = *policy::HostName::parse("a.test");
        clock.advance(59s);
        QVERIFY(book.judge(name, 443, nullptr, clock.now()));
        clock.advance(1s);
        QVERIFY(!book.judge(name, 443, nullptr, clock.now()));
        QVERIFY(!book.mayReach(name, clock.now()));
        QVERIFY(!book.hasAllowed(clock.now()));
    }

    void aNoBeatsAYes()
    {
        const test::FakeClock clock;
        GrantBook book;
        book.replace({grantFor(1, "**.a.test:443", GrantScope::Project),
                      grantFor(2, "b.a.test:443", GrantScope::Session, false)});
        const auto match = book.judge(*policy::HostName::parse("b.a.test"), 443, nullptr, clock.now());
        QVERIFY(match && !match->isAllowed);
        QVERIFY(book.judge(*policy::HostName::parse("c.a.test"), 443, nullptr, clock.now())->isAllowed);
    }

    void onceIsOnce()
    {
        const test::FakeClock clock;
        GrantBook book;
        Grant grant = grantFor(1, "a.test:443", GrantScope::Once);
        grant.chain = "/usr/bin/make > /usr/bin/curl";
        book.replace({grant});
        const auto name = *policy::HostName::parse("a.test");
        const GrantBook::Claimant other{ProcessNumber(1), "/usr/bin/curl"};
        const GrantBook::Claimant right{ProcessNumber(2), grant.chain};
        QVERIFY(!book.judge(name, 443, nullptr, clock.now()));
        QVERIFY(!book.judge(name, 443, &other, clock.now()));
        QVERIFY(book.judge(name, 443, &right, clock.now()));
        QVERIFY(!book.judge(name, 443, &right, clock.now()));
        book.replace({grant}); // the catalogue does not know yet
        QVERIFY(!book.judge(name, 443, &right, clock.now()));
        const auto uses = book.takeUses();
        QCOMPARE(uses.size(), std::size_t{1});
        QVERIFY(uses.front().isUsedUp);
        QVERIFY(book.takeUses().empty());
    }

    void aProcessIsThatProcess()
    {
        const test::FakeClock clock;
        GrantBook book;
        const Grant grant = grantFor(1, "a.test:443", GrantScope::Process);
        book.add(grant, ProcessNumber(5));
        const auto name = *policy::HostName::parse("a.test");
        book.add(grantFor(2, "b.test:443", GrantScope::Process)); // of one that is not known
        const auto unknown = GrantBook::Claimant{};
        QVERIFY(!book.judge(*policy::HostName::parse("b.test"), 443, &unknown, clock.now()));
        const GrantBook::Claimant right{ProcessNumber(5), {}};
        const GrantBook::Claimant child{ProcessNumber(6), {}};
        QVERIFY(book.judge(name, 443, &right, clock.now()));
        QVERIFY(!book.judge(name, 443, &child, clock.now()));
        QVERIFY(!book.judge(name, 443, nullptr, clock.now()));
        book.replace({grant});
        QVERIFY(book.judge(name, 443, &right, clock.now()));
        book.replace({}); // revoked
        QVERIFY(!book.judge(name, 443, &right, clock.now()));
        QCOMPARE(book.takeUses().front().hits, std::uint64_t{2});
    }

    void forgetsWhatIsRevoked()
    {
        const test::FakeClock clock;
        GrantBook book;
        book.replace({grantFor(1, "a.test:443")});
        book.replace({});
        QVERIFY(!book.judge(*policy::HostName::parse("a.test"), 443, nullptr, clock.now()));
    }
};

QTEST_APPLESS_MAIN(GrantBookTest)
#include "tst_grant_book.moc"
