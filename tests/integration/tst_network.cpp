// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

using namespace revet::test;

namespace {

constexpr const char* kClient = R"(
import errno, socket, sys, urllib.request
def get(url):
    try:
        return urllib.request.urlopen(url, timeout=20).read().decode()
    except OSError as error:
        reason = getattr(error, 'reason', error)
        return errno.errorcode.get(reason.errno, str(reason)) if reason.errno else str(reason)
for url in sys.argv[1:]:
    print(url, get(url))
)";

} // namespace

/// --allow-host: what is listed can be reached by unchanged programs, and nothing else.
class NetworkTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        for (const char* const program : {"python3", "curl", "ip", "setpriv", "unshare"}) {
            REVET_NEEDS_PROGRAM(program);
        }
    }

    void reachesWhatIsListedAndNothingElse_data() { addTierRows(); }
    void reachesWhatIsListedAndNothingElse()
    {
        const World world;
        const Finished finished
            = inInternet(world,
                         {"--allow-host", "allowed.test", "--allow-host", "six.test:80", "--allow-host",
                          "inner.test", "--allow-host", "closed.test", "--allow-host", "*.missing.test"},
                         {"/usr/bin/python3", "-c", kClient, "http://allowed.test/", "http://six.test/",
                          "http://other.test/", "http://closed.test/", "http://inner.test/",
                          "http://a.missing.test/", "http://www.allowed.test/", "http://93.184.216.34/",
                          "http://169.254.169.254/", "http://allowed.test:8080/"});
        QVERIFY2(finished.status == 0, finished.err.c_str());
        QCOMPARE(finished.out,
                 "http://allowed.test/ this is 93.184.216.34\n"
                 "http://six.test/ this is 2606:4700::1\n"
                 "http://other.test/ ECONNREFUSED\n"
                 "http://closed.test/ ECONNREFUSED\n"
                 "http://inner.test/ ECONNREFUSED\n"
                 "http://a.missing.test/ [Errno -2] Name or service not known\n"
                 "http://www.allowed.test/ ECONNREFUSED\n"
                 "http://93.184.216.34/ ECONNREFUSED\n"
                 "http://169.254.169.254/ ECONNREFUSED\n"
                 "http://allowed.test:8080/ ECONNREFUSED\n"
                 "asked outside: a.missing.test\n");
        REVET_VERIFY_NONE(missingEvent(
            world, {.kinds = {"connect"}, .verdicts = {"permitted"}, .target = "allowed.test:80"}));
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"dns"}, .target = "a.missing.test"}));
        REVET_VERIFY_NONE(missingEvents(world, {.kinds = {"connect"}, .verdicts = {"denied"}},
                                        {"other.test:80", "inner.test:80", "93.184.216.34:80",
                                         "169.254.169.254:80", "allowed.test:8080"}));
        REVET_VERIFY_NONE(
            missingEvent(world, {.kinds = {"connect"}, .verdicts = {"failed"}, .target = "closed.test:80"}));
        // By whom: the process that was seen to connect, with its program.
        for (const nlohmann::json& event : matching(world.runner().lastEvents(), {{"kind", "connect"}})) {
            QVERIFY2(event.value("exe", "").find("python3") != std::string::npos, event.dump().c_str());
        }
    }

    /// What an address looks like does not say whose it is.
    void reachesNeitherThisMachineNorItsNeighbours()
    {
        const World world;
        const std::vector<std::string> command{"/usr/bin/python3",
                                               "-c",
                                               kClient,
                                               "http://own.test/",
                                               "http://near.test/",
                                               "http://93.184.217.2/",
                                               "http://93.184.217.1/"};
        const std::vector<std::string> names{"--tier",       "sandbox",   "--allow-host", "own.test",
                                             "--allow-host", "near.test", "--allow-host", "93.184.217.2"};
        QCOMPARE(inInternet(world, names, command).out,
                 "http://own.test/ ECONNREFUSED\nhttp://near.test/ ECONNREFUSED\n"
                 "http://93.184.217.2/ ECONNREFUSED\nhttp://93.184.217.1/ ECONNREFUSED\nasked outside: \n");
        REVET_VERIFY_NONE(missingEvents(world, {.kinds = {"connect"}, .verdicts = {"denied"}},
                                        {"own.test:80", "near.test:80", "93.184.217.2:80"}));
        std::vector<std::string> addressToo = names;
        addressToo.insert(addressToo.end(), {"--allow-host", "93.184.217.1"});
        QCOMPARE(inInternet(world, addressToo, command).out,
                 "http://own.test/ ECONNREFUSED\nhttp://near.test/ this is 93.184.217.1\n"
                 "http://93.184.217.2/ ECONNREFUSED\nhttp://93.184.217.1/ this is 93.184.217.1\n"
                 "asked outside: \n");
    }

    void servesCurl()
    {
        const World world;
        const Finished finished
            = inInternet(world, {"--allow-host", "allowed.test"},
                         {"/bin/sh", "-c",
                          "curl -s http://allowed.test/; echo; curl -s http://other.test/; echo $?; "
                          "curl -s -H 'Host: other.test' http://allowed.test/; echo $?"});
        QCOMPARE(finished.out, "this is 93.184.216.34\n7\n56\nasked outside: \n");
        REVET_VERIFY_NONE(
            missingEvent(world, {.kinds = {"connect"}, .verdicts = {"denied"}, .target = "allowed.test:80"}));
    }

    void reachesWhatTheProjectAllows()
    {
        const World world;
        const std::vector<std::string> curl{"/usr/bin/curl", "-s", "http://allowed.test/"};
        QCOMPARE(inInternet(world, {"--tier", "sandbox"}, curl).status, 6); // no such name
        QCOMPARE(world.runner().revet({"project", "set", "allow_hosts+=allowed.test"}).status, 0);
        QCOMPARE(inInternet(world, {"--tier", "sandbox"}, curl).out,
                 "this is 93.184.216.34asked outside: \n");
    }

    void keepsTheBoxFromItsOwnWayOut()
    {
        const World world;
        // No address, route or rule of the box's can be changed, and no packet made by hand.
        const Finished finished = inInternet(world, {"--allow-host", "allowed.test"}, {"/bin/sh", "-c", R"(
ip address add 198.18.0.1/32 dev eth0 2>/dev/null || echo no address
ip route replace default dev lo 2>/dev/null || echo no route
(echo 1 >/proc/sys/net/ipv4/tcp_fastopen) 2>/dev/null || echo no sysctl
cat /proc/sys/net/ipv4/tcp_fastopen /etc/resolv.conf
)"});
        QCOMPARE(finished.out,
                 "no address\nno route\nno sysctl\n0\nnameserver 198.18.0.1\nasked outside: \n");
    }

    void refusesARuleThatCannotBe()
    {
        const World world;
        for (const char* const rule : {"169.254.169.254", "*.com", "localhost:3000", "allowed.test:0"}) {
            const Finished finished = world.runner().run("sandbox", {"/bin/true"}, {"--allow-host", rule});
            QCOMPARE(finished.status, 125);
            QVERIFY2(finished.err.find(rule) != std::string::npos, finished.err.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(NetworkTest)
#include "tst_network.moc"
