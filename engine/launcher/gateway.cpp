// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/gateway.h"

#include "engine/launcher/gateway_links.h"
#include "engine/launcher/gateway_rules.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

namespace revet::launcher {

namespace {

constexpr int kBacklog = 8192;
constexpr std::uint16_t kTransparentPort = 1; ///< where the rules steer to
constexpr std::uint16_t kDnsPort = 53;

struct Sysctl
{
    const char* name;
    const char* value;
    bool isOptional = false; ///< not in every kernel
};
constexpr std::array kGatewaySysctls = {
    // An injected SYN comes in at lo with an address that lo does not lead to.
    Sysctl{"ipv4/conf/all/rp_filter", "0"},
    Sysctl{"ipv4/conf/default/rp_filter", "0"},
    Sysctl{"ipv4/conf/lo/rp_filter", "0"},
    // The acknowledgement of a cookie would make a connection without a SYN, thus without a judgement.
    Sysctl{"ipv4/tcp_syncookies", "0", true},
    Sysctl{"ipv4/tcp_max_syn_backlog", "8192", true},
    Sysctl{"core/somaxconn", "8192", true},
    Sysctl{"ipv4/ip_forward", "0"},
    Sysctl{"ipv4/icmp_ratelimit", "0", true},
    Sysctl{"ipv6/icmp/ratelimit", "0", true},
    Sysctl{"ipv6/conf/default/accept_ra", "0", true},
};
constexpr std::array kBoxSysctls = {
    // Data in a SYN, and further paths of a connection, would go unjudged; the gateway drops both.
    Sysctl{"ipv4/tcp_fastopen", "0"}, Sysctl{"mptcp/enabled", "0", true},
    Sysctl{"ipv4/tcp_syn_retries", "10"}, // a SYN may be held for ten minutes
};

Result<void> setAll(const char* proc, std::span<const Sysctl> sysctls)
{
    for (const Sysctl& sysctl : sysctls) {
        const std::string path = std::string(proc) + "/sys/net/" + sysctl.name;
        const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (!file && errno == ENOENT && sysctl.isOptional) {
            continue;
        }
        if (!file || ::write(file.get(), sysctl.value, std::strlen(sysctl.value)) < 0) {
            return failErrno("set " + path);
        }
    }
    return {};
}

Result<void> switchOn(const UniqueFd& socket, int level, int option)
{
    const int on = 1;
    return ::setsockopt(socket.get(), level, option, &on, sizeof on) == 0
        ? Result<void>()
        : failErrno("make a socket of the gateway transparent");
}

template<typename Address>
Result<void> bindTo(const UniqueFd& socket, const Address& address)
{
    // The sockets interface asks for this cast.
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
        ? Result<void>()
        : failErrno("bind a socket of the gateway");
}

Result<UniqueFd> openSocket(int family, int type)
{
    UniqueFd socket(::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    return socket ? Result<UniqueFd>(std::move(socket)) : failErrno("open a socket of the gateway");
}

Result<UniqueFd> listen4()
{
    REVET_ASSIGN_OR_RETURN(UniqueFd socket, openSocket(AF_INET, SOCK_STREAM));
    REVET_RETURN_IF_ERROR(switchOn(socket, IPPROTO_IP, IP_TRANSPARENT));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(kTransparentPort);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REVET_RETURN_IF_ERROR(bindTo(socket, address));
    return ::listen(socket.get(), kBacklog) == 0 ? Result<UniqueFd>(std::move(socket))
                                                 : failErrno("listen in the gateway");
}

Result<UniqueFd> listen6()
{
    REVET_ASSIGN_OR_RETURN(UniqueFd socket, openSocket(AF_INET6, SOCK_STREAM));
    REVET_RETURN_IF_ERROR(switchOn(socket, IPPROTO_IPV6, IPV6_V6ONLY));
    REVET_RETURN_IF_ERROR(switchOn(socket, IPPROTO_IPV6, IPV6_TRANSPARENT));
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(kTransparentPort);
    address.sin6_addr = in6addr_loopback;
    REVET_RETURN_IF_ERROR(bindTo(socket, address));
    return ::listen(socket.get(), kBacklog) == 0 ? Result<UniqueFd>(std::move(socket))
                                                 : failErrno("listen in the gateway");
}

Result<UniqueFd> openResolver()
{
    REVET_ASSIGN_OR_RETURN(UniqueFd socket, openSocket(AF_INET, SOCK_DGRAM));
    REVET_RETURN_IF_ERROR(switchOn(socket, IPPROTO_IP, IP_TRANSPARENT));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(kDnsPort);
    std::memcpy(&address.sin_addr, kResolver.data(), kResolver.size());
    REVET_RETURN_IF_ERROR(bindTo(socket, address));
    return socket;
}

/// Takes in: what came from the box, IPv4 unfragmented or IPv6, TCP, SYN without ACK. Offset 0 is the network
/// header.
Result<void> filterTap(const UniqueFd& tap)
{
    constexpr unsigned kPacketType = static_cast<unsigned>(SKF_AD_OFF + SKF_AD_PKTTYPE);
    constexpr unsigned kProtocol = static_cast<unsigned>(SKF_AD_OFF + SKF_AD_PROTOCOL);
    std::array program = {
        sock_filter BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kPacketType),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 17, 0),
        sock_filter BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kProtocol),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 8),
        sock_filter BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9), // protocol
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 13),
        sock_filter BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6), // fragment
        sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x3fff, 11, 0),
        sock_filter BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0), // length of the header
        sock_filter BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13), // flags
        sock_filter BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 6, 7),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 0, 6),
        sock_filter BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6), // next header: no other in between
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 4),
        sock_filter BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 40 + 13), // flags
        sock_filter BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, kTapFrameBytes),
        sock_filter BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::setsockopt(tap.get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0
        ? Result<void>()
        : failErrno("filter the gateway's tap");
}

Result<void> addRing(const UniqueFd& tap)
{
    // A socket's own buffer holds some 300 SYNs, and more is not to be had in a user namespace.
    const int version = TPACKET_V2;
    const tpacket_req ring{kTapBlockBytes, kTapFrames * kTapFrameBytes / kTapBlockBytes, kTapFrameBytes,
                           kTapFrames};
    if (::setsockopt(tap.get(), SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0
        || ::setsockopt(tap.get(), SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring) != 0) {
        return failErrno("make the gateway's ring");
    }
    return {};
}

Result<void> bindTap(const UniqueFd& tap)
{
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = kGatewayVeth;
    return bindTo(tap, address);
}

bool hasIpv6()
{
    return UniqueFd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)).isOpen();
}

Result<UniqueFd> ownNetwork(const char* proc)
{
    const std::string path = std::string(proc) + "/self/ns/net";
    UniqueFd opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return opened ? Result<UniqueFd>(std::move(opened)) : failErrno("open " + path);
}

UniqueFd& at(GatewaySockets& sockets, GatewaySocket which)
{
    return sockets.at(static_cast<std::size_t>(which));
}

} // namespace

namespace {

/// In the gateway's own namespace, which the caller has made and is in.
Result<GatewaySockets> fillGateway(const char* proc, os::NetlinkSocket& boxRoutes)
{
    const bool withV6 = hasIpv6();
    REVET_RETURN_IF_ERROR(setAll(proc, kGatewaySysctls));
    REVET_RETURN_IF_ERROR(loadGatewayRules());
    REVET_ASSIGN_OR_RETURN(os::NetlinkSocket gatewayRoutes, os::NetlinkSocket::open(NETLINK_ROUTE));
    REVET_RETURN_IF_ERROR(prepareGatewayLinks(gatewayRoutes, withV6));
    GatewaySockets sockets;
    REVET_ASSIGN_OR_RETURN(at(sockets, GatewaySocket::Listener4), listen4());
    if (withV6) {
        REVET_ASSIGN_OR_RETURN(at(sockets, GatewaySocket::Listener6), listen6());
    }
    REVET_ASSIGN_OR_RETURN(at(sockets, GatewaySocket::Resolver), openResolver());
    REVET_ASSIGN_OR_RETURN(at(sockets, GatewaySocket::Tap), openSocket(AF_PACKET, SOCK_DGRAM));
    REVET_ASSIGN_OR_RETURN(at(sockets, GatewaySocket::Injector), openSocket(AF_PACKET, SOCK_DGRAM));
    REVET_ASSIGN_OR_RETURN(const UniqueFd gateway, ownNetwork(proc));
    REVET_RETURN_IF_ERROR(joinLinks(boxRoutes, gatewayRoutes, gateway.get(), withV6));
    return sockets;
}

} // namespace

Result<GatewaySockets> makeGateway(const char* proc)
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd box, ownNetwork(proc));
    REVET_ASSIGN_OR_RETURN(os::NetlinkSocket boxRoutes, os::NetlinkSocket::open(NETLINK_ROUTE));
    REVET_ASSIGN_OR_RETURN(os::NetlinkSocket lookup, os::NetlinkSocket::open(NETLINK_SOCK_DIAG));
    REVET_RETURN_IF_ERROR(setAll(proc, kBoxSysctls));
    if (::unshare(CLONE_NEWNET) != 0) {
        return failErrno("make the gateway's network namespace");
    }
    auto sockets = fillGateway(proc, boxRoutes);
    if (::setns(box.get(), CLONE_NEWNET) != 0) {
        return failErrno("go back to the box's network namespace");
    }
    if (sockets) {
        at(*sockets, GatewaySocket::Lookup) = lookup.take();
    }
    return sockets;
}

Result<void> startTap(const GatewaySockets& sockets)
{
    // Opened with protocol 0, it takes in nothing until it is bound.
    const UniqueFd& tap = sockets.at(static_cast<std::size_t>(GatewaySocket::Tap));
    REVET_RETURN_IF_ERROR(filterTap(tap));
    REVET_RETURN_IF_ERROR(addRing(tap));
    return bindTap(tap);
}

} // namespace revet::launcher
