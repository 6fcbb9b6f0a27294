// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/socket_address.h"
#include "engine/session/control.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <algorithm>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

using namespace revet;
using session::Control;

namespace {

/// No descriptor can be had while it lives.
class NoDescriptors
{
public:
    NoDescriptors()
    {
        ::getrlimit(RLIMIT_NOFILE, &m_before);
        const UniqueFd next(::fcntl(0, F_DUPFD_CLOEXEC, 0));
        const struct rlimit none = {static_cast<rlim_t>(next.get()), m_before.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &m_before); }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;
    NoDescriptors(NoDescriptors&&) = delete;
    NoDescriptors& operator=(NoDescriptors&&) = delete;

private:
    struct rlimit m_before = {};
};

} // namespace

class ControlTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pausesWhileThereIsNoRoomForAClient()
    {
        const test::TempHome home;
        const auto socket = home.runtimeDirectory() / "revet/k3f9q2.sock";
        auto control = Control::open(socket, {[] { return SessionInfo(); }, [](bool /*isForced*/) {}});
        QVERIFY(control.has_value());
        const int listening = control->descriptors().front();
        const auto address = ipc::SocketAddress::of(socket);
        QVERIFY(address.has_value());
        const UniqueFd client(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        QCOMPARE(::connect(client.get(), address->get(), address->size()), 0);
        {
            const NoDescriptors none;
            control->serve({listening});
        }
        QVERIFY(!control->isPausing());
        QVERIFY(control->descriptors().empty());
        QVERIFY(control->isPausing()); // for the loop not to sleep until something else happens
        QCOMPARE(control->descriptors(), std::vector<int>{listening}); // once only
        QVERIFY(!control->isPausing());
        control->serve({listening});
        QCOMPARE(control->descriptors().size(), std::size_t{2}); // the client had not been lost
    }
};

QTEST_APPLESS_MAIN(ControlTest)
#include "tst_control.moc"
