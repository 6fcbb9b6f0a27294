// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/socket_address.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace revet::supervisor {
namespace {

constexpr std::size_t kShortestInet6 = 24; // SIN6_LEN_RFC2133: without a scope id

[[nodiscard]] SocketAddress parseLocal(std::span<const std::byte> bytes)
{
    const std::span<const std::byte> path = bytes.subspan(offsetof(sockaddr_un, sun_path));
    if (path.empty() || path.size() > sizeof(sockaddr_un::sun_path)) {
        return {};
    }
    std::string text(path.size(), '\0');
    std::memcpy(text.data(), path.data(), path.size());
    if (text.front() == '\0') {
        text.front() = '@';
        return {SocketAddress::Kind::LocalAbstract, std::move(text), false};
    }
    text.resize(std::min(text.find('\0'), text.size()));
    return {SocketAddress::Kind::LocalPath, std::move(text), false};
}

[[nodiscard]] SocketAddress parseInet(std::span<const std::byte> bytes)
{
    sockaddr_in address{};
    if (bytes.size() < sizeof address) {
        return {};
    }
    std::memcpy(&address, bytes.data(), sizeof address);
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    const std::uint32_t host = ntohl(address.sin_addr.s_addr);
    return {SocketAddress::Kind::Network,
            std::string(text.data()) + ':' + std::to_string(ntohs(address.sin_port)),
            host == INADDR_ANY || (host >> IN_CLASSA_NSHIFT) == IN_LOOPBACKNET, ntohs(address.sin_port)};
}

[[nodiscard]] SocketAddress parseInet6(std::span<const std::byte> bytes)
{
    if (bytes.size() < kShortestInet6) {
        return {};
    }
    sockaddr_in6 address{};
    std::memcpy(&address, bytes.data(), std::min(bytes.size(), sizeof address));
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
    const in6_addr& host = address.sin6_addr;
    const bool isLoopback = IN6_IS_ADDR_LOOPBACK(&host) || IN6_IS_ADDR_UNSPECIFIED(&host)
        || (IN6_IS_ADDR_V4MAPPED(&host) && host.s6_addr[12] == IN_LOOPBACKNET);
    return {SocketAddress::Kind::Network,
            '[' + std::string(text.data()) + "]:" + std::to_string(ntohs(address.sin6_port)), isLoopback,
            ntohs(address.sin6_port)};
}

} // namespace

SocketAddress parseSocketAddress(std::span<const std::byte> bytes)
{
    sa_family_t family = AF_UNSPEC;
    if (bytes.size() < sizeof family || bytes.size() > kSocketAddressMaximum) {
        return {};
    }
    std::memcpy(&family, bytes.data(), sizeof family);
    switch (family) {
    case AF_UNIX:
        return parseLocal(bytes);
    case AF_INET:
        return parseInet(bytes);
    case AF_INET6:
        return parseInet6(bytes);
    default:
        return {};
    }
}

std::string socketFamilyName(int family)
{
    static constexpr std::array<std::pair<int, const char*>, 14> kNames{{{AF_INET, "AF_INET"},
                                                                         {AF_INET6, "AF_INET6"},
                                                                         {AF_AX25, "AF_AX25"},
                                                                         {AF_KEY, "AF_KEY"},
                                                                         {AF_PACKET, "AF_PACKET"},
                                                                         {AF_RDS, "AF_RDS"},
                                                                         {AF_CAN, "AF_CAN"},
                                                                         {AF_TIPC, "AF_TIPC"},
                                                                         {AF_BLUETOOTH, "AF_BLUETOOTH"},
                                                                         {AF_ALG, "AF_ALG"},
                                                                         {AF_VSOCK, "AF_VSOCK"},
                                                                         {AF_QIPCRTR, "AF_QIPCRTR"},
                                                                         {AF_SMC, "AF_SMC"},
                                                                         {AF_XDP, "AF_XDP"}}};
    const auto* const name
        = std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) { return each.first == family; });
    return name == kNames.end() ? "address family " + std::to_string(family) : std::string(name->second);
}

} // namespace revet::supervisor
