// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/dns_message.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace revet::egress {

namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kMaximumWireName = 255;
constexpr std::size_t kMaximumLabel = 63;
constexpr std::uint16_t kOpt = 41; // EDNS(0), RFC 6891
constexpr std::uint16_t kInternet = 1;
constexpr unsigned kIsAnswer = 0x8000;
constexpr unsigned kOpcode = 0x7800;
constexpr unsigned kTruncated = 0x0200;
constexpr unsigned kRecursionDesired = 0x0100;
constexpr unsigned kRecursionAvailable = 0x0080;
constexpr unsigned kQuestionName = 0xc000 | kHeaderBytes; // a pointer to it

/// Reads numbers and names off a message; at its end everything fails.
class Reader
{
public:
    explicit Reader(std::string_view bytes)
        : m_bytes(bytes)
    {
    }
    [[nodiscard]] std::size_t position() const { return m_at; }
    [[nodiscard]] bool failed() const { return m_failed; }

    unsigned number(std::size_t bytes)
    {
        unsigned value = 0;
        for (const char byte : take(bytes)) {
            value = value << 8U | static_cast<unsigned char>(byte);
        }
        return value;
    }
    std::string_view take(std::size_t bytes)
    {
        if (m_bytes.size() - m_at < bytes) {
            m_failed = true;
            return {};
        }
        const std::string_view taken = m_bytes.substr(m_at, bytes);
        m_at += bytes;
        return taken;
    }
    /// The labels, uncompressed: a question is the first name, there is nothing to point at.
    std::vector<std::string_view> name()
    {
        std::vector<std::string_view> labels;
        const std::size_t start = m_at;
        for (;;) {
            const unsigned length = number(1);
            if (length == 0 || m_failed) {
                return labels;
            }
            if (length > kMaximumLabel || m_at - start + length + 1 > kMaximumWireName) {
                m_failed = true;
                return {};
            }
            labels.push_back(take(length));
        }
    }

private:
    std::string_view m_bytes;
    std::size_t m_at = 0;
    bool m_failed = false;
};

std::string joined(const std::vector<std::string_view>& labels)
{
    std::string text;
    for (const std::string_view label : labels) {
        // A dot within a label would make another name of it.
        if (label.find('.') != std::string_view::npos) {
            return {};
        }
        text.append(text.empty() ? "" : ".").append(label);
    }
    return text;
}

bool isAlike(std::string_view one, std::string_view other)
{
    return std::ranges::equal(one, other, [](char a, char b) { return (a | 0x20) == (b | 0x20); });
}

/// What the labels in front of "in-addr.arpa" or "ip6.arpa" spell, last one first.
std::optional<policy::IpAddress> reversedAddress(const std::vector<std::string_view>& labels)
{
    constexpr std::size_t kV4Labels = 4;
    constexpr std::size_t kV6Labels = 32;
    if (labels.size() < 2 || !isAlike(labels.back(), "arpa")) {
        return std::nullopt;
    }
    const std::string_view zone = labels[labels.size() - 2];
    const bool isFour = isAlike(zone, "in-addr") && labels.size() == kV4Labels + 2;
    if (!isFour && !(isAlike(zone, "ip6") && labels.size() == kV6Labels + 2)) {
        return std::nullopt;
    }
    std::string text;
    for (std::size_t i = labels.size() - 2; i-- > 0;) {
        if (!isFour && labels[i].size() != 1) {
            return std::nullopt;
        }
        text += labels[i];
        const bool isBoundary = isFour || (i % 4 == 0);
        text += isBoundary && i > 0 ? (isFour ? "." : ":") : "";
    }
    const auto address = policy::IpAddress::parse(text);
    return address ? std::optional(*address) : std::nullopt;
}

void put(std::string& message, std::uint32_t value, unsigned bytes)
{
    for (unsigned byte = bytes; byte-- > 0;) {
        message.push_back(static_cast<char>(value >> (byte * 8)));
    }
}

std::string wireName(const policy::HostName& name)
{
    std::string wire;
    for (const std::string_view label : name.labels()) {
        wire.push_back(static_cast<char>(label.size()));
        wire += label;
    }
    wire.push_back('\0');
    return wire;
}

std::string header(std::uint16_t id, unsigned flags, unsigned questions, unsigned answers,
                   unsigned additional)
{
    std::string message;
    for (const unsigned value : {static_cast<unsigned>(id), flags, questions, answers, 0U, additional}) {
        put(message, value, 2);
    }
    return message;
}

/// The data of each record that answers the question.
std::vector<std::string> recordsFor(const DnsQuery& query, const DnsAnswer& answer)
{
    std::vector<std::string> records;
    if (answer.status != DnsStatus::NoError) {
        return records;
    }
    for (const policy::IpAddress& address : answer.addresses) {
        const auto& bytes = address.bytes();
        if (query.type == (address.isV4() ? dns_type::kA : dns_type::kAaaa)) {
            records.emplace_back(address.isV4() ? bytes.end() - 4 : bytes.begin(), bytes.end());
        }
    }
    if (query.type == dns_type::kPtr && answer.pointer) {
        records.push_back(wireName(*answer.pointer));
    }
    return records;
}

} // namespace

std::variant<DnsQuery, DnsUnreadable> parseDnsQuery(std::string_view message)
{
    Reader reader(message);
    DnsQuery query;
    query.id = static_cast<std::uint16_t>(reader.number(2));
    const unsigned flags = reader.number(2);
    const unsigned questions = reader.number(2);
    const unsigned answers = reader.number(2) + reader.number(2);
    const unsigned additional = reader.number(2);
    if (reader.failed() || (flags & kIsAnswer) != 0) {
        return DnsUnreadable{};
    }
    query.wantsRecursion = (flags & kRecursionDesired) != 0;
    query.isStandard = (flags & kOpcode) == 0;
    const auto labels = reader.name();
    query.type = static_cast<std::uint16_t>(reader.number(2));
    query.isInternet = reader.number(2) == kInternet;
    if (reader.failed() || questions != 1 || answers != 0 || additional > 2) { // OPT, and a signature
        return DnsUnreadable{query.id};
    }
    query.question = message.substr(kHeaderBytes, reader.position() - kHeaderBytes);
    if (additional > 0) {
        query.hasEdns = reader.name().empty() && reader.number(2) == kOpt && !reader.failed();
    }
    // Non-ASCII bytes are no name on the wire, whatever they would be as text.
    const std::string text = joined(labels);
    if (std::ranges::all_of(text, [](char byte) { return static_cast<unsigned char>(byte) < 0x80; })) {
        if (auto name = policy::HostName::parse(text)) {
            query.name = std::move(*name);
        }
    }
    query.reversed = reversedAddress(labels);
    return query;
}

std::string encodeDnsAnswer(const DnsQuery& query, const DnsAnswer& answer, std::size_t maximumBytes)
{
    const std::string edns = query.hasEdns ? std::string("\0\0\x29\x04\xd0\0\0\0\0\0\0", 11) : std::string();
    std::string records;
    unsigned count = 0;
    bool isCut = false;
    for (const std::string& data : recordsFor(query, answer)) {
        std::string record;
        put(record, kQuestionName, 2);
        put(record, query.type, 2);
        put(record, kInternet, 2);
        put(record, answer.timeToLive, 4);
        put(record, static_cast<std::uint32_t>(data.size()), 2);
        record += data;
        isCut = kHeaderBytes + query.question.size() + records.size() + record.size() + edns.size()
            > maximumBytes;
        if (isCut) {
            break;
        }
        records += record;
        ++count;
    }
    const unsigned flags = kIsAnswer | kRecursionAvailable | (query.wantsRecursion ? kRecursionDesired : 0)
        | (isCut ? kTruncated : 0) | static_cast<unsigned>(answer.status);
    return header(query.id, flags, 1, count, query.hasEdns ? 1 : 0) + query.question + records + edns;
}

std::string encodeDnsFormatError(std::uint16_t id)
{
    return header(id, kIsAnswer | static_cast<unsigned>(DnsStatus::FormatError), 0, 0, 0);
}

} // namespace revet::egress
