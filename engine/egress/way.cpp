// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/way.h"

#include "engine/os/netlink.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <linux/rtnetlink.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <net/if.h>

namespace revet::egress {

namespace {

constexpr std::size_t kV4At = 12; ///< in IpAddress::bytes()

struct Route
{
    unsigned type = RTN_UNREACHABLE;
    bool hasGateway = false;
    unsigned interface = 0;
};

/// Of an RTM_NEWROUTE; unreachable where it is none.
Route readRoute(std::string_view answer)
{
    Route route;
    rtmsg found{};
    if (answer.size() < NLMSG_HDRLEN + sizeof found) {
        return route;
    }
    answer.remove_prefix(NLMSG_HDRLEN);
    std::memcpy(&found, answer.data(), sizeof found);
    route.type = found.rtm_type;
    answer.remove_prefix(sizeof found);
    rtattr header{};
    while (answer.size() >= sizeof header) {
        std::memcpy(&header, answer.data(), sizeof header);
        const std::size_t length = header.rta_len;
        if (length < sizeof header || length > answer.size()) {
            break;
        }
        route.hasGateway = route.hasGateway || header.rta_type == RTA_GATEWAY || header.rta_type == RTA_VIA;
        if (header.rta_type == RTA_OIF && length == sizeof header + sizeof route.interface) {
            std::memcpy(&route.interface, answer.data() + sizeof header, sizeof route.interface);
        }
        answer.remove_prefix(std::min(answer.size(), static_cast<std::size_t>(RTA_ALIGN(length))));
    }
    return route;
}

/// A link with one other end, which has no gateway to name: of a VPN or a modem. Other hosts lie behind it.
bool isTunnel(unsigned interface)
{
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    return ::if_indextoname(interface, request.ifr_name) != nullptr
        && ::ioctl(socket.get(), SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_POINTOPOINT) != 0;
}

} // namespace

Result<Way> wayTo(const policy::IpAddress& address)
{
    const char* const operation = "look for the way to an address";
    const std::size_t start = address.isV4() ? kV4At : 0;
    const std::string_view bytes = os::bytesOf(address.bytes()).substr(start);
    rtmsg about{};
    about.rtm_family = address.isV4() ? AF_INET : AF_INET6;
    about.rtm_dst_len = static_cast<unsigned char>(8 * bytes.size());
    os::NetlinkMessage message(RTM_GETROUTE, 0, os::bytesOf(about));
    message.attribute(RTA_DST, bytes);
    REVET_ASSIGN_OR_RETURN(os::NetlinkSocket socket, os::NetlinkSocket::open(NETLINK_ROUTE));
    REVET_ASSIGN_OR_RETURN(const std::string answer, socket.query(std::move(message), operation));
    const Route route = readRoute(answer);
    switch (route.type) {
    case RTN_UNICAST:
        return route.hasGateway || isTunnel(route.interface) ? Way::Gateway : Way::Neighbour;
    case RTN_LOCAL:
    case RTN_BROADCAST:
    case RTN_ANYCAST:
    case RTN_MULTICAST:
        return Way::Own;
    default:
        return fail(Error::fromErrno(operation, ENETUNREACH));
    }
}

} // namespace revet::egress
