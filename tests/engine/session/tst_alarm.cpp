// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/alarm.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <csignal>
#include <thread>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace revet;
using session::Alarm;

class AlarmTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void endsTheBoxAndSaysWhy()
    {
        const pid_t keeper = ::fork();
        if (keeper == 0) {
            ::pause();
            ::_exit(0);
        }
        const auto alarm = Alarm::open(keeper);
        QVERIFY(alarm.has_value());
        pollfd state{(*alarm)->fd(), POLLIN, 0};
        QCOMPARE(::poll(&state, 1, 0), 0);
        std::thread([&alarm] { (*alarm)->raise("the journal is full"); }).join();
        std::thread([&alarm] { (*alarm)->raise("and so is the disk"); }).join(); // the keeper has gone by now
        int status = 0;
        QCOMPARE(::waitpid(keeper, &status, 0), keeper);
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGKILL);
        QCOMPARE(::poll(&state, 1, 0), 1);
        QCOMPARE((*alarm)->reason(), std::string("the journal is full"));
    }

    void needsAKeeper()
    {
        const pid_t gone = ::fork();
        if (gone == 0) {
            ::_exit(0);
        }
        ::waitpid(gone, nullptr, 0);
        QVERIFY(!Alarm::open(gone));
    }
};

QTEST_APPLESS_MAIN(AlarmTest)
#include "tst_alarm.moc"
