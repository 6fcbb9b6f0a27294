// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/lookups.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/no_more_threads.h"

#include <QTest>

#include <optional>

#include <poll.h>

using namespace revet;
using namespace revet::egress;

namespace {

class NoNames final : public NameService
{
public:
    FoundAddresses find(const policy::HostName&) override { return {DnsStatus::NoSuchName, {}}; }
};

} // namespace

class LookupsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysSoWhereNoThreadCanBeHad()
    {
        REVET_NEEDS_ORDINARY_USER();
        auto lookups = Lookups::start(std::make_shared<NoNames>());
        QVERIFY(lookups.has_value());
        const auto first = policy::HostName::parse("first.test");
        const auto second = policy::HostName::parse("second.test");
        {
            const test::NoMoreThreads limit;
            QVERIFY(!lookups->want(*first));
        }
        QVERIFY(lookups->want(*second));
        {
            const test::NoMoreThreads limit;
            QVERIFY(lookups->want(*second)); // by the thread there is
        }
        std::vector<std::string> found;
        while (found.size() < 2) {
            pollfd ready{lookups->fd(), POLLIN, 0};
            QCOMPARE(::poll(&ready, 1, 20'000), 1);
            for (const auto& [name, addresses] : lookups->take()) {
                found.push_back(name.text());
            }
        }
        // What was refused is not looked up after all.
        QCOMPARE(found, (std::vector<std::string>{"second.test", "second.test"}));
    }
};

QTEST_GUILESS_MAIN(LookupsTest)
#include "tst_lookups.moc"
