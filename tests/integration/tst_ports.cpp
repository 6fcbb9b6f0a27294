// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <set>
#include <string>

using namespace revet::test;

namespace {

/// A host with a service at `argv[1]`'s address, while the rest of the arguments run as a command. Every
/// "%PORT%" in them is the service's port.
constexpr const char* kHost = R"(
import socket, subprocess, sys, threading
service = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET)
service.bind((sys.argv[1], 0)); service.listen(64)
def serve():
    while True:
        client, peer = service.accept()
        client.recv(4096)
        client.sendall(b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nthe host says hello')
        client.close()
threading.Thread(target=serve, daemon=True).start()
port = str(service.getsockname()[1])
sys.exit(subprocess.call([word.replace('%PORT%', port) for word in sys.argv[2:]]))
)";

/// Two services, of which the first only listens; "%FIRST%" and "%SECOND%" are their ports.
constexpr const char* kTwoServices = R"(
import socket, subprocess, sys, threading
services = [socket.socket(), socket.socket()]
for service in services: service.bind(('127.0.0.1', 0)); service.listen(4096)
def serve():
    while True:
        client, peer = services[1].accept()
        client.recv(16); client.sendall(b'hello'); client.close()
threading.Thread(target=serve, daemon=True).start()
first, second = (str(service.getsockname()[1]) for service in services)
sys.exit(subprocess.call([word.replace('%FIRST%', first).replace('%SECOND%', second) for word in sys.argv[1:]]))
)";

/// Holds as many connections to the port argv[1] as it gets, and greets at argv[2].
constexpr const char* kFlood = R"(
import resource, socket, sys
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
kept = [socket.socket() for i in range(1100)]
for one in kept: one.connect_ex(('127.0.0.1', int(sys.argv[1]))) # beyond its share it is reset
client = socket.create_connection(('127.0.0.1', int(sys.argv[2])))
client.sendall(b'x'); print(client.recv(16).decode(), flush=True)
)";

/// Reads slowly, and tells how much it was.
constexpr const char* kSlowHost = R"(
import socket, subprocess, sys, threading, time
service = socket.socket(); service.bind(('127.0.0.1', 0)); service.listen(64)
total = 0
def serve():
    global total
    client, _ = service.accept()
    while data := client.recv(65536): total += len(data); time.sleep(0.005)
reader = threading.Thread(target=serve); reader.start()
port = str(service.getsockname()[1])
subprocess.call([word.replace('%PORT%', port) for word in sys.argv[1:]])
reader.join()
print(total)
)";

/// Runs argv[3:], a session that publishes the port argv[1] and serves there, and asks it from outside at
/// argv[2] as often as it takes.
constexpr const char* kVisitor = R"(
import subprocess, sys, time, urllib.request
session = subprocess.Popen(sys.argv[3:])
answer = None
for attempt in range(200):
    try:
        answer = urllib.request.urlopen('http://127.0.0.1:%s/greeting' % sys.argv[2], timeout=10).read().decode()
        break
    except OSError:
        time.sleep(0.05)
print(answer)
session.terminate(); session.wait()
)";

/// A service at the host's local socket argv[1], while the rest of the arguments run as a command. It tells
/// how many descriptors came with the greeting.
constexpr const char* kLocalHost = R"(
import os, socket, subprocess, sys, threading
service = socket.socket(socket.AF_UNIX)
service.bind(sys.argv[1]); service.listen(64)
def serve():
    while True:
        client, _ = service.accept()
        data, descriptors, _, _ = socket.recv_fds(client, 4096, 8)
        client.sendall(b'the host says %s, %d descriptors' % (data, len(descriptors)))
        client.close()
threading.Thread(target=serve, daemon=True).start()
sys.exit(subprocess.call(sys.argv[2:]))
)";

/// Greets the local socket argv[1], with a descriptor.
constexpr const char* kLocalClient = R"(
import errno, socket, sys
client = socket.socket(socket.AF_UNIX)
try:
    client.connect(sys.argv[1])
    socket.send_fds(client, [b'hello'], [0])
    print(client.recv(4096).decode())
except OSError as error:
    print(errno.errorcode[error.errno])
)";

} // namespace

/// --host-port, --publish and --socket: single ports through the wall, and no others.
class PortsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        for (const char* const program : {"python3", "script", "curl"}) {
            REVET_NEEDS_PROGRAM(program);
        }
    }

    void reachesTheHostsPort_data() { addTierRows("address", {"127.0.0.1", "::1"}); }
    void reachesTheHostsPort()
    {
        const World world;
        const Finished finished = onHost(world, fetched("address"), {"--host-port", "%PORT%"}, R"(
curl -s http://localhost:%PORT%/ http://127.0.0.1:%PORT%/ || echo none
)");
        QCOMPARE(finished.out, "the host says hellothe host says hello");
        const auto rows = matching(world.runner().lastEvents(), {{"kind", "connect"}, {"reach", "machine"}});
        QVERIFY(!rows.empty());
        for (const nlohmann::json& row : rows) {
            QVERIFY2(row.value("exe", "").find("curl") != std::string::npos, row.dump().c_str());
            QVERIFY2(row.value("rule", "").starts_with("host port "), row.dump().c_str());
        }
    }

    void leavesRoomBesideAFlood()
    {
        const World world;
        const Finished finished = world.runner().bare(
            {"/usr/bin/python3", "-c", kTwoServices, SessionRunner::program("revet"), "run", "--tier",
             "sandbox", "--host-port", "%FIRST%", "--host-port", "%SECOND%", "--", "/usr/bin/python3", "-c",
             kFlood, "%FIRST%", "%SECOND%"});
        QVERIFY2(finished.out == "hello\n", (finished.out + finished.err).c_str());
    }

    void reachesNoOtherPort_data() { addTierRows(); }
    void reachesNoOtherPort()
    {
        const World world;
        const std::string other = freePort(world);
        const Finished finished = onHost(world, "127.0.0.1", {"--host-port", other}, R"(
curl -s http://127.0.0.1:%PORT%/; echo $?
curl -s http://[::1]:%PORT%/; echo $?
# The port is taken in the box, whoever asks for it: nothing in there can pose as the host.
python3 - <<'END'
import socket
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
try: s.bind(('127.0.0.1', )" + other + R"()); print('bound')
except OSError as error: print(error.strerror)
END
)");
        QVERIFY2(finished.out == "7\n7\nAddress already in use\n", (finished.out + finished.err).c_str());
    }

    void breaksOffWhereTheHostHasNothing()
    {
        const World world;
        const std::string port = freePort(world);
        const Finished finished = world.runner().run(
            "sandbox", {"/usr/bin/curl", "-s", "http://127.0.0.1:" + port + "/"}, {"--host-port", port});
        // Connected and reset, which curl sees when it connects, when it sends (1 time in 750) or when it
        // receives.
        const std::set<int> reset{7, 55, 56};
        QVERIFY2(reset.contains(finished.status),
                 (std::to_string(finished.status) + " " + finished.err).c_str());
        REVET_VERIFY_NONE(
            missingEvent(world, {.kinds = {"connect"}, .verdicts = {"failed"}, .target = "[::1]:" + port}));
    }

    void deliversWhatWasSaidAtTheEnd()
    {
        const World world;
        // The service takes its time; the box is gone long before.
        const Finished finished = world.runner().bare(
            {"/usr/bin/python3", "-c", kSlowHost, SessionRunner::program("revet"), "run", "--tier", "sandbox",
             "--host-port", "%PORT%", "--", "/usr/bin/python3", "-c",
             "import socket; s = socket.create_connection(('127.0.0.1', %PORT%)); s.sendall(b'x' * "
             "3000000)"});
        QCOMPARE(finished.out, "3000000\n");
    }

    void keepsTheTwoDirectionsApart()
    {
        const World world;
        const std::string port = freePort(world);
        QCOMPARE(
            world.runner().revet({"run", "--host-port", port, "--publish", port, "--", "/bin/true"}).status,
            125);
    }

    void publishesAPort_data() { addTierRows(); }
    void publishesAPort()
    {
        const World world;
        const std::string port = freePort(world);
        world.prepare("echo 'the box says hello' >greeting");
        const Finished finished = world.runner().bare(
            {"/usr/bin/python3", "-c", kVisitor, port, port, SessionRunner::program("revet"), "run", "--tier",
             fetched("tier"), "--publish", port, "--", "/usr/bin/python3", "-m", "http.server", port,
             "--bind", "127.0.0.1"});
        QCOMPARE(finished.out, "the box says hello\n\n");
        REVET_VERIFY_NONE(missingEvent(
            world, {.kinds = {"listen"}, .verdicts = {"permitted"}, .target = "127.0.0.1:" + port}));
    }

    void publishesAtTheNextFreePort()
    {
        const World world;
        world.prepare("echo 'the box says hello' >greeting");
        // The service has the port, so the box's is found at the one behind it or further on.
        const Finished finished = onHost(world, "127.0.0.1", {"--publish", "%PORT%"}, "true");
        QCOMPARE(finished.status, 0);
        const auto rows = matching(world.runner().lastEvents(), {{"kind", "listen"}});
        QCOMPARE(rows.size(), std::size_t{1});
        QVERIFY2(rows.front().value("target", "").starts_with("127.0.0.1:"), rows.front().dump().c_str());
        QVERIFY2("publish " + rows.front().value("target", "").substr(10) != rows.front().value("rule", ""),
                 rows.front().dump().c_str());
        // Under a name of the session's own: cookies are shared by all ports of a name.
        const Finished shown = world.runner().bare(
            {"script", "-qec", SessionRunner::program("revet") + " run --tier sandbox --publish 8000 -- true",
             "/dev/null"});
        QVERIFY2(shown.out.find("published: http://" + world.runner().lastSession() + ".localhost:")
                     != std::string::npos,
                 shown.out.c_str());
    }

    void relaysALocalSocket_data() { addTierRows(); }
    void relaysALocalSocket()
    {
        const World world;
        const std::string named = world.home().home() / "named.sock";
        const std::vector<std::string> client{"/usr/bin/python3", "-c", kLocalClient, named};
        // Bytes alone: a descriptor would be a door of the box's own making.
        QCOMPARE(onLocalHost(world, named, {"--socket", named}, client).out,
                 "the host says hello, 0 descriptors\n");
        const auto rows = matching(world.runner().lastEvents(), {{"kind", "connect"}, {"reach", "machine"}});
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows.front().value("target", ""), named);
        QCOMPARE(rows.front().value("rule", ""), "host socket");
    }

    void relaysNoOtherLocalSocket_data() { addTierRows(); }
    void relaysNoOtherLocalSocket()
    {
        const World world;
        const std::string named = world.home().home() / "named.sock";
        const std::string other = world.home().home() / "other.sock";
        const Finished finished = onLocalHost(world, named, {"--bind-ro", named},
                                              {"/usr/bin/python3", "-c", kLocalClient, named});
        QCOMPARE(finished.out, "ECONNREFUSED\n");
        QCOMPARE(onLocalHost(world, other, {}, {"/usr/bin/python3", "-c", kLocalClient, other}).out,
                 "ENOENT\n");
    }

    void refusesALocalSocketThatTheBoxCanReplace()
    {
        const World world;
        const std::filesystem::path home = world.home().home();
        world.prepare("mkdir ~/data && ln -s ~/data ~/link");
        const std::string shown = home / "data/named.sock";
        QCOMPARE(
            onLocalHost(world, shown, {"--bind-rw", home / "link", "--socket", shown}, {"/bin/true"}).status,
            125);
        const std::string named = world.project() / "named.sock";
        const Finished finished = onLocalHost(world, named, {"--socket", named}, {"/bin/true"});
        QCOMPARE(finished.status, 125);
        QVERIFY2(finished.err.find("another in its place") != std::string::npos, finished.err.c_str());
        const Finished absent = world.runner().run("sandbox", {"/bin/true"}, {"--socket", "/nowhere/at.all"});
        QVERIFY2(absent.err.find("name a local socket that exists") != std::string::npos, absent.err.c_str());
    }

    void refusesWhatIsNoPort()
    {
        const World world;
        for (const char* const port : {"0", "65536", "-1", "http"}) {
            for (const char* const option : {"--host-port", "--publish"}) {
                QCOMPARE(world.runner().revet({"run", option, port, "--", "/bin/true"}).status, 125);
            }
        }
    }

private:
    static Finished onHost(const World& world, const std::string& address,
                           const std::vector<std::string>& options, const std::string& script)
    {
        const std::string tier
            = QTest::currentDataTag() != nullptr ? fetched("tier") : std::string("sandbox");
        std::vector<std::string> words{
            "/usr/bin/python3", "-c", kHost, address, SessionRunner::program("revet"), "run", "--tier", tier};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", "/bin/sh", "-c", script});
        return world.runner().bare(words);
    }
    static Finished onLocalHost(const World& world, const std::string& socket,
                                const std::vector<std::string>& options,
                                const std::vector<std::string>& command)
    {
        const std::string tier
            = QTest::currentDataTag() != nullptr ? fetched("tier") : std::string("sandbox");
        std::vector<std::string> words{
            "/usr/bin/python3", "-c", kLocalHost, socket, SessionRunner::program("revet"), "run",
            "--tier",           tier};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), command.begin(), command.end());
        return world.runner().bare(words);
    }
    static std::string freePort(const World& world)
    {
        return world.runner()
            .bare({"/usr/bin/python3", "-c",
                   "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1], "
                   "end='')"})
            .out;
    }
};

QTEST_GUILESS_MAIN(PortsTest)
#include "tst_ports.moc"
