// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/egress/gateway_world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <sys/resource.h>

using namespace revet::test;

/// Many connections at once, honest ones and floods.
class GatewayLoadTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS_PROGRAM("python3");
        REVET_SKIP_IF_(GatewayWorld::whyNot());
    }

    void servesManyAtOnce()
    {
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"192.0.3.9:7"});
        world.lead(7, server.port());
        world.start();
        QCOMPARE(world.python(R"(
import select
count = 300
sockets = {}
poll = select.epoll()
for number in range(count):
    s = socket.socket(); s.setblocking(False)
    outcome(lambda: s.connect(('192.0.3.9', 7)))
    sockets[s.fileno()] = (s, number)
    poll.register(s, select.EPOLLOUT)
good = 0
while sockets:
    ready = poll.poll(30)
    if not ready:
        break
    for fd, events in ready:
        s, number = sockets[fd]
        if events & select.EPOLLOUT:
            s.send(struct.pack('>I', number)); poll.modify(fd, select.EPOLLIN)
        elif s.recv(4) == struct.pack('>I', number):
            good += 1; poll.unregister(fd); sockets.pop(fd)
print(good)
)"),
                 "300\n");
    }

    void refusesWhatIsNotAllowedEvenWithoutRoom()
    {
        GatewayWorld world({"192.0.3.9:7"});
        world.start();
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
        const rlimit few{256, before.rlim_max}; // all of them are for others than connections
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
        const std::string output = world.python(
            "print(connecting('192.0.3.8', 7, patience=20), connecting('192.0.3.9', 7, patience=0.5))");
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
        QCOMPARE(output, "ECONNREFUSED timed out\n");
        QCOMPARE(world.dialled(), "");
    }

    void servesTheHonestDuringAFlood()
    {
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"192.0.3.9:7"});
        world.lead(7, server.port());
        world.start();
        QCOMPARE(world.python(R"(
good = 0
for round in range(20):
    for number in range(200):
        s = socket.socket(); s.setblocking(False)
        outcome(lambda: s.connect(('203.0.113.%d' % number, round + 1)))
        if number % 2:
            s.close()
    good += connecting('192.0.3.9', 7) == 'connected'
print(good)
)"),
                 "20\n");
        QCOMPARE(world.dialled().size(), std::string("192.0.3.9 7\n").size() * 20);
    }
};

QTEST_GUILESS_MAIN(GatewayLoadTest)
#include "tst_gateway_load.moc"
