// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/ip_address.h"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace revet::egress {

/// One side of a TCP connection as a packet names it, to the bit: an IpAddress would be the same for several
/// of them.
struct Endpoint
{
    bool isV6 = false;
    std::array<std::uint8_t, 16> bytes{}; ///< of IPv4 the first four
    std::uint16_t port = 0;

    [[nodiscard]] policy::IpAddress address() const;
    friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

/// The two sides of a connection that a client in the box opens.
struct Connection
{
    Endpoint client;
    Endpoint server;
    friend auto operator<=>(const Connection&, const Connection&) = default;
};

/// The first packet of a connection.
struct Syn
{
    Connection connection;
    std::uint32_t sequence = 0; ///< tells a new attempt from a repetition of the same
    std::size_t tcpOffset = 0; ///< where in `packet` the TCP header begins
    std::string packet; ///< from the network header on
};

/// Any bytes. None for all but a whole, unfragmented TCP packet with SYN and without ACK, of IPv6 without
/// headers in between.
[[nodiscard]] std::optional<Syn> parseSyn(std::string_view packet);

/// The packet with its TCP checksum filled in: a veth leaves that to the receiver's hardware.
[[nodiscard]] std::string withChecksum(const Syn& syn);
/// What the server would answer if nobody listened.
[[nodiscard]] std::string resetFor(const Syn& syn);
/// What a router would answer. EHOSTUNREACH and ENETUNREACH reach the client as such; all else as
/// EHOSTUNREACH too, as there is no ICMP for a time-out.
[[nodiscard]] std::string unreachableFor(const Syn& syn, int errnoValue);

} // namespace revet::egress
