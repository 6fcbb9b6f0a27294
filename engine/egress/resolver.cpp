// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/resolver.h"

#include <utility>

namespace revet::egress {

namespace {

constexpr std::uint32_t kTimeToLive = 60; // seconds
constexpr std::chrono::seconds kPinnedFor{60};
constexpr std::chrono::seconds kFailurePinnedFor{5};
constexpr std::size_t kMaximumWaiting = 1024; ///< for one name
constexpr std::size_t kMaximumPins = 4096; ///< a wildcard permits names without end

bool isBelow(const policy::HostName& name, std::string_view zone)
{
    return name.labels().back() == zone;
}

policy::IpAddress loopback(bool isV4)
{
    policy::IpAddress::Bytes six{};
    six.back() = 1;
    return isV4 ? policy::IpAddress::v4({127, 0, 0, 1}) : policy::IpAddress::v6(six);
}

DnsAnswer withStatus(DnsStatus status)
{
    DnsAnswer answer;
    answer.status = status;
    return answer;
}

} // namespace

Resolver::Resolver(const Decider& decider, ConnectionWatch& watch, Lookups& lookups, const Clock& clock)
    : m_decider(decider)
    , m_watch(watch)
    , m_lookups(lookups)
    , m_clock(clock)
{
}

void Resolver::ask(std::string_view message, std::size_t maximumBytes, const Reply& reply)
{
    const auto parsed = parseDnsQuery(message);
    if (const auto* const unreadable = std::get_if<DnsUnreadable>(&parsed)) {
        if (unreadable->id) {
            reply(encodeDnsFormatError(*unreadable->id));
        }
        return;
    }
    const auto& query = std::get<DnsQuery>(parsed);
    if (const auto answer = answerAtOnce(query)) {
        reply(encodeDnsAnswer(query, *answer, maximumBytes));
        return;
    }
    if (!m_decider.mayLookUp(*query.name)) {
        // Whoever connects to it is refused, or asked about, by name.
        const FoundAddresses unknown{DnsStatus::NoError, {loopback(true)}};
        reply(encodeDnsAnswer(query, answerByName(query, unknown, false), maximumBytes));
        return;
    }
    find(*query.name, [this, query, maximumBytes, reply](const FoundAddresses& found) {
        reply(encodeDnsAnswer(query, answerByName(query, found, true), maximumBytes));
    });
}

std::optional<DnsAnswer> Resolver::answerAtOnce(const DnsQuery& query) const
{
    if (!query.isStandard) {
        return withStatus(DnsStatus::NotImplemented);
    }
    if (!query.isInternet) {
        return withStatus(DnsStatus::Refused);
    }
    if (!query.name) {
        return withStatus(DnsStatus::NoSuchName);
    }
    DnsAnswer answer;
    answer.timeToLive = kTimeToLive;
    if (query.type == dns_type::kPtr) {
        const policy::HostName* const name = query.reversed ? m_names.nameOf(*query.reversed) : nullptr;
        if (name == nullptr) {
            return withStatus(DnsStatus::NoSuchName);
        }
        answer.pointer = *name;
        return answer;
    }
    if (isBelow(*query.name, "localhost")) { // RFC 6761
        answer.addresses = {loopback(true), loopback(false)};
        return answer;
    }
    const bool isLocal = query.name->labels().size() == 1 || isBelow(*query.name, "local");
    if (isLocal && !m_decider.mayLookUp(*query.name)) {
        return withStatus(DnsStatus::NoSuchName);
    }
    const bool isAboutAddresses = query.type == dns_type::kA || query.type == dns_type::kAaaa;
    return isAboutAddresses ? std::nullopt : std::optional(answer);
}

DnsAnswer Resolver::answerByName(const DnsQuery& query, const FoundAddresses& found, bool mayLookUp)
{
    DnsAnswer answer = withStatus(found.status);
    answer.timeToLive = kTimeToLive;
    if (found.status == DnsStatus::NoError && !found.addresses.empty()) {
        if (const auto own = m_names.addressOf(*query.name, mayLookUp)) {
            answer.addresses = {*own};
        } else {
            if (!std::exchange(m_isFullTold, true)) {
                m_watch.namesAreFull();
            }
            answer.status = DnsStatus::ServerFailure;
        }
    }
    return answer;
}

void Resolver::find(const policy::HostName& name, Then then)
{
    const auto pin = m_pins.find(name);
    if (pin != m_pins.end() && m_clock.steadyNow() < pin->second.until) {
        then(pin->second.found);
        return;
    }
    std::vector<Then>& waiting = m_waiting[name];
    if (waiting.size() >= kMaximumWaiting) {
        then({DnsStatus::ServerFailure, {}});
        return;
    }
    waiting.push_back(std::move(then));
    if (waiting.size() > 1) {
        return;
    }
    m_watch.lookingUp(name);
    if (!m_lookups.want(name)) {
        const auto refused = m_waiting.extract(name);
        refused.mapped().front()({DnsStatus::ServerFailure, {}});
    }
}

void Resolver::takeResults()
{
    for (auto& [name, found] : m_lookups.take()) {
        const auto age = found.status == DnsStatus::ServerFailure ? kFailurePinnedFor : kPinnedFor;
        if (m_pins.size() >= kMaximumPins) {
            m_pins.clear(); // they are looked up again
        }
        m_pins.insert_or_assign(name, Pin{found, m_clock.steadyNow() + age});
        const auto waiting = m_waiting.extract(name);
        if (waiting.empty()) {
            continue;
        }
        for (const Then& then : waiting.mapped()) {
            then(found);
        }
    }
}

} // namespace revet::egress
