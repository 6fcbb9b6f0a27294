// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace revet::policy {

/// What an address is good for, by the registries of IANA (RFC 6890 and its successors).
enum class AddressKind : std::uint8_t {
    Public,
    Loopback,
    Private, ///< RFC 1918, unique local, carriers' own, link-local: somebody's inner network
    Metadata, ///< hands out a cloud machine's credentials to whoever asks; never to be granted
    Reserved, ///< no host has it: unspecified, multicast, documentation, benchmarks, the future
};
[[nodiscard]] std::string_view toString(AddressKind kind);

/// One of IPv4 or IPv6. An IPv4 address in the clothes of IPv6 (mapped, or by the well-known prefix of NAT64)
/// is that IPv4 address. Immutable.
class IpAddress
{
public:
    using Bytes = std::array<std::uint8_t, 16>;

    /// The forms of inet_pton(3) alone: "127.1" and "010.0.0.1" have meanings that depend on who reads them.
    [[nodiscard]] static Result<IpAddress> parse(std::string_view text);
    [[nodiscard]] static IpAddress v4(const std::array<std::uint8_t, 4>& bytes);
    [[nodiscard]] static IpAddress v6(const Bytes& bytes);

    [[nodiscard]] bool isV4() const;
    [[nodiscard]] AddressKind kind() const;
    /// RFC 5952.
    [[nodiscard]] std::string text() const;
    /// Network order; an IPv4 address is mapped (::ffff:a.b.c.d).
    [[nodiscard]] const Bytes& bytes() const { return m_bytes; }

    friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

private:
    friend class AddressRange; // halves its ranges, whose bytes are in order already
    explicit IpAddress(const Bytes& bytes)
        : m_bytes(bytes)
    {
    }
    Bytes m_bytes;
};

/// "10.0.0.0/8", "2001:db8::/32", or one address.
class AddressRange
{
public:
    /// Malformed too where bits are set behind the prefix: who writes 10.1.2.3/8 may mean either.
    [[nodiscard]] static Result<AddressRange> parse(std::string_view text);
    [[nodiscard]] bool contains(const IpAddress& address) const;
    /// Whether each of its addresses is in one of these.
    [[nodiscard]] bool isWithin(std::span<const AddressRange> ranges) const;
    /// Whether every address of it is private, or no host's.
    [[nodiscard]] bool isPrivate() const;
    /// Whether a box may ever reach one of its addresses: it has public or private ones.
    [[nodiscard]] bool isReachable() const;
    [[nodiscard]] std::string text() const;

    friend bool operator==(const AddressRange&, const AddressRange&) = default;

private:
    AddressRange(IpAddress first, unsigned bits)
        : m_first(first)
        , m_bits(bits)
    {
    }
    [[nodiscard]] bool overlaps(const AddressRange& other) const;
    IpAddress m_first;
    unsigned m_bits; ///< of the 128
};

} // namespace revet::policy
