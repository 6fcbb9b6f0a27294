// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/host_listener.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace revet::test {

namespace {

struct Address
{
    sockaddr_storage storage{};
    socklen_t size = 0;
};

Address addressOf(HostListener::Kind kind, const std::string& name)
{
    Address address;
    if (kind == HostListener::Kind::Tcp6) {
        auto* const six = reinterpret_cast<sockaddr_in6*>(&address.storage);
        six->sin6_family = AF_INET6;
        six->sin6_addr = in6addr_loopback;
        address.size = sizeof(*six);
    } else if (kind == HostListener::Kind::Tcp4 || kind == HostListener::Kind::Udp4) {
        auto* const four = reinterpret_cast<sockaddr_in*>(&address.storage);
        four->sin_family = AF_INET;
        four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.size = sizeof(*four);
    } else {
        auto* const local = reinterpret_cast<sockaddr_un*>(&address.storage);
        local->sun_family = AF_UNIX;
        const std::size_t offset = kind == HostListener::Kind::Abstract ? 1 : 0;
        std::copy_n(name.begin(), std::min(name.size(), sizeof(local->sun_path) - 2),
                    local->sun_path + offset);
        address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + offset + name.size());
    }
    return address;
}

} // namespace

HostListener::HostListener(Kind kind, const std::string& name)
    : m_kind(kind)
{
    const Address address = addressOf(kind, name);
    const int type = kind == Kind::Udp4 ? SOCK_DGRAM : SOCK_STREAM;
    m_socket.reset(::socket(address.storage.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    constexpr int kBacklog = 64;
    if (::bind(m_socket.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0
        || (type == SOCK_STREAM && ::listen(m_socket.get(), kBacklog) != 0)) {
        QTest::qFail(std::strerror(errno), __FILE__, __LINE__);
    }
    sockaddr_storage bound{};
    socklen_t size = sizeof(bound);
    ::getsockname(m_socket.get(), reinterpret_cast<sockaddr*>(&bound), &size);
    if (bound.ss_family == AF_INET) {
        m_port = ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
    } else if (bound.ss_family == AF_INET6) {
        m_port = ntohs(reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port);
    }
}

bool HostListener::wasReached() const
{
    // The kernel completes connections by itself; the socket is readable once one has come.
    pollfd ready{m_socket.get(), POLLIN, 0};
    return ::poll(&ready, 1, 0) == 1;
}

} // namespace revet::test
