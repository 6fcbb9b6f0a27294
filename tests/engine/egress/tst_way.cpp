// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"
#include "engine/egress/way.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace revet;

namespace {

std::string wordFor(const char* text)
{
    const auto way = egress::wayTo(policy::IpAddress::parse(text).value());
    return !way                          ? ::strerrorname_np(way.error().errnoValue)
        : *way == egress::Way::Gateway   ? "gateway"
        : *way == egress::Way::Neighbour ? "neighbour"
                                         : "own";
}

/// In the forked child: a network of its own.
[[noreturn]] void askIn(const char* setup, const char* address, int into)
{
    const std::string uid = std::to_string(::getuid());
    const bool isAlone = ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0
        && static_cast<bool>(std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1" << std::flush);
    // NOLINTNEXTLINE(concurrency-mt-unsafe,cert-env33-c): the child has one thread, the words are the test's
    const std::string word = isAlone && std::system(setup) == 0 ? wordFor(address) : "no network";
    ::_exit(::write(into, word.data(), word.size()) == static_cast<ssize_t>(word.size()) ? 0 : 1);
}

} // namespace

/// By the real kernel's routes.
class WayTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS_PROGRAM("ip");
    }

    void followsTheRoutes_data()
    {
        QTest::addColumn<QByteArray>("setup");
        QTest::addColumn<QByteArray>("address");
        QTest::addColumn<QByteArray>("way");
        const auto row = [](const char* what, const char* setup, const char* address, const char* way) {
            QTest::newRow(what) << QByteArray(setup) << QByteArray(address) << QByteArray(way);
        };
        const char* const four = "ip link add v0 type veth peer name v1 && ip link set v1 up && ip link set "
                                 "v0 up && ip address add "
                                 "93.184.216.2/24 dev v0 && ip route add default via 93.184.216.1";
        const char* const six = "ip link add v0 type veth peer name v1 && ip link set v1 up && ip link set "
                                "v0 up && ip address add "
                                "2606:4700::2/64 dev v0 nodad && ip route add default via 2606:4700::1";
        const char* const tunnel
            = "ip tuntap add tun0 mode tun && ip link set tun0 up && ip route add default dev tun0";
        row("loopback", "ip link set lo up", "127.0.0.1", "own");
        row("loopback 6", "ip link set lo up", "::1", "own");
        row("own", four, "93.184.216.2", "own");
        row("all of the link", four, "93.184.216.255", "own");
        row("next to it", four, "93.184.216.3", "neighbour");
        row("behind the gateway", four, "8.8.8.8", "gateway");
        row("own 6", six, "2606:4700::2", "own");
        row("next to it 6", six, "2606:4700::3", "neighbour");
        row("behind the gateway 6", six, "2001:4860::1", "gateway");
        row("through a tunnel", tunnel, "8.8.8.8", "gateway");
        row("nowhere", "true", "8.8.8.8", "ENETUNREACH");
        row("nowhere 6", "true", "2606:4700::1", "ENETUNREACH");
        row("a hole", "ip link set lo up && ip route add unreachable 8.0.0.0/8", "8.8.8.8", "EHOSTUNREACH");
    }
    void followsTheRoutes()
    {
        QFETCH(const QByteArray, setup);
        QFETCH(const QByteArray, address);
        QFETCH(const QByteArray, way);
        if (setup.startsWith("ip tuntap") && ::access("/dev/net/tun", R_OK | W_OK) != 0) {
            QSKIP("this user makes no tunnels"); // on some machines root alone does
        }
        std::array<int, 2> ends{-1, -1};
        QCOMPARE(::pipe2(ends.data(), O_CLOEXEC), 0);
        const UniqueFd from(ends[0]);
        UniqueFd into(ends[1]);
        const pid_t child = ::fork();
        if (child == 0) {
            askIn(setup.constData(), address.constData(), into.get());
        }
        into.reset();
        std::array<char, 100> word{};
        const ssize_t size = ::read(from.get(), word.data(), word.size());
        ::waitpid(child, nullptr, 0);
        QCOMPARE(QByteArray(word.data(), static_cast<qsizetype>(std::max<ssize_t>(size, 0))), way);
    }
};

QTEST_GUILESS_MAIN(WayTest)
#include "tst_way.moc"
