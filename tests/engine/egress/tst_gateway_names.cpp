// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/egress/gateway_world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

using namespace revet::test;

/// The box's name server, over the network as a box reaches it.
class GatewayNamesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS_PROGRAM("python3");
        REVET_SKIP_IF_(GatewayWorld::whyNot());
    }

    void answersByUdpAndTcp()
    {
        GatewayWorld world({"allowed.test", "missing.test", "empty.test", "intra"});
        world.outside().setName("allowed.test", {"93.184.216.34", "2606:4700::1"});
        world.outside().setName("empty.test", {});
        world.outside().setName("intra", {"10.0.0.1"});
        world.start();
        // Status and number of records: A has the box's own address, all other types nothing.
        QCOMPARE(world.python(R"(
for tcp in (False, True):
    print([ask('allowed.test', kind, tcp)[:2] for kind in (1, 28, 16, 65, 33, 255)])
print(address('allowed.test') == address('ALLOWED.test'), address('allowed.test'))
print(ask('missing.test')[:2], ask('missing.test', 28)[:2], ask('empty.test')[:2])
print(ask('other.test')[:2], ask('other.test', 28)[:2], ask('single')[:2], ask('intra')[:2], ask('host.local')[:2])
print(address('localhost'), address('a.localhost'), ask('localhost', 28)[1])
own = address('allowed.test').split('.')
pointer = ask('.'.join(reversed(own)) + '.in-addr.arpa', 12)
print(pointer[:2], b'allowed\4test\0' in pointer[2], ask('4.3.2.1.in-addr.arpa', 12)[:2])
)"),
                 "[(0, 1), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)]\n"
                 "[(0, 1), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)]\n"
                 "True 198.18.1.0\n"
                 "(3, 0) (3, 0) (0, 0)\n"
                 "(0, 1) (0, 0) (3, 0) (0, 1) (3, 0)\n"
                 "127.0.0.1 127.0.0.1 1\n"
                 "(0, 1) True (3, 0)\n");
        // Nothing but what is allowed has been asked outside, and that once.
        QCOMPARE(world.outside().lookedUp(),
                 (std::vector<std::string>{"allowed.test", "missing.test", "empty.test", "intra"}));
    }

    void cannotBeTakenAway()
    {
        GatewayWorld world({"allowed.test"});
        world.outside().setName("allowed.test", {"93.184.216.34"});
        world.start();
        QCOMPARE(world.python(R"(
for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
    s = socket.socket(socket.AF_INET, kind)
    print(outcome(lambda: s.bind(('198.18.0.1', 53))))
print(address('allowed.test'))
)"),
                 "EADDRNOTAVAIL\nEADDRNOTAVAIL\n198.18.1.0\n");
    }

    void survivesBytesThatAreNoQuestion()
    {
        GatewayWorld world({"allowed.test"});
        world.outside().setName("allowed.test", {"93.184.216.34"});
        world.start();
        QCOMPARE(world.python(R"(
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.connect(('198.18.0.1', 53))
for size in range(0, 600, 7):
    u.send(os.urandom(size))
s = socket.create_connection(('198.18.0.1', 53), 5); s.sendall(b'\xff\xff' + b'x' * 70000)
t = socket.create_connection(('198.18.0.1', 53), 5); t.sendall(b'\0'); t.shutdown(socket.SHUT_WR)
print(outcome(lambda: t.recv(1)))
print(address('allowed.test'))
)"),
                 "done\n198.18.1.0\n");
    }

    /// A name that is allowed must not lead to where its owner has no business (DNS rebinding).
    void followsNoNameIntoTheInnerNetwork_data()
    {
        QTest::addColumn<QByteArray>("addresses");
        QTest::addColumn<QByteArray>("dialled");
        QTest::newRow("loopback") << QByteArray("127.0.0.1") << QByteArray();
        QTest::newRow("loopback 6") << QByteArray("::1") << QByteArray();
        QTest::newRow("private") << QByteArray("10.0.0.1") << QByteArray();
        QTest::newRow("metadata") << QByteArray("169.254.169.254") << QByteArray();
        QTest::newRow("mapped metadata") << QByteArray("::ffff:169.254.169.254") << QByteArray();
        QTest::newRow("reserved") << QByteArray("0.0.0.0") << QByteArray();
        QTest::newRow("one good") << QByteArray("10.0.0.1,93.184.216.34") << QByteArray("93.184.216.34 80\n");
        QTest::newRow("this machine's") << QByteArray("93.184.216.1") << QByteArray();
        QTest::newRow("this machine's, allowed as well") << QByteArray("93.184.216.2") << QByteArray();
        QTest::newRow("next to it") << QByteArray("93.184.216.3") << QByteArray();
        QTest::newRow("next to it, and a good one")
            << QByteArray("93.184.216.3,93.184.216.34") << QByteArray("93.184.216.34 80\n");
        QTest::newRow("next to it, allowed as well")
            << QByteArray("93.184.216.4") << QByteArray("93.184.216.4 80\n");
        QTest::newRow("allowed as well") << QByteArray("10.9.9.9") << QByteArray("10.9.9.9 80\n");
    }
    void followsNoNameIntoTheInnerNetwork()
    {
        QFETCH(const QByteArray, addresses);
        QFETCH(const QByteArray, dialled);
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"allowed.test", "10.9.9.9", "93.184.216.2", "93.184.216.4"});
        world.setWay("93.184.216.1", revet::egress::Way::Own);
        world.setWay("93.184.216.2", revet::egress::Way::Own);
        world.setWay("93.184.216.3", revet::egress::Way::Neighbour);
        world.setWay("93.184.216.4", revet::egress::Way::Neighbour);
        std::vector<std::string> list;
        for (const QByteArray& address : addresses.split(',')) {
            list.push_back(address.toStdString());
        }
        world.outside().setName("allowed.test", list);
        world.lead(80, server.port());
        world.start();
        QCOMPARE(world.python("print(connecting(address('allowed.test'), 80))"),
                 dialled.isEmpty() ? "ECONNREFUSED\n" : "connected\n");
        QCOMPARE(world.dialled(), dialled.toStdString());
        QCOMPARE(world.watch().told().starts_with("refused allowed.test:80: "), dialled.isEmpty());
    }
};

QTEST_GUILESS_MAIN(GatewayNamesTest)
#include "tst_gateway_names.moc"
