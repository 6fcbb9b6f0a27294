// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/ip_address.h"

#include "engine/base/assert.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

namespace revet::policy {

namespace {

constexpr unsigned kAllBits = 128;
constexpr unsigned kMappedBits = 96; ///< in front of an IPv4 address
constexpr std::size_t kV4At = 12;
constexpr IpAddress::Bytes kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr IpAddress::Bytes kNat64{0, 0x64, 0xff, 0x9b}; // RFC 6052
constexpr IpAddress::Bytes kLocalNat64{0, 0x64, 0xff, 0x9b, 0, 1}; // RFC 8215: of a network's own
constexpr unsigned kLocalNat64Bits = 48;
constexpr std::size_t kNat64Gap = 8;

bool hasPrefix(const IpAddress::Bytes& bytes, const IpAddress::Bytes& prefix, unsigned bits)
{
    const auto whole = static_cast<std::ptrdiff_t>(bits / 8);
    if (!std::equal(bytes.begin(), bytes.begin() + whole, prefix.begin())) {
        return false;
    }
    const unsigned rest = bits % 8;
    const auto at = static_cast<std::size_t>(whole);
    return rest == 0 || (bytes.at(at) >> (8U - rest)) == (prefix.at(at) >> (8U - rest));
}

struct Entry
{
    const char* range;
    AddressKind kind;
};
/// The first that fits. What is not here is public.
constexpr std::array kRegistry = {
    // Amazon and most others; Amazon's IPv6; Alibaba; Azure's WireServer; Oracle.
    Entry{"169.254.169.254", AddressKind::Metadata},
    Entry{"169.254.170.2", AddressKind::Metadata},
    Entry{"169.254.170.23", AddressKind::Metadata},
    Entry{"fd00:ec2::/32", AddressKind::Metadata},
    Entry{"fd20:ce::254", AddressKind::Metadata},
    Entry{"100.100.100.200", AddressKind::Metadata},
    Entry{"168.63.129.16", AddressKind::Metadata},
    Entry{"192.0.0.192", AddressKind::Metadata},
    Entry{"127.0.0.0/8", AddressKind::Loopback},
    Entry{"::1", AddressKind::Loopback},
    Entry{"10.0.0.0/8", AddressKind::Private},
    Entry{"172.16.0.0/12", AddressKind::Private},
    Entry{"192.168.0.0/16", AddressKind::Private},
    Entry{"100.64.0.0/10", AddressKind::Private},
    Entry{"169.254.0.0/16", AddressKind::Private},
    Entry{"fc00::/7", AddressKind::Private},
    Entry{"fe80::/10", AddressKind::Private},
    Entry{"fec0::/10", AddressKind::Private},
    Entry{"64:ff9b:1::/48", AddressKind::Private},
    Entry{"0.0.0.0/8", AddressKind::Reserved},
    Entry{"192.0.0.0/24", AddressKind::Reserved},
    Entry{"192.0.2.0/24", AddressKind::Reserved},
    Entry{"192.88.99.0/24", AddressKind::Reserved},
    Entry{"198.18.0.0/15", AddressKind::Reserved},
    Entry{"198.51.100.0/24", AddressKind::Reserved},
    Entry{"203.0.113.0/24", AddressKind::Reserved},
    Entry{"224.0.0.0/3", AddressKind::Reserved},
    Entry{"::/96", AddressKind::Reserved},
    Entry{"::ffff:0:0:0/96", AddressKind::Reserved}, // translated IPv4 (RFC 2765)
    Entry{"100::/64", AddressKind::Reserved},
    Entry{"2001::/23", AddressKind::Reserved}, // Teredo, ORCHID: tunnels to anywhere
    Entry{"2001:db8::/32", AddressKind::Reserved},
    Entry{"2002::/16", AddressKind::Reserved}, // 6to4: the same
    Entry{"3fff::/20", AddressKind::Reserved},
    Entry{"5f00::/16", AddressKind::Reserved},
    Entry{"ff00::/8", AddressKind::Reserved},
};

/// The registry as ranges, in its order.
const std::vector<std::pair<AddressRange, AddressKind>>& registry()
{
    static const std::vector<std::pair<AddressRange, AddressKind>> kRanges = [] {
        std::vector<std::pair<AddressRange, AddressKind>> ranges;
        for (const Entry& entry : kRegistry) {
            auto range = AddressRange::parse(entry.range);
            REVET_ASSERT(range);
            ranges.emplace_back(*range, entry.kind);
        }
        return ranges;
    }();
    return kRanges;
}

/// All of the registry that is not public; no other range holds a private one.
std::vector<AddressRange> specialRanges(bool withPrivate)
{
    std::vector<AddressRange> ranges;
    for (const auto& [range, kind] : registry()) {
        if (withPrivate || kind != AddressKind::Private) {
            ranges.push_back(range);
        }
    }
    return ranges;
}

} // namespace

std::string_view toString(AddressKind kind)
{
    switch (kind) {
    case AddressKind::Public:
        return "public";
    case AddressKind::Loopback:
        return "loopback";
    case AddressKind::Private:
        return "private";
    case AddressKind::Metadata:
        return "metadata";
    case AddressKind::Reserved:
        return "reserved";
    }
    return "reserved";
}

IpAddress IpAddress::v4(const std::array<std::uint8_t, 4>& bytes)
{
    Bytes mapped = kMapped;
    std::ranges::copy(bytes, mapped.begin() + kV4At);
    return IpAddress(mapped);
}

IpAddress IpAddress::v6(const Bytes& bytes)
{
    Bytes plain = bytes;
    if (hasPrefix(bytes, kNat64, kMappedBits)) {
        std::copy_n(kMapped.begin(), kV4At, plain.begin());
    }
    return IpAddress(plain);
}

Result<IpAddress> IpAddress::parse(std::string_view text)
{
    const std::string terminated(text);
    std::array<std::uint8_t, 4> four{};
    if (terminated.size() == text.size() && text.find('\0') == std::string_view::npos) {
        if (::inet_pton(AF_INET, terminated.c_str(), four.data()) == 1) {
            return v4(four);
        }
        Bytes six{};
        if (::inet_pton(AF_INET6, terminated.c_str(), six.data()) == 1) {
            return v6(six);
        }
    }
    return fail(ErrorCode::Malformed, "read the address " + displayQuoted(text.substr(0, INET6_ADDRSTRLEN)));
}

bool IpAddress::isV4() const
{
    return hasPrefix(m_bytes, kMapped, kMappedBits);
}

AddressKind IpAddress::kind() const
{
    if (hasPrefix(m_bytes, kLocalNat64, kLocalNat64Bits)) {
        // Where the IPv4 address begins (RFC 6052, 2.2: behind 48, 56, 64 or 96 bits, not across byte 8)
        // is known to the network only.
        for (const std::size_t begin : {6U, 7U, 9U, 12U}) {
            std::array<std::uint8_t, 4> inner{};
            for (std::size_t i = 0, at = begin; i < inner.size(); ++i, ++at) {
                at += at == kNat64Gap ? 1 : 0;
                inner[i] = m_bytes[at];
            }
            const AddressKind within = v4(inner).kind();
            if (within == AddressKind::Metadata || within == AddressKind::Loopback) {
                return within;
            }
        }
        return AddressKind::Private;
    }
    const auto found
        = std::ranges::find_if(registry(), [this](const auto& entry) { return entry.first.contains(*this); });
    return found == registry().end() ? AddressKind::Public : found->second;
}

std::string IpAddress::text() const
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool isFour = isV4();
    ::inet_ntop(isFour ? AF_INET : AF_INET6, isFour ? &m_bytes.at(kV4At) : m_bytes.data(), text.data(),
                text.size());
    return text.data();
}

Result<AddressRange> AddressRange::parse(std::string_view text)
{
    const auto refuse = [text](const char* why) {
        return fail(ErrorCode::Malformed, "read the range " + displayQuoted(text), why);
    };
    const std::size_t slash = std::min(text.find('/'), text.size());
    REVET_ASSIGN_OR_RETURN(const IpAddress first, IpAddress::parse(text.substr(0, slash)));
    // By how it is written: ::ffff:10.0.0.0/104 is the same range as 10.0.0.0/8.
    const bool isFour = text.substr(0, slash).find(':') == std::string_view::npos;
    unsigned bits = kAllBits;
    if (slash < text.size()) {
        const std::string_view number = text.substr(slash + 1);
        const char* const end = number.data() + number.size();
        const auto [stopped, error] = std::from_chars(number.data(), end, bits);
        const unsigned width = isFour ? kAllBits - kMappedBits : kAllBits;
        if (number.empty() || stopped != end || error != std::errc() || bits > width
            || (number.size() > 1 && number.front() == '0')) {
            return refuse("behind the slash stands the number of bits");
        }
        bits += isFour ? kMappedBits : 0;
    }
    const AddressRange range(first, bits);
    for (unsigned bit = bits; bit < kAllBits; ++bit) {
        if ((unsigned{first.bytes().at(bit / 8)} >> (7U - bit % 8) & 1U) != 0) {
            return refuse("there are bits behind the prefix");
        }
    }
    return range;
}

bool AddressRange::contains(const IpAddress& address) const
{
    // "::/0" is about IPv6: an IPv4 address is in it only by how it is kept.
    const bool isAlike = m_bits >= kMappedBits || !address.isV4();
    return isAlike && hasPrefix(address.bytes(), m_first.bytes(), m_bits);
}

bool AddressRange::overlaps(const AddressRange& other) const
{
    const bool isAlike
        = (m_bits >= kMappedBits && m_first.isV4()) == (other.m_bits >= kMappedBits && other.m_first.isV4());
    return isAlike && hasPrefix(m_first.bytes(), other.m_first.bytes(), std::min(m_bits, other.m_bits));
}

bool AddressRange::isWithin(std::span<const AddressRange> ranges) const
{
    bool isTouched = false;
    for (const AddressRange& range : ranges) {
        const bool overlaps = this->overlaps(range);
        if (overlaps && range.m_bits <= m_bits) {
            return true;
        }
        isTouched = isTouched || overlaps;
    }
    if (!isTouched) { // a single address never comes further
        return false;
    }
    IpAddress::Bytes upper = m_first.bytes();
    upper.at(m_bits / 8) |= static_cast<std::uint8_t>(0x80U >> m_bits % 8);
    return AddressRange(m_first, m_bits + 1).isWithin(ranges)
        && AddressRange(IpAddress(upper), m_bits + 1).isWithin(ranges);
}

bool AddressRange::isPrivate() const
{
    static const std::vector<AddressRange> kSpecial = specialRanges(true);
    return isWithin(kSpecial);
}

bool AddressRange::isReachable() const
{
    static const std::vector<AddressRange> kNever = specialRanges(false);
    return !isWithin(kNever);
}

std::string AddressRange::text() const
{
    if (m_bits == kAllBits) {
        return m_first.text();
    }
    return m_first.text() + '/' + std::to_string(m_first.isV4() ? m_bits - kMappedBits : m_bits);
}

} // namespace revet::policy
