// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/packet.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>

namespace revet::egress {

namespace {

constexpr std::size_t kV4Bytes = 4;
constexpr std::size_t kChecksumAt = 16; ///< in a TCP header
constexpr std::uint8_t kHops = 64;
constexpr std::size_t kQuotedTcpBytes = 8; ///< RFC 792: enough to tell the connection by
constexpr unsigned kFragmented = 0x3fff; ///< offset, or more to come

template<typename Header>
Header headerAt(std::string_view bytes, std::size_t at)
{
    Header header{};
    std::memcpy(&header, bytes.data() + at, sizeof header);
    return header;
}

template<typename Header>
void append(std::string& bytes, const Header& header)
{
    bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
}

std::size_t addressBytes(const Endpoint& endpoint)
{
    return endpoint.isV6 ? endpoint.bytes.size() : kV4Bytes;
}

std::string_view addressOf(const Endpoint& endpoint)
{
    return {reinterpret_cast<const char*>(endpoint.bytes.data()), addressBytes(endpoint)};
}

/// RFC 1071, the words so far in `sum`.
std::uint32_t addWords(std::string_view bytes, std::uint32_t sum = 0)
{
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        sum += i % 2 == 0 ? static_cast<std::uint32_t>(byte) << 8U : byte;
    }
    return sum;
}

std::uint16_t folded(std::uint32_t sum)
{
    while (sum >> 16U != 0) {
        sum = (sum & 0xffffU) + (sum >> 16U);
    }
    return htons(static_cast<std::uint16_t>(~sum & 0xffffU));
}

/// With the addresses in front, as TCP and ICMPv6 want it.
std::uint16_t pseudoChecksum(const Endpoint& from, const Endpoint& to, unsigned protocol,
                             std::string_view payload)
{
    std::uint32_t sum = addWords(addressOf(from));
    sum = addWords(addressOf(to), sum);
    sum += protocol + static_cast<std::uint32_t>(payload.size());
    return folded(addWords(payload, sum));
}

void put(std::string& bytes, std::size_t at, std::uint16_t value)
{
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string networkHeader(const Endpoint& from, const Endpoint& to, std::uint8_t protocol,
                          std::size_t payloadBytes)
{
    std::string bytes;
    if (from.isV6) {
        ip6_hdr header{};
        header.ip6_flow = htonl(6U << 28U);
        header.ip6_plen = htons(static_cast<std::uint16_t>(payloadBytes));
        header.ip6_nxt = protocol;
        header.ip6_hlim = kHops;
        std::memcpy(&header.ip6_src, from.bytes.data(), from.bytes.size());
        std::memcpy(&header.ip6_dst, to.bytes.data(), to.bytes.size());
        append(bytes, header);
        return bytes;
    }
    iphdr header{};
    header.version = 4;
    header.ihl = sizeof header / 4;
    header.tot_len = htons(static_cast<std::uint16_t>(sizeof header + payloadBytes));
    header.ttl = kHops;
    header.protocol = protocol;
    std::memcpy(&header.saddr, from.bytes.data(), kV4Bytes);
    std::memcpy(&header.daddr, to.bytes.data(), kV4Bytes);
    append(bytes, header);
    put(bytes, offsetof(iphdr, check), folded(addWords(bytes)));
    return bytes;
}

/// Fills in where TCP begins and who speaks to whom; how many bytes of `packet` belong to it, 0: none.
std::size_t readNetworkHeader(std::string_view packet, Syn& syn)
{
    Endpoint& client = syn.connection.client;
    Endpoint& server = syn.connection.server;
    const unsigned version = packet.empty() ? 0 : static_cast<unsigned char>(packet.front()) >> 4U;
    if (version == 4 && packet.size() >= sizeof(iphdr)) {
        const auto header = headerAt<iphdr>(packet, 0);
        syn.tcpOffset = std::size_t{header.ihl} * 4;
        std::memcpy(client.bytes.data(), &header.saddr, kV4Bytes);
        std::memcpy(server.bytes.data(), &header.daddr, kV4Bytes);
        const bool isWhole = (ntohs(header.frag_off) & kFragmented) == 0;
        return isWhole && header.protocol == IPPROTO_TCP && syn.tcpOffset >= sizeof header
            ? ntohs(header.tot_len)
            : 0;
    }
    if (version == 6 && packet.size() >= sizeof(ip6_hdr)) {
        const auto header = headerAt<ip6_hdr>(packet, 0);
        syn.tcpOffset = sizeof header;
        client.isV6 = server.isV6 = true;
        std::memcpy(client.bytes.data(), &header.ip6_src, client.bytes.size());
        std::memcpy(server.bytes.data(), &header.ip6_dst, server.bytes.size());
        return header.ip6_nxt == IPPROTO_TCP ? sizeof header + ntohs(header.ip6_plen) : 0;
    }
    return 0;
}

} // namespace

policy::IpAddress Endpoint::address() const
{
    return isV6 ? policy::IpAddress::v6(bytes)
                : policy::IpAddress::v4({bytes[0], bytes[1], bytes[2], bytes[3]});
}

std::optional<Syn> parseSyn(std::string_view packet)
{
    Syn syn;
    const std::size_t size = readNetworkHeader(packet, syn);
    if (size > packet.size() || size < syn.tcpOffset + sizeof(tcphdr)) {
        return std::nullopt;
    }
    const auto tcp = headerAt<tcphdr>(packet, syn.tcpOffset);
    if (tcp.syn == 0 || tcp.ack != 0 || tcp.rst != 0) {
        return std::nullopt;
    }
    syn.connection.client.port = ntohs(tcp.source);
    syn.connection.server.port = ntohs(tcp.dest);
    syn.sequence = ntohl(tcp.seq);
    syn.packet = packet.substr(0, size);
    return syn;
}

std::string withChecksum(const Syn& syn)
{
    std::string packet = syn.packet;
    put(packet, syn.tcpOffset + kChecksumAt, 0);
    const std::string_view tcp = std::string_view(packet).substr(syn.tcpOffset);
    const auto& [client, server] = syn.connection;
    put(packet, syn.tcpOffset + kChecksumAt, pseudoChecksum(client, server, IPPROTO_TCP, tcp));
    return packet;
}

std::string resetFor(const Syn& syn)
{
    const auto& [client, server] = syn.connection;
    tcphdr header{};
    header.source = htons(server.port);
    header.dest = htons(client.port);
    header.ack_seq = htonl(syn.sequence + 1);
    header.doff = sizeof header / 4;
    header.rst = 1;
    header.ack = 1;
    std::string tcp;
    append(tcp, header);
    put(tcp, kChecksumAt, pseudoChecksum(server, client, IPPROTO_TCP, tcp));
    return networkHeader(server, client, IPPROTO_TCP, tcp.size()) + tcp;
}

std::string unreachableFor(const Syn& syn, int errnoValue)
{
    const auto& [client, server] = syn.connection;
    const bool isNetwork = errnoValue == ENETUNREACH;
    std::string icmp(sizeof(icmphdr), '\0');
    if (client.isV6) {
        icmp[0] = ICMP6_DST_UNREACH;
        icmp[1] = isNetwork ? char{ICMP6_DST_UNREACH_NOROUTE} : char{ICMP6_DST_UNREACH_ADDR};
    } else {
        icmp[0] = ICMP_DEST_UNREACH;
        icmp[1] = isNetwork ? char{ICMP_NET_UNREACH} : char{ICMP_HOST_UNREACH};
    }
    icmp += syn.packet.substr(0, syn.tcpOffset + kQuotedTcpBytes);
    put(icmp, offsetof(icmphdr, checksum),
        client.isV6 ? pseudoChecksum(server, client, IPPROTO_ICMPV6, icmp) : folded(addWords(icmp)));
    const std::uint8_t protocol = client.isV6 ? std::uint8_t{IPPROTO_ICMPV6} : std::uint8_t{IPPROTO_ICMP};
    return networkHeader(server, client, protocol, icmp.size()) + icmp;
}

} // namespace revet::egress
