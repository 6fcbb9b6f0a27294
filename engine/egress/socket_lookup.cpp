// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/socket_lookup.h"

#include <cstring>

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace revet::egress {

namespace {

/// As a socket of AF_INET6 knows an IPv4 address.
void fillMapped(char* to, const Endpoint& endpoint)
{
    const policy::IpAddress::Bytes mapped = endpoint.address().bytes();
    std::memcpy(to, mapped.data(), mapped.size());
}

inet_diag_req_v2 requestFor(const Connection& connection, int family)
{
    inet_diag_req_v2 request{};
    request.sdiag_family = static_cast<std::uint8_t>(family);
    request.sdiag_protocol = IPPROTO_TCP;
    request.idiag_states = ~0U;
    inet_diag_sockid& id = request.id;
    id.idiag_sport = htons(connection.client.port);
    id.idiag_dport = htons(connection.server.port);
    id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    auto* const source = reinterpret_cast<char*>(id.idiag_src); // words in network order
    auto* const destination = reinterpret_cast<char*>(id.idiag_dst);
    if (family == AF_INET6 && !connection.client.isV6) {
        fillMapped(source, connection.client);
        fillMapped(destination, connection.server);
    } else {
        std::memcpy(source, connection.client.bytes.data(), connection.client.bytes.size());
        std::memcpy(destination, connection.server.bytes.data(), connection.server.bytes.size());
    }
    return request;
}

} // namespace

Result<std::uint64_t> SocketLookup::waitingSocket(const Connection& connection)
{
    return find(connection, true);
}

Result<std::uint64_t> SocketLookup::connectedSocket(const Connection& connection)
{
    return find(connection, false);
}

Result<std::uint64_t> SocketLookup::find(const Connection& connection, bool isWaiting)
{
    for (const int family : {AF_INET, AF_INET6}) {
        if (family == AF_INET && connection.client.isV6) {
            continue;
        }
        const inet_diag_req_v2 request = requestFor(connection, family);
        REVET_ASSIGN_OR_RETURN(
            const std::string answer,
            m_socket.query(os::NetlinkMessage(SOCK_DIAG_BY_FAMILY, 0, os::bytesOf(request)),
                           "look for the socket of a connection"));
        inet_diag_msg found{};
        if (answer.size() < sizeof(nlmsghdr) + sizeof found) {
            continue;
        }
        std::memcpy(&found, answer.data() + sizeof(nlmsghdr), sizeof found);
        // The kernel gives a listener of that port where it has no connection.
        if (found.id.idiag_dport == request.id.idiag_dport
            && (found.idiag_state == TCP_SYN_SENT) == isWaiting) {
            return found.idiag_inode;
        }
    }
    return 0;
}

} // namespace revet::egress
