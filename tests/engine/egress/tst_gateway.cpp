// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/egress/gateway_world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <cerrno>

using namespace revet::test;

namespace {

constexpr std::uint16_t kEcho = 7;

} // namespace

/// The way from a box to the network and back: a client gets exactly what the far end gives, or is refused as
/// if nobody listened; nothing else leaves.
class GatewayTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS_PROGRAM("python3");
        REVET_SKIP_IF_(GatewayWorld::whyNot());
    }

    void relaysWhatIsAllowed_data()
    {
        QTest::addColumn<QString>("far");
        QTest::newRow("IPv4 outside") << QStringLiteral("93.184.216.34");
        QTest::newRow("IPv6 outside") << QStringLiteral("2606:2800:220:1::1");
    }
    void relaysWhatIsAllowed()
    {
        QFETCH(const QString, far);
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"allowed.test:7"});
        world.outside().setName("allowed.test", {far.toStdString()});
        world.lead(kEcho, server.port());
        world.start();
        // A megabyte there and back needs reading and writing at once; the end of file goes its way alone.
        QCOMPARE(world.python(R"(
import threading
s = opened('allowed.test', 7)
print(s.getpeername()[0] == address('allowed.test'), s.getsockname()[0])
data = b'\xff' + os.urandom(1 << 20) # neither TLS nor HTTP
def send():
    s.sendall(data); s.shutdown(socket.SHUT_WR)
t = threading.Thread(target=send); t.start()
print(everything(s) == data)
)"),
                 "True 198.19.255.2\nTrue\n");
        QCOMPARE(world.watch().told(), "permitted allowed.test:7 by allowed.test:7\n");
        QCOMPARE(world.dialled(), far.toStdString() + " 7\n");
    }

    void relaysToAddressesOfBothFamilies()
    {
        LocalServer server(LocalServer::Manner::Greet);
        GatewayWorld world({"192.0.3.9:7", "[2606:4700::1]:7", "10.1.2.3:7"});
        world.lead(kEcho, server.port());
        world.start();
        QCOMPARE(world.python(R"(
for host in ('192.0.3.9', '2606:4700::1', '::ffff:10.1.2.3'):
    s = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET)
    s.connect((host, 7))
    print(s.recv(100).decode().strip(), s.getpeername()[0])
)"),
                 "welcome 192.0.3.9\nwelcome 2606:4700::1\nwelcome ::ffff:10.1.2.3\n");
        QCOMPARE(world.dialled(), "192.0.3.9 7\n2606:4700::1 7\n10.1.2.3 7\n");
    }

    void refusesEverythingElse()
    {
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"allowed.test:7"});
        world.outside().setName("allowed.test", {"93.184.216.34"});
        world.outside().setName("other.test", {"93.184.216.35"});
        world.lead(kEcho, server.port());
        world.start();
        QCOMPARE(
            world.python(R"(
print(connecting(address('other.test'), 7), connecting(address('allowed.test'), 8))
print(connecting('93.184.216.34', 7), connecting('8.8.8.8', 53), connecting('198.18.77.7', 7))
print(connecting('2606:4700::1', 7, socket.AF_INET6), connecting('198.19.255.1', 7))
print(connecting('169.254.169.254', 80), connecting('10.0.0.1', 22, patience=5))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.connect(('8.8.8.8', 53)); u.settimeout(5); u.send(b'x' * 20)
print(outcome(lambda: u.recv(10)))
)"),
            "ECONNREFUSED ECONNREFUSED\nECONNREFUSED ECONNREFUSED ECONNREFUSED\nECONNREFUSED ECONNREFUSED\n"
            "ECONNREFUSED ECONNREFUSED\nECONNREFUSED\n");
        QCOMPARE(world.dialled(), "");
        QCOMPARE(world.outside().lookedUp(), std::vector<std::string>{"allowed.test"});
        QVERIFY(world.watch().told().find("refused other.test:7: not listed\n") != std::string::npos);
        QVERIFY(world.watch().told().find("refused 169.254.169.254:80: metadata address\n")
                != std::string::npos);
    }

    void refusesAddressesOfThisMachine()
    {
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"192.0.3.0/24:7"});
        world.setWay("192.0.3.9", revet::egress::Way::Own);
        world.setWay("192.0.3.10", revet::egress::Way::Neighbour);
        world.lead(kEcho, server.port());
        world.start();
        QCOMPARE(world.python("print(connecting('192.0.3.9', 7), connecting('192.0.3.10', 7))"),
                 "ECONNREFUSED connected\n");
        QCOMPARE(world.dialled(), "192.0.3.10 7\n");
        QVERIFY(world.watch().told().starts_with("refused 192.0.3.9:7: an address of this machine's own\n"));
    }

    void refusesWhomNobodySaw()
    {
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"192.0.3.9:7"});
        world.lead(kEcho, server.port());
        world.watch().expectsAll = false;
        world.start();
        QCOMPARE(world.python("print(connecting('192.0.3.9', 7))"), "ECONNREFUSED\n");
        QCOMPARE(world.dialled(), "");
    }

    void tellsTheTruthOfTheFarEnd_data()
    {
        QTest::addColumn<int>("error");
        QTest::addColumn<QByteArray>("seen");
        QTest::newRow("refused") << 0 << QByteArray("ECONNREFUSED");
        QTest::newRow("no host") << EHOSTUNREACH << QByteArray("EHOSTUNREACH");
        QTest::newRow("no network") << ENETUNREACH << QByteArray("ENETUNREACH");
        QTest::newRow("no answer") << ETIMEDOUT << QByteArray("EHOSTUNREACH");
    }
    void tellsTheTruthOfTheFarEnd()
    {
        QFETCH(const int, error);
        QFETCH(const QByteArray, seen);
        GatewayWorld world({"192.0.3.9:7", "[2606:4700::1]:7"});
        world.setDialError(error);
        world.start();
        // Blocking, non-blocking, and over IPv6: none is connected for a moment.
        const std::string word = seen.toStdString();
        QCOMPARE(world.python(R"(
import select
print(connecting('192.0.3.9', 7), connecting('2606:4700::1', 7, socket.AF_INET6))
s = socket.socket(); s.setblocking(False)
print(outcome(lambda: s.connect(('192.0.3.9', 7))))
p = select.poll(); p.register(s, select.POLLOUT); p.poll(20000)
print(errno.errorcode[s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)])
)"),
                 word + " " + word + "\nEINPROGRESS\n" + word + "\n");
    }

    void passesAResetOn()
    {
        LocalServer server(LocalServer::Manner::Reset);
        GatewayWorld world({"192.0.3.9:7"});
        world.lead(kEcho, server.port());
        world.start();
        QCOMPARE(world.python(R"(
s = socket.create_connection(('192.0.3.9', 7), 20)
s.sendall(b'x')
print(outcome(lambda: s.recv(1)))
)"),
                 "ECONNRESET\n");
    }

    void stopsReadingForWhoDoesNotRead()
    {
        LocalServer server(LocalServer::Manner::Deaf);
        GatewayWorld world({"192.0.3.9:7"});
        world.lead(kEcho, server.port());
        world.start();
        // What the kernels' buffers of two connections take, and no more.
        QCOMPARE(world.python(R"(
s = socket.create_connection(('192.0.3.9', 7), 20)
s.settimeout(2)
sent = 0
def send():
    global sent
    while sent < 1 << 30:
        sent += s.send(b'x' * 65536)
print(outcome(send), sent < 1 << 27)
)"),
                 "timed out True\n");
    }

    void deliversWhatWasSaidBeforeTheEnd()
    {
        std::string received;
        {
            LocalServer server(LocalServer::Manner::Listen);
            GatewayWorld world({"192.0.3.9:7"});
            world.lead(kEcho, server.port());
            world.start();
            QCOMPARE(world.python(R"(
s = socket.create_connection(('192.0.3.9', 7), 20)
s.sendall(b'x' * 3000000)
)"),
                     "");
            world.stop();
            server.finish();
            received = server.received();
        }
        QCOMPARE(received.size(), std::size_t{3000000});
    }

    void dialsNobodyForAClientThatLeft()
    {
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"allowed.test:7", "192.0.3.9:7"});
        world.outside().setName("allowed.test", {"93.184.216.34"});
        world.lead(kEcho, server.port());
        world.start();
        const std::string known = world.python("print(address('allowed.test'))");
        QVERIFY(known.starts_with("198.18."));
        world.outside().holdLookups(true);
        world.advance(std::chrono::seconds(61));
        // While it is held, time-outs, alarms and signals of the client's work as ever.
        QCOMPARE(world.python("to = '" + known.substr(0, known.size() - 1) + R"('
print(connecting(to, 7, patience=0.2))
def woken(*_):
    raise OSError(errno.EINTR, 'alarm')
signal.signal(signal.SIGALRM, woken); signal.setitimer(signal.ITIMER_REAL, 0.2)
print(connecting(to, 7))
)"),
                 "timed out\nEINTR\n");
        world.outside().holdLookups(false);
        QCOMPARE(world.python("print(connecting('192.0.3.9', 7))"), "connected\n");
        QCOMPARE(world.dialled(), "192.0.3.9 7\n");
    }

    void givesUpTheDialsOfClientsThatLeft()
    {
        GatewayWorld world({"192.0.3.9:7"});
        world.holdDials();
        world.start();
        QCOMPARE(world.python("print(connecting('192.0.3.9', 7, patience=0.2))"), "timed out\n");
        QCOMPARE(world.givenUp(), std::size_t{0});
        world.advance(std::chrono::seconds(2));
        QTRY_COMPARE_WITH_TIMEOUT(world.givenUp(), std::size_t{1}, 20'000);
    }

    void refusesAnotherNameThanTheOneAllowed_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<bool>("passes");
        QTest::newRow("the same") << QByteArray("allowed.test") << true;
        QTest::newRow("another") << QByteArray("other.test") << false;
    }
    void refusesAnotherNameThanTheOneAllowed()
    {
        QFETCH(const QByteArray, host);
        QFETCH(const bool, passes);
        LocalServer server(LocalServer::Manner::Echo);
        GatewayWorld world({"allowed.test"});
        world.outside().setName("allowed.test", {"93.184.216.34"});
        world.lead(443, server.port());
        world.lead(80, server.port());
        world.start();
        const std::string output = world.python("host = '" + host.toStdString() + R"('
s = opened('allowed.test', 80)
s.sendall(b'GET / HTTP/1.1\r\nHost: ' + host.encode() + b'\r\n\r\n')
print('HTTP:', outcome(lambda: 'passed' if s.recv(100) else 'end'))
s = opened('allowed.test', 443)
context = ssl.create_default_context()
try:
    context.wrap_socket(s, server_hostname=host)
except ConnectionResetError:
    print('TLS: ECONNRESET')
except ssl.SSLError: # its own hello comes back
    print('TLS: passed')
)");
        QCOMPARE(output, passes ? "HTTP: passed\nTLS: passed\n" : "HTTP: ECONNRESET\nTLS: ECONNRESET\n");
        QCOMPARE(server.received().empty(), !passes);
        QCOMPARE(world.watch().told().find("to another") == std::string::npos, passes);
    }
};

QTEST_GUILESS_MAIN(GatewayTest)
#include "tst_gateway.moc"
