// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/host_name.h"
#include "engine/policy/ip_address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace revet::egress {

namespace dns_type {
inline constexpr std::uint16_t kA = 1;
inline constexpr std::uint16_t kPtr = 12;
inline constexpr std::uint16_t kAaaa = 28;
inline constexpr std::uint16_t kAny = 255;
} // namespace dns_type

/// How an answer ends (RFC 1035, RCODE).
enum class DnsStatus : std::uint8_t {
    NoError = 0,
    FormatError = 1,
    ServerFailure = 2,
    NoSuchName = 3,
    NotImplemented = 4,
    Refused = 5,
};

/// A question that a box asks. One a message: what asks several is answered FormatError, as servers do.
struct DnsQuery
{
    std::uint16_t id = 0;
    bool wantsRecursion = false;
    bool isStandard = true; ///< else an update, a notification: NotImplemented
    /// None: the bytes are no host's name (spaces, dots within a label), so no host has it.
    std::optional<policy::HostName> name;
    /// For PTR: the address that the name spells, below in-addr.arpa or ip6.arpa.
    std::optional<policy::IpAddress> reversed;
    std::uint16_t type = 0;
    bool isInternet = true; ///< class IN
    bool hasEdns = false;
    std::string question; ///< name, type and class as they came: an answer repeats them, letter case too
};
/// What is no question.
struct DnsUnreadable
{
    std::optional<std::uint16_t> id; ///< to answer FormatError to; none: an answer, or too short: drop it
};
/// Any bytes.
[[nodiscard]] std::variant<DnsQuery, DnsUnreadable> parseDnsQuery(std::string_view message);

/// What is answered: addresses for A and AAAA, a name for PTR.
struct DnsAnswer
{
    DnsStatus status = DnsStatus::NoError;
    std::vector<policy::IpAddress> addresses; ///< those of the wrong family for the question are left out
    std::optional<policy::HostName> pointer;
    std::uint32_t timeToLive = 0; ///< seconds
};
/// At most `maximumBytes`: what does not fit is left out and the message says so (TC).
[[nodiscard]] std::string encodeDnsAnswer(const DnsQuery& query, const DnsAnswer& answer,
                                          std::size_t maximumBytes);
[[nodiscard]] std::string encodeDnsFormatError(std::uint16_t id);

} // namespace revet::egress
