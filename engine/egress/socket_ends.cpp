// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/socket_ends.h"

#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace revet::egress {

namespace {

Endpoint endpointOf(const sockaddr_storage& address)
{
    Endpoint endpoint;
    if (address.ss_family == AF_INET6) {
        sockaddr_in6 six{};
        std::memcpy(&six, &address, sizeof six);
        endpoint.isV6 = true;
        endpoint.port = ntohs(six.sin6_port);
        std::memcpy(endpoint.bytes.data(), &six.sin6_addr, endpoint.bytes.size());
    } else {
        sockaddr_in four{};
        std::memcpy(&four, &address, sizeof four);
        endpoint.port = ntohs(four.sin_port);
        std::memcpy(endpoint.bytes.data(), &four.sin_addr, sizeof four.sin_addr);
    }
    return endpoint;
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);
std::optional<Endpoint> endOf(int socket, NameOf nameOf)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    // The sockets interface asks for this cast.
    return nameOf(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0
        ? std::optional(endpointOf(address))
        : std::nullopt;
}

} // namespace

std::optional<Connection> endsOf(int accepted)
{
    const auto client = endOf(accepted, ::getpeername);
    const auto own = endOf(accepted, ::getsockname);
    return client && own ? std::optional(Connection{*client, *own}) : std::nullopt;
}

} // namespace revet::egress
