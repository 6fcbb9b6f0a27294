// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/front_end.h"

#include <QTest>

#include <poll.h>

using namespace revet;

class FrontEndTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsOfOneThatLeftWhenItCannotBeTold()
    {
        auto ends = ipc::Channel::createPair();
        QVERIFY(ends.has_value());
        session::FrontEnd frontEnd(std::move(ends->second));
        ends->first = {};
        frontEnd.send(ipc::Stopped{1});
        frontEnd.send(ipc::Stopped{2});
        // Whoever polls it learns that it has gone, and does what is to be done then.
        QVERIFY(frontEnd.isThere());
        pollfd source{frontEnd.fd(), POLLIN, 0};
        QCOMPARE(::poll(&source, 1, 0), 1);
        QVERIFY(!frontEnd.receive().has_value());
        QVERIFY(!frontEnd.isThere());
    }
};

QTEST_APPLESS_MAIN(FrontEndTest)
#include "tst_front_end.moc"
