// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/wire.h"
#include "engine/os/socket.h"
#include "engine/session/keeper_errands.h"

#include <QTest>

using namespace revet;

/// A session and a keeper that does not do as it should.
class TestKeeperErrands : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesAnAnswer()
    {
        auto [ours, keepers] = os::packetSocketPair().value();
        session::KeeperErrands errands([&ours = ours] { return Result<UniqueFd>(std::move(ours)); });
        launcher::Report report;
        report.kind = launcher::Report::Kind::Opened;
        QVERIFY(os::sendPacket(keepers.get(), launcher::encode(report)).has_value());
        QVERIFY(errands.run(m_unmount).has_value());
    }
    void doesNotWaitForEver()
    {
        auto [ours, keepers] = os::packetSocketPair().value();
        UniqueFd next = std::move(ours);
        session::KeeperErrands errands([&next] { return Result<UniqueFd>(std::move(next)); },
                                       std::chrono::milliseconds(20));
        QVERIFY(!errands.run(m_unmount));
        // What it says later is not taken for the answer to something else.
        QVERIFY(os::receivePacket(keepers.get(), launcher::kMaximumPacketBytes).has_value());
        QVERIFY(!os::sendPacket(keepers.get(), launcher::encode(launcher::Report())));
        // The next one comes on a new socket.
        auto [oursAgain, keepersAgain] = os::packetSocketPair().value();
        next = std::move(oursAgain);
        launcher::Report report;
        report.kind = launcher::Report::Kind::Opened;
        QVERIFY(os::sendPacket(keepersAgain.get(), launcher::encode(report)).has_value());
        QVERIFY(errands.run(m_unmount).has_value());
        QVERIFY(os::receivePacket(keepersAgain.get(), launcher::kMaximumPacketBytes).has_value());
    }
    void failsWithoutAKeeper()
    {
        auto [ours, keepers] = os::packetSocketPair().value();
        session::KeeperErrands errands([&ours = ours] { return Result<UniqueFd>(std::move(ours)); });
        keepers.reset();
        QVERIFY(!errands.run(m_unmount));
    }
    void takesNothingElse()
    {
        auto [ours, keepers] = os::packetSocketPair().value();
        session::KeeperErrands errands([&ours = ours] { return Result<UniqueFd>(std::move(ours)); });
        QVERIFY(os::sendPacket(keepers.get(), "nonsense").has_value());
        QVERIFY(!errands.run(m_unmount));
    }

private:
    launcher::Errand m_unmount{launcher::Errand::Kind::Unmount, false, 0, true, {}, "/x"};
};

QTEST_APPLESS_MAIN(TestKeeperErrands)
#include "tst_keeper_errands.moc"
