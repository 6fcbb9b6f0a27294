// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/host_listener.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <cerrno>
#include <filesystem>

#include <unistd.h>

using namespace revet::test;

namespace {

constexpr const char* kDisplay = "/tmp/.X11-unix/X0";

} // namespace

/// SECURITY.md E006, E007, E008, E016, E048: services of the host cannot be reached by any kind of address.
class EscapeSocketsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void reachesNoLocalSocketOfTheHostByPath_data() { addTierRows("place", {"project", "runtime", "home"}); }
    void reachesNoLocalSocketOfTheHostByPath()
    {
        const World world;
        const std::string place = fetched("place");
        const std::filesystem::path directory = place == "project" ? world.project()
            : place == "runtime"                                   ? world.home().runtimeDirectory()
                                                                   : world.home().home();
        const std::string path = directory / "canary.sock";
        {
            const HostListener listener(HostListener::Kind::Path, path);
            const Finished finished = world.deed(fetched("tier"), "connect_to", {"unix", path});
            QVERIFY2(finished.status == 1, finished.out.c_str());
            // A stream socket answers EPROTOTYPE to whoever may speak to it, so that is no refusal either.
            // Datagram sockets, which could be sent through without a connect, are not to be had at all.
            REVET_VERIFY_NONE(otherThan(finished, {"ENOENT", "EACCES", "ECONNREFUSED", "ESOCKTNOSUPPORT"}));
            QCOMPARE(resultsOf(finished).at("sendto"), "ESOCKTNOSUPPORT");
            QVERIFY(!listener.wasReached());
            REVET_VERIFY_NONE(missingEvent(
                world, {.kinds = {"connect", "socket"}, .verdicts = {"denied", "withheld"}, .target = path}));
            QCOMPARE(world.bareDeed("connect_to", {"unix", path}).status, 0);
            QVERIFY(listener.wasReached());
        }
    }

    void reachesNoSocketInWhatItIsShown_data() { addTierRows("by", {"--bind-ro", "--bind-rw", "PATH"}); }
    void reachesNoSocketInWhatItIsShown()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::string by = fetched("by");
        const std::filesystem::path directory = world.home().home() / "tool/bin";
        std::filesystem::create_directories(directory);
        const std::string path = directory / "canary.sock";
        std::filesystem::create_symlink(path, world.project() / "link");
        RunOptions options;
        std::vector<std::string> extra;
        if (by == "PATH") {
            options.environment
                = {{"PATH", directory.string() + ":" + world.home().environment().at("PATH")}};
        } else {
            extra = {by, directory.string() + "/"};
        }
        const HostListener listener(HostListener::Kind::Path, path);
        for (const std::string& name :
             {path, (world.project() / "link").string(), "/proc/self/root" + path}) {
            const Finished finished = world.deed(tier, "connect_to", {"unix", name}, extra, options);
            QVERIFY2(finished.status == 1, finished.out.c_str());
            REVET_VERIFY_NONE(otherThan(finished, {"ECONNREFUSED", "ESOCKTNOSUPPORT"}));
            REVET_VERIFY_NONE(
                missingEvent(world, {.kinds = {"connect"}, .verdicts = {"denied"}, .target = path}));
        }
        QVERIFY(!listener.wasReached());
        QCOMPARE(world.bareDeed("connect_to", {"unix", path}).status, 0);
        QVERIFY(listener.wasReached());
    }

    void reachesNoSocketThatItMoved_data() { addTierRows(); }
    void reachesNoSocketThatItMoved()
    {
        const World world;
        const std::filesystem::path home = world.home().home();
        std::filesystem::create_directories(home / "services/deep");
        const HostListener listener(HostListener::Kind::Path, home / "services/deep/canary.sock");
        const std::string connect = world.victim("connect_to") + " unix ";
        const Finished finished = world.runner().runScript(fetched("tier"),
                                                           "mv $HOME/services $HOME/aside; " + connect
                                                               + "$HOME/aside/deep/canary.sock; " + connect
                                                               + "$HOME/services/deep/canary.sock",
                                                           {"--bind-ro", home / "services/deep"});
        REVET_VERIFY_NONE(otherThan(finished, {"ENOENT", "ECONNREFUSED", "ESOCKTNOSUPPORT"}));
        QVERIFY2(finished.err.find("busy") != std::string::npos, finished.err.c_str());
        QVERIFY(!listener.wasReached());
    }

    void speaksToItselfInWhatItIsShown_data() { addTierRows(); }
    void speaksToItselfInWhatItIsShown()
    {
        const World world;
        const std::filesystem::path shown = world.home().home() / "shown";
        std::filesystem::create_directories(shown / "read-only");
        const Finished finished = world.runner().run(
            fetched("tier"),
            {"/usr/bin/python3", "-c",
             "import os, socket, sys\n"
             "def speak(path):\n"
             "    u = socket.socket(socket.AF_UNIX); u.bind(path); u.listen()\n"
             "    d = socket.socket(socket.AF_UNIX); d.connect(path); q, _ = u.accept()\n"
             "    d.sendall(path.encode()); print(os.path.basename(q.recv(99).decode()))\n"
             "speak(sys.argv[1] + '/writable')\n"
             "os.chdir(sys.argv[1]); speak('relative')\n"
             "speak('/tmp/temporary'); speak(os.environ['HOME'] + '/home')\n"
             "try: speak(sys.argv[1] + '/read-only/socket')\n"
             "except OSError as error: print(error.errno)\n",
             shown},
            {"--bind-rw", shown, "--bind-ro", shown / "read-only"});
        QVERIFY2(finished.status == 0, finished.err.c_str());
        QCOMPARE(finished.out, "writable\nrelative\ntemporary\nhome\n" + std::to_string(EROFS) + "\n");
        QVERIFY(std::filesystem::is_socket(shown / "writable"));
        QVERIFY(!std::filesystem::exists(shown / "read-only/socket"));
    }

    void reachesNoAbstractSocketOfTheHost_data() { addTierRows(); }
    void reachesNoAbstractSocketOfTheHost()
    {
        const World world;
        const std::string name = "revet-test-" + std::to_string(::getpid());
        const HostListener listener(HostListener::Kind::Abstract, name);
        const Finished finished = world.deed(fetched("tier"), "connect_to", {"abstract", name});
        REVET_VERIFY_NONE(otherThan(finished, {"ECONNREFUSED", "EPERM", "ESOCKTNOSUPPORT"}));
        QVERIFY(!listener.wasReached());
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"connect", "socket"}, .target = name}));
        QCOMPARE(world.bareDeed("connect_to", {"abstract", name}).status, 0);
        QVERIFY(listener.wasReached());
    }

    void reachesNoMessageBus_data() { addTierRows(); }
    void reachesNoMessageBus()
    {
        const World world;
        const std::string bus = world.home().runtimeDirectory() / "bus";
        const HostListener listener(HostListener::Kind::Path, bus);
        RunOptions options;
        options.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + bus;
        const Finished variable = world.runner().run(
            fetched("tier"), {"/bin/sh", "-c", "echo [$DBUS_SESSION_BUS_ADDRESS]"}, {}, options);
        QCOMPARE(variable.out, "[]\n");
        for (const std::string& path :
             {bus, std::string("/run/dbus/system_bus_socket"),
              "/run/user/" + std::to_string(::getuid()) + "/bus", std::string("/run/systemd/private"),
              std::string("/var/run/docker.sock")}) {
            const Finished finished = world.deed(fetched("tier"), "connect_to", {"unix", path}, {}, options);
            REVET_VERIFY_NONE(otherThan(finished, {"ENOENT", "EACCES", "ESOCKTNOSUPPORT"}));
        }
        QVERIFY(!listener.wasReached());
    }

    void reachesNoDisplayServer_data() { addTierRows(); }
    void reachesNoDisplayServer()
    {
        const World world;
        std::error_code error;
        std::filesystem::create_directory(std::filesystem::path(kDisplay).parent_path(), error);
        if (std::filesystem::exists(kDisplay, error)
            || ::access(std::filesystem::path(kDisplay).parent_path().c_str(), W_OK) != 0) {
            QSKIP("a display server has the socket of display 0");
        }
        const HostListener path(HostListener::Kind::Path, kDisplay);
        const HostListener abstract(HostListener::Kind::Abstract, kDisplay);
        RunOptions options;
        options.environment = {{"DISPLAY", ":0"}, {"WAYLAND_DISPLAY", "wayland-0"}, {"XAUTHORITY", "/tmp/x"}};
        const Finished finished = world.deed(fetched("tier"), "x11_socket", {}, {}, options);
        const bool bareReached = world.bareDeed("x11_socket", {}, options).status == 0;
        std::filesystem::remove(kDisplay, error);
        QVERIFY(bareReached);
        const Results results = resultsOf(finished);
        QCOMPARE(results.at("path"), "ENOENT");
        QCOMPARE(results.at("abstract"), "ECONNREFUSED");
        QCOMPARE(results.at("wayland"), "ENOENT");
        QCOMPARE(results.at("variable DISPLAY"), "unset");
        QCOMPARE(results.at("variable WAYLAND_DISPLAY"), "unset");
        QCOMPARE(results.at("variable XAUTHORITY"), "unset");
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"connect", "socket"}, .target = "X11-unix"}));
    }

    void reachesNoLoopbackServiceOfTheHost_data() { addTierRows(); }
    void reachesNoLoopbackServiceOfTheHost()
    {
        const World world;
        const HostListener four(HostListener::Kind::Tcp4);
        const HostListener six(HostListener::Kind::Tcp6);
        const std::string port = std::to_string(four.port());
        for (const std::string address :
             {"127.0.0.1", "127.1", "0", "0.0.0.0", "::ffff:127.0.0.1", "2130706433"}) {
            const Finished finished = world.deed(fetched("tier"), "connect_to", {"tcp", address, port});
            REVET_VERIFY_NONE(otherThan(finished, {"ECONNREFUSED", "EACCES", "EOPNOTSUPP"}));
            REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"connect"}, .target = port}));
        }
        for (const std::string address : {"::1", "::"}) {
            const Finished finished
                = world.deed(fetched("tier"), "connect_to", {"tcp", address, std::to_string(six.port())});
            REVET_VERIFY_NONE(otherThan(finished, {"ECONNREFUSED", "EACCES", "EOPNOTSUPP", "EADDRNOTAVAIL"}));
        }
        QVERIFY(!four.wasReached());
        QVERIFY(!six.wasReached());
        QCOMPARE(world.bareDeed("connect_to", {"tcp", "127.0.0.1", port}).status, 0);
        QVERIFY(four.wasReached());
    }

    void sendsNoDatagramToTheHost_data() { addTierRows(); }
    void sendsNoDatagramToTheHost()
    {
        const World world;
        const HostListener sink(HostListener::Kind::Udp4);
        const std::string port = std::to_string(sink.port());
        // Sending into the box's own loopback is no escape; what counts is that nothing arrives.
        const Finished finished = world.deed(fetched("tier"), "connect_to", {"udp", "127.0.0.1", port});
        QVERIFY(!finished.out.empty());
        QVERIFY(!sink.wasReached());
        QCOMPARE(world.bareDeed("connect_to", {"udp", "127.0.0.1", port}).status, 0);
        QVERIFY(sink.wasReached());
    }

    void reachesNothingBeyondTheMachine_data() { addTierRows(); }
    void reachesNothingBeyondTheMachine()
    {
        const World world;
        // Addresses for documentation: no route may even be tried.
        const Finished tcp = world.deed(fetched("tier"), "connect_to", {"tcp", "192.0.2.1", "443"});
        REVET_VERIFY_NONE(otherThan(tcp, {"ECONNREFUSED", "ENETUNREACH", "EOPNOTSUPP", "EACCES"}));
        REVET_VERIFY_NONE(
            missingEvent(world, {.kinds = {"connect"}, .verdicts = {"denied"}, .target = "192.0.2.1:443"}));
        const Finished udp = world.deed(fetched("tier"), "connect_to", {"udp", "198.51.100.7", "53"});
        REVET_VERIFY_NONE(otherThan(udp, {"ECONNREFUSED", "ENETUNREACH", "EACCES"}));
    }

    void speaksToItself_data() { addTierRows(); }
    void speaksToItself()
    {
        const World world;
        const Finished finished = world.runner().run(
            fetched("tier"),
            {"/usr/bin/python3", "-c",
             "import socket\n"
             "s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname())\n"
             "p, _ = s.accept(); c.sendall(b'tcp'); print(p.recv(9).decode())\n"
             "u = socket.socket(socket.AF_UNIX); u.bind('own.sock'); u.listen()\n"
             "d = socket.socket(socket.AF_UNIX); d.connect('own.sock'); q, _ = u.accept()\n"
             "d.sendall(b'unix'); print(q.recv(9).decode())\n"
             "a = socket.socket(socket.AF_UNIX); a.bind('\\0own'); a.listen()\n"
             "e = socket.socket(socket.AF_UNIX); e.connect('\\0own'); r, _ = a.accept()\n"
             "e.sendall(b'abstract'); print(r.recv(9).decode())\n"});
        QVERIFY2(finished.status == 0, finished.err.c_str());
        QCOMPARE(finished.out, "tcp\nunix\nabstract\n");
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"listen"}}));
    }
};

QTEST_APPLESS_MAIN(EscapeSocketsTest)
#include "tst_escape_sockets.moc"
