// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/dialler.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <net/if.h>

namespace revet::egress {

namespace {

constexpr std::size_t kV4At = 12; ///< in IpAddress::bytes()

template<typename Address>
int connectTo(int socket, const Address& address)
{
    // The sockets interface asks for this cast.
    return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

} // namespace

Result<Way> Dialler::wayTo(const policy::IpAddress& address)
{
    return egress::wayTo(address);
}

Result<UniqueFd> Dialler::dial(const policy::IpAddress& address, std::uint16_t port)
{
    UniqueFd socket(
        ::socket(address.isV4() ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) {
        return failErrno("open a connection");
    }
    errno = beginConnect(socket.get(), address, port);
    return errno == 0 ? Result<UniqueFd>(std::move(socket)) : failErrno("open a connection");
}

int beginConnect(int socket, const policy::IpAddress& address, std::uint16_t port)
{
    int connected = -1;
    if (address.isV4()) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        std::memcpy(&to.sin_addr, address.bytes().data() + kV4At, sizeof to.sin_addr);
        connected = connectTo(socket, to);
    } else {
        sockaddr_in6 to{};
        to.sin6_family = AF_INET6;
        to.sin6_port = htons(port);
        std::memcpy(&to.sin6_addr, address.bytes().data(), sizeof to.sin6_addr);
        connected = connectTo(socket, to);
    }
    return connected == 0 || errno == EINPROGRESS ? 0 : errno;
}

int dialError(int socket)
{
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

} // namespace revet::egress
