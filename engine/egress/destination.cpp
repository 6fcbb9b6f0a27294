// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/destination.h"

#include "engine/policy/host_pattern.h"

#include <algorithm>

namespace revet::egress {

namespace {

/// Out of which names get theirs: 198.18.0.0/15.
bool isOurs(const policy::IpAddress& address)
{
    constexpr std::size_t kV4At = 12;
    return address.isV4() && address.bytes()[kV4At] == 198 && (address.bytes()[kV4At + 1] | 1U) == 19;
}

} // namespace

Result<Destination> Destination::parse(std::string_view text)
{
    constexpr std::uint16_t kHttps = 443;
    const std::size_t bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
    const bool isBareV6 = bracket == std::string_view::npos && std::ranges::count(text, ':') > 1;
    const std::size_t end = isBareV6 ? text.size() : std::min(text.find(':', bracket + 1), text.size());
    std::string_view host = text.substr(0, end);
    if (bracket != std::string_view::npos) {
        if (end != bracket + 1) {
            return fail(ErrorCode::Malformed, "read a destination", "write HOST:PORT");
        }
        host = text.substr(1, bracket - 1);
    }
    REVET_ASSIGN_OR_RETURN(const auto port, policy::parsePort(text.substr(end)));
    if (const auto address = policy::IpAddress::parse(host)) {
        return Destination{*address, port.value_or(kHttps)};
    }
    REVET_ASSIGN_OR_RETURN(policy::HostName name, policy::HostName::parse(host));
    return Destination{policy::IpAddress::v4({}), port.value_or(kHttps), std::move(name)};
}

bool Destination::isNeverReached() const
{
    const policy::AddressKind kind = address.kind();
    return !name
        && (isOurs(address) || kind == policy::AddressKind::Loopback || kind == policy::AddressKind::Metadata
            || kind == policy::AddressKind::Reserved);
}

std::string Destination::text() const
{
    const std::string host = name ? name->text()
        : address.isV4()          ? address.text()
                                  : '[' + address.text() + ']';
    return host + ':' + std::to_string(port);
}

} // namespace revet::egress
