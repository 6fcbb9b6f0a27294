// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/server_threads.h"

#include <QTest>

#include <atomic>

using namespace revet;
using session::ServerThreads;
using namespace std::chrono_literals;

class ServerThreadsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void joinsWhatEnds()
    {
        std::atomic<int> ended = 0;
        ServerThreads servers;
        for (int i = 0; i < 3; ++i) {
            servers.start(std::packaged_task<void()>([&ended] {
                std::this_thread::sleep_for(10ms);
                ++ended;
            }));
        }
        QVERIFY(servers.join(1min));
        QCOMPARE(ended.load(), 3);
        QVERIFY(servers.join(0ms)); // nobody is left
    }

    void leavesBehindWhatHangs()
    {
        std::promise<void> answer;
        std::promise<void> gone;
        std::atomic<bool> hasOtherEnded = false;
        ServerThreads servers;
        servers.start(std::packaged_task<void()>([&] {
            answer.get_future().wait(); // as in a file system that does not answer
            gone.set_value_at_thread_exit();
        }));
        servers.start(std::packaged_task<void()>([&] { hasOtherEnded = true; }));
        QTRY_VERIFY(hasOtherEnded.load());
        QVERIFY(!servers.join(1ms));
        QVERIFY(servers.join(0ms));
        answer.set_value();
        gone.get_future().wait();
    }
};

QTEST_APPLESS_MAIN(ServerThreadsTest)
#include "tst_server_threads.moc"
