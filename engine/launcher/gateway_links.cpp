// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// In the words of ip(8), 198.19.255.0/30 out of the range of our own addresses shadowing nobody's network:
//
//     gateway: ip link set lo up; ip route add local default dev lo table main; ip -6 …
//     box:     ip link add eth0 address 02:… type veth peer name gw0 index 100 address 02:… netns GATEWAY
//              ip link set … addrgenmode none up; ip address add …; ip neighbour add … nud permanent
//              ip route add default via 198.19.255.1; ip -6 route add default via fd72:6576::1

#include "engine/launcher/gateway_links.h"

#include "engine/launcher/gateway.h"

#include <array>
#include <string>

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sys/socket.h>

#include <net/if.h>

namespace revet::launcher {

namespace {

using os::bytesOf;
using os::NetlinkMessage;
using os::NetlinkSocket;

constexpr int kLoopback = 1;
constexpr int kBoxVeth = 100;
constexpr std::uint16_t kCreate = NLM_F_CREATE | NLM_F_EXCL;

/// An address of one of the two ends.
struct Address
{
    int family;
    const char* text;
    std::uint8_t prefix;
};
constexpr std::array kGatewayEnd
    = {Address{AF_INET, "198.19.255.1", 30}, Address{AF_INET6, "fd72:6576::1", 64}};
constexpr std::array kBoxEnd = {Address{AF_INET, "198.19.255.2", 30}, Address{AF_INET6, "fd72:6576::2", 64}};
constexpr std::array<char, 6> kGatewayHardware = {2, 0, 0, 0, 0, 1};

std::string binary(const Address& address)
{
    std::array<char, 16> bytes{};
    ::inet_pton(address.family, address.text, bytes.data());
    return {bytes.data(), address.family == AF_INET ? std::size_t{4} : bytes.size()};
}

template<typename Number>
std::string number(Number value)
{
    return std::string(bytesOf(value));
}

std::string_view hardware(const std::array<char, 6>& address)
{
    return {address.data(), address.size()};
}

ifinfomsg linkHeader(int index)
{
    ifinfomsg header{};
    header.ifi_index = index;
    header.ifi_flags = IFF_UP;
    header.ifi_change = IFF_UP;
    return header;
}

Result<void> raiseLoopback(NetlinkSocket& socket)
{
    return socket.request(NetlinkMessage(RTM_NEWLINK, 0, bytesOf(linkHeader(kLoopback))),
                          "bring the loopback interface up");
}

void withoutOwnAddresses(NetlinkMessage& link)
{
    link.nested(IFLA_AF_SPEC, [&] {
        link.nested(AF_INET6, [&] {
            link.attribute(IFLA_INET6_ADDR_GEN_MODE, std::string(1, IN6_ADDR_GEN_MODE_NONE));
        });
    });
}

Result<void> addVeth(NetlinkSocket& box, int gatewayNamespace)
{
    ifinfomsg own{};
    own.ifi_index = kBoxVeth;
    ifinfomsg peer{};
    peer.ifi_index = kGatewayVeth;
    NetlinkMessage link(RTM_NEWLINK, kCreate, bytesOf(own));
    link.text(IFLA_IFNAME, "eth0");
    link.attribute(IFLA_ADDRESS, hardware(kBoxHardware));
    link.nested(IFLA_LINKINFO, [&] {
        link.text(IFLA_INFO_KIND, "veth");
        link.nested(IFLA_INFO_DATA, [&] {
            link.nested(VETH_INFO_PEER, [&] {
                link.raw(bytesOf(peer));
                link.text(IFLA_IFNAME, "gw0");
                link.attribute(IFLA_ADDRESS, hardware(kGatewayHardware));
                link.attribute(IFLA_NET_NS_FD, number(gatewayNamespace));
            });
        });
    });
    return box.request(link, "join the box to its gateway");
}

Result<void> raise(NetlinkSocket& socket, int index, bool withV6)
{
    NetlinkMessage link(RTM_NEWLINK, 0, bytesOf(linkHeader(index)));
    if (withV6) {
        withoutOwnAddresses(link);
    }
    return socket.request(link, "bring the box's interface up");
}

Result<void> addAddress(NetlinkSocket& socket, int index, const Address& address)
{
    ifaddrmsg header{};
    header.ifa_family = static_cast<std::uint8_t>(address.family);
    header.ifa_prefixlen = address.prefix;
    header.ifa_index = static_cast<unsigned>(index);
    NetlinkMessage message(RTM_NEWADDR, kCreate, bytesOf(header));
    message.attribute(IFA_LOCAL, binary(address));
    message.attribute(IFA_ADDRESS, binary(address));
    message.attribute(IFA_FLAGS, number(std::uint32_t{IFA_F_NODAD}));
    return socket.request(message, "give the box's interface an address");
}

Result<void> addNeighbour(NetlinkSocket& socket, int index, const Address& address, std::string_view where)
{
    ndmsg header{};
    header.ndm_family = static_cast<std::uint8_t>(address.family);
    header.ndm_ifindex = index;
    header.ndm_state = NUD_PERMANENT;
    NetlinkMessage message(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, bytesOf(header));
    message.attribute(NDA_DST, binary(address));
    message.attribute(NDA_LLADDR, where);
    return socket.request(message, "name the neighbour of the box");
}

rtmsg routeHeader(int family, std::uint8_t type, std::uint8_t scope)
{
    rtmsg header{};
    header.rtm_family = static_cast<std::uint8_t>(family);
    header.rtm_table = RT_TABLE_MAIN;
    header.rtm_protocol = RTPROT_STATIC;
    header.rtm_scope = scope;
    header.rtm_type = type;
    return header;
}

Result<void> takeEverythingForLocal(NetlinkSocket& gateway, int family)
{
    NetlinkMessage route(RTM_NEWROUTE, kCreate, bytesOf(routeHeader(family, RTN_LOCAL, RT_SCOPE_HOST)));
    route.attribute(RTA_OIF, number(kLoopback));
    return gateway.request(route, "route everything to the gateway");
}

Result<void> addDefaultRoute(NetlinkSocket& box, const Address& through)
{
    NetlinkMessage route(RTM_NEWROUTE, kCreate,
                         bytesOf(routeHeader(through.family, RTN_UNICAST, RT_SCOPE_UNIVERSE)));
    route.attribute(RTA_GATEWAY, binary(through));
    route.attribute(RTA_OIF, number(kBoxVeth));
    return box.request(route, "route the box to its gateway");
}

Result<void> addressBothEnds(NetlinkSocket& box, NetlinkSocket& gateway, std::size_t which)
{
    const Address& near = kBoxEnd.at(which);
    const Address& far = kGatewayEnd.at(which);
    REVET_RETURN_IF_ERROR(addAddress(gateway, kGatewayVeth, far));
    REVET_RETURN_IF_ERROR(addAddress(box, kBoxVeth, near));
    REVET_RETURN_IF_ERROR(addNeighbour(gateway, kGatewayVeth, near, hardware(kBoxHardware)));
    REVET_RETURN_IF_ERROR(addNeighbour(box, kBoxVeth, far, hardware(kGatewayHardware)));
    return addDefaultRoute(box, far);
}

} // namespace

Result<void> prepareGatewayLinks(NetlinkSocket& gateway, bool withV6)
{
    REVET_RETURN_IF_ERROR(raiseLoopback(gateway));
    REVET_RETURN_IF_ERROR(takeEverythingForLocal(gateway, AF_INET));
    // In the main table: in the local one it would swallow the box's own prefix.
    return withV6 ? takeEverythingForLocal(gateway, AF_INET6) : Result<void>();
}

Result<void> joinLinks(NetlinkSocket& box, NetlinkSocket& gateway, int gatewayNamespace, bool withV6)
{
    REVET_RETURN_IF_ERROR(addVeth(box, gatewayNamespace));
    REVET_RETURN_IF_ERROR(raise(gateway, kGatewayVeth, withV6));
    REVET_RETURN_IF_ERROR(raise(box, kBoxVeth, withV6));
    for (std::size_t family = 0; family < (withV6 ? kBoxEnd.size() : 1); ++family) {
        REVET_RETURN_IF_ERROR(addressBothEnds(box, gateway, family));
    }
    return {};
}

} // namespace revet::launcher
