// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/supervisor/broker_bench.h"

#include <QTest>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>

using namespace revet;
using namespace revet::test;

namespace {

sockaddr_un addressOf(const std::string& path)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

const sockaddr* generic(const sockaddr_un& address)
{
    return reinterpret_cast<const sockaddr*>(&address);
}

bool hasSendTimeout(int socket)
{
    timeval timeout = {};
    socklen_t size = sizeof timeout;
    return ::getsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, &size) != 0 || timeout.tv_sec != 0
        || timeout.tv_usec != 0;
}

} // namespace

class SocketBrokerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The socket is the box's too: what is set on it for a moment, another of its threads meets.
    void waitsWithoutTouchingTheSocket()
    {
        BrokerBench bench;
        const std::string path = bench.outside() / "listener";
        const sockaddr_un address = addressOf(path);
        const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        QCOMPARE(::bind(listener.get(), generic(address), sizeof address), 0);
        QCOMPARE(::listen(listener.get(), 0), 0);
        std::vector<UniqueFd> queued;
        do {
            queued.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        } while (::connect(queued.back().get(), generic(address), sizeof address) == 0);
        QCOMPARE(errno, EAGAIN);

        const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        Call connect = call(Operation::Connect, at(path));
        connect.socket = socket.get();
        std::atomic<bool> isTouched = false;
        std::jthread watcher([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                isTouched = isTouched || hasSendTimeout(socket.get())
                    || (::fcntl(socket.get(), F_GETFL) & O_NONBLOCK) != 0;
            }
        });
        for (int i = 0; i < 50; ++i) {
            QCOMPARE(bench.perform(connect).kind, Answer::Kind::Later); // there is no room in the queue
        }
        watcher.request_stop();
        watcher.join();
        QVERIFY(!isTouched);

        while (UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK)).isOpen()
               && bench.perform(connect).kind == Answer::Kind::Later) { }
        sockaddr_un peer = {};
        socklen_t size = sizeof peer;
        QCOMPARE(::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &size), 0);
        QCOMPARE(std::string(peer.sun_path), path);
    }
};

QTEST_APPLESS_MAIN(SocketBrokerTest)
#include "tst_socket_broker.moc"
