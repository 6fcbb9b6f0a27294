// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/host_pattern.h"
#include "engine/policy/ip_address.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace revet::policy {

/// Addresses with a port or without: "192.0.2.1", "10.0.0.0/8:5432", "[2001:db8::1]:22", "2001:db8::/32".
struct AddressPattern
{
    AddressRange range;
    std::optional<std::uint16_t> port; ///< none: 443 and 80

    [[nodiscard]] static Result<AddressPattern> compile(std::string_view text);
    /// In normal form.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const AddressPattern&, const AddressPattern&) = default;
};

/// Where a box may connect to: what is allowed and not denied. Nothing is allowed by nothing. Hosts by name
/// and addresses are apart: a name is judged as a name, wherever it leads. Immutable, thread-safe.
class NetworkRules
{
public:
    NetworkRules() = default;
    /// Malformed too where a rule could never match: an address that is never to be reached, a name that the
    /// box answers itself, an allowance that is denied.
    [[nodiscard]] static Result<NetworkRules> compile(std::span<const std::string> allowed,
                                                      std::span<const std::string> denied = {});

    struct Judgement
    {
        bool isPermitted = false;
        std::string rule; ///< the rule that decided, "not listed" for none
    };
    [[nodiscard]] Judgement judge(const HostName& host, std::uint16_t port) const;
    [[nodiscard]] Judgement judge(const IpAddress& address, std::uint16_t port) const;
    /// Some port of it is allowed.
    [[nodiscard]] bool mayReach(const HostName& host) const;
    [[nodiscard]] bool isEmpty() const { return m_allowed.empty(); }
    /// What is allowed, in normal form.
    [[nodiscard]] std::vector<std::string> allowed() const;

private:
    using Rule = std::variant<HostPattern, AddressPattern>;
    [[nodiscard]] static Result<Rule> compileRule(const std::string& text);
    template<typename Target>
    [[nodiscard]] Judgement judgeBy(const Target& target, std::uint16_t port) const;

    std::vector<Rule> m_allowed;
    std::vector<Rule> m_denied;
};

} // namespace revet::policy
