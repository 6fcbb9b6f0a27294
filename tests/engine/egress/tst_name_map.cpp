// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/resolver.h"

#include <QTest>

#include <memory>

using namespace revet;
using namespace revet::egress;

namespace {

policy::HostName named(const std::string& text)
{
    return policy::HostName::parse(text).value();
}

class NoNames final : public NameService
{
public:
    FoundAddresses find(const policy::HostName&) override { return {DnsStatus::NoSuchName, {}}; }
};

class NothingAllowed final : public Decider
{
public:
    Decision decide(const Destination&) const override { return {}; }
    bool mayLookUp(const policy::HostName&) const override { return false; }
};

class FullCount final : public ConnectionWatch
{
public:
    bool expects(std::uint64_t) override { return false; }
    void settled(std::uint64_t, const Destination&, const Outcome&) override { }
    void lookingUp(const policy::HostName&) override { }
    void namesAreFull() override { ++times; }
    int times = 0;
};

/// A question for the address of "NUMBER.test".
std::string questionFor(std::uint32_t number)
{
    using namespace std::string_literals;
    const std::string label = std::to_string(number);
    return "\0\7\1\0\0\1\0\0\0\0\0\0"s + static_cast<char>(label.size()) + label + "\4test\0\0\1\0\1"s;
}

} // namespace

class NameMapTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsRoomForNamesThatMayBeLookedUp()
    {
        NameMap map(4, 1);
        for (const char* const name : {"a.test", "b.test", "c.test"}) {
            QVERIFY(map.addressOf(named(name), false).has_value());
        }
        QVERIFY(!map.addressOf(named("d.test"), false).has_value());
        const auto last = map.addressOf(named("e.test"), true);
        QVERIFY(last.has_value());
        QVERIFY(*map.nameOf(*last) == named("e.test"));
        QVERIFY(!map.addressOf(named("f.test"), true).has_value());
        QVERIFY(map.addressOf(named("a.test"), false).has_value()); // known ones stay
    }

    void tellsOnceThatItIsFull()
    {
        const NothingAllowed decider;
        FullCount watch;
        const SystemClock clock;
        auto lookups = Lookups::start(std::make_shared<NoNames>());
        QVERIFY(lookups.has_value());
        Resolver resolver(decider, watch, *lookups, clock);
        std::string answer;
        const auto ask = [&](std::uint32_t number) {
            resolver.ask(questionFor(number), 512, [&](const std::string& message) { answer = message; });
            return static_cast<unsigned char>(answer.at(3)) & 0xfU; // the status
        };
        constexpr std::uint32_t kRoom = NameMap::kCapacity - NameMap::kReserved;
        for (std::uint32_t number = 0; number < kRoom; ++number) {
            QCOMPARE(ask(number), 0U);
        }
        QCOMPARE(watch.times, 0);
        QCOMPARE(ask(kRoom), 2U); // SERVFAIL
        QCOMPARE(ask(kRoom + 1), 2U);
        QCOMPARE(watch.times, 1);
    }
};

QTEST_GUILESS_MAIN(NameMapTest)
#include "tst_name_map.moc"
