// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
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
    std::optional<std::uint16_t> port; ///< see isOfPort()

    [[nodiscard]] static Result<AddressPattern> compile(std::string_view text);
    /// In normal form.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const AddressPattern&, const AddressPattern&) = default;
};

/// Whose word a rule is. The first three are a person's, which a profile never overrules; a repository that
/// nobody trusts can only deny.
enum class RuleScope : std::uint8_t { Session, Project, User, Repository, Profile };

/// One word on where a box may connect to.
struct NetworkRule
{
    /// A host pattern or an address pattern; "*" is any public place at any port.
    std::string text;
    bool isAllowed = true; ///< else it is denied, without a question
    RuleScope scope = RuleScope::Session;
    std::string source = {}; ///< for people: "--allow-host", "project", "profile npm"
    std::optional<WallTime> until = {}; ///< what is allowed only for a time

    friend bool operator==(const NetworkRule&, const NetworkRule&) = default;
};

/// Where a box may connect to. Nothing is allowed by nothing. A person's denials come first and a
/// repository's, then what a person allows, then a profile's denials, then what a profile allows. Hosts by
/// name and addresses are apart: a name is judged as a name, wherever it leads. Private addresses are allowed
/// only by rules that are about private ones and nothing else. Immutable, thread-safe.
class NetworkRules
{
public:
    NetworkRules() = default;
    /// Malformed too where a rule could never match: addresses that are never to be reached, a name that the
    /// box answers itself, a person's allowance that the person denies as a whole. "*" has to have an end.
    [[nodiscard]] static Result<NetworkRules> compile(std::span<const NetworkRule> rules);
    /// A session's rules alone.
    [[nodiscard]] static Result<NetworkRules> compile(std::span<const std::string> allowed,
                                                      std::span<const std::string> denied = {});

    struct Judgement
    {
        bool isPermitted = false;
        std::string rule; ///< the rule that decided, "not listed" for none
        bool mayAsk = false; ///< nobody has said anything about it, and a person could allow it
        std::optional<std::size_t> index = {}; ///< of the rule, as they were given
    };
    [[nodiscard]] Judgement judge(const HostName& host, std::uint16_t port) const;
    [[nodiscard]] Judgement judge(const IpAddress& address, std::uint16_t port) const;
    /// Some port of it is allowed.
    [[nodiscard]] bool mayReach(const HostName& host) const;
    /// Whether nothing is allowed.
    [[nodiscard]] bool isEmpty() const { return m_allowed.empty(); }
    /// What is allowed, in normal form.
    [[nodiscard]] std::vector<std::string> allowed() const;
    /// As they were given.
    [[nodiscard]] const std::vector<NetworkRule>& rules() const { return m_rules; }

private:
    struct AnyPublic
    {
        friend bool operator==(const AnyPublic&, const AnyPublic&) = default;
    };
    using Pattern = std::variant<HostPattern, AddressPattern, AnyPublic>;
    struct Rule
    {
        Pattern pattern;
        std::size_t index; ///< into m_rules
        RuleScope scope;
        bool isAllowed;

        [[nodiscard]] std::string text() const;
        [[nodiscard]] bool isAbout(const HostName& host, std::uint16_t port) const;
        [[nodiscard]] bool isAbout(const IpAddress& address, std::uint16_t port) const;
    };

    [[nodiscard]] static Result<Pattern> compilePattern(const NetworkRule& rule);
    /// Why no connection could ever be by this rule; empty where one could.
    [[nodiscard]] static std::string whyNever(const Pattern& pattern);
    /// Whether all of it is denied by rules that come before it, or by those of persons alone.
    [[nodiscard]] bool isDeniedWhole(const Rule& rule, bool byPersons) const;
    template<typename Target>
    [[nodiscard]] Judgement judgeBy(const Target& target, std::uint16_t port) const;

    std::vector<NetworkRule> m_rules;
    std::vector<Rule> m_allowed; ///< a person's before those of profiles
    std::vector<Rule> m_denied; ///< the same
};

} // namespace revet::policy
