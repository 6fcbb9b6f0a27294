// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/network_rules.h"

#include "engine/domain/display_escape.h"

#include <algorithm>
#include <type_traits>

namespace revet::policy {

namespace {

constexpr std::string_view kNotListed = "not listed";
constexpr std::string_view kAnyPublic = "*";

/// An address is what has a colon more than a port's, or only digits and dots in front of it.
bool looksLikeAddress(std::string_view text)
{
    const bool isV6 = text.starts_with('[') || std::ranges::count(text, ':') > 1;
    const std::string_view host = text.substr(0, text.find_first_of(":/"));
    return isV6 || (!host.empty() && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

/// The ports that a rule is about.
std::vector<std::uint16_t> portsOf(std::optional<std::uint16_t> named)
{
    constexpr std::uint16_t kHttps = 443;
    constexpr std::uint16_t kHttp = 80;
    return named ? std::vector{*named} : std::vector{kHttps, kHttp};
}

bool isLocalName(std::string_view host)
{
    return host == "localhost" || host.ends_with(".localhost");
}

bool isPersons(RuleScope scope)
{
    return scope <= RuleScope::User;
}

bool isNeverReached(AddressKind kind)
{
    return kind == AddressKind::Loopback || kind == AddressKind::Metadata || kind == AddressKind::Reserved;
}

} // namespace

Result<AddressPattern> AddressPattern::compile(std::string_view text)
{
    std::string_view host = text;
    std::string_view rest;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) {
            return fail(ErrorCode::Malformed, "read the address " + displayQuoted(text),
                        "its bracket is open");
        }
        host = text.substr(1, end - 1);
        rest = text.substr(end + 1);
    } else if (std::ranges::count(text, ':') == 1) {
        host = text.substr(0, text.find(':'));
        rest = text.substr(text.find(':'));
    }
    REVET_ASSIGN_OR_RETURN(const AddressRange range, AddressRange::parse(host));
    REVET_ASSIGN_OR_RETURN(const auto port, parsePort(rest));
    return AddressPattern{range, port};
}

std::string AddressPattern::text() const
{
    const std::string host = range.text();
    if (!port) {
        return host;
    }
    const bool isV6 = host.find(':') != std::string::npos;
    return (isV6 ? '[' + host + ']' : host) + ':' + std::to_string(*port);
}

std::string NetworkRules::Rule::text() const
{
    const auto* const host = std::get_if<HostPattern>(&pattern);
    const auto* const address = std::get_if<AddressPattern>(&pattern);
    return host != nullptr ? host->text() : address != nullptr ? address->text() : std::string(kAnyPublic);
}

bool NetworkRules::Rule::isAbout(const HostName& host, std::uint16_t port) const
{
    if (const auto* const named = std::get_if<HostPattern>(&pattern)) {
        return isOfPort(named->port(), port, isAllowed) && named->matchesName(host);
    }
    // A single label is a host of the inner network, or none.
    return std::holds_alternative<AnyPublic>(pattern) && host.labels().size() > 1;
}

bool NetworkRules::Rule::isAbout(const IpAddress& address, std::uint16_t port) const
{
    if (const auto* const named = std::get_if<AddressPattern>(&pattern)) {
        return isOfPort(named->port, port, isAllowed) && named->range.contains(address);
    }
    return std::holds_alternative<AnyPublic>(pattern) && address.kind() == AddressKind::Public;
}

Result<NetworkRules::Pattern> NetworkRules::compilePattern(const NetworkRule& rule)
{
    const auto asPattern = [&rule](auto pattern) -> Result<Pattern> {
        if (!pattern) { // which of its parts was read does not help to find it
            return fail(ErrorCode::Malformed, "read the rule " + displayQuoted(rule.text),
                        pattern.error().context);
        }
        return Pattern(std::move(*pattern));
    };
    if (rule.text == kAnyPublic) {
        return rule.isAllowed && rule.until
            ? Result<Pattern>(AnyPublic{})
            : fail(ErrorCode::Malformed, "read the rule '*'", "everything can only be allowed for a time");
    }
    return looksLikeAddress(rule.text) ? asPattern(AddressPattern::compile(rule.text))
                                       : asPattern(HostPattern::compile(rule.text));
}

std::string NetworkRules::whyNever(const Pattern& pattern)
{
    if (const auto* const address = std::get_if<AddressPattern>(&pattern);
        address != nullptr && !address->range.isReachable()) {
        const auto single = IpAddress::parse(address->range.text()); // a range of one has no slash
        return single ? "a " + std::string(toString(single->kind())) + " address is never to be reached"
                      : "none of its addresses is ever to be reached";
    }
    if (const auto* const host = std::get_if<HostPattern>(&pattern)) {
        const std::string text = host->text();
        return isLocalName(std::string_view(text).substr(0, text.find(':'))) ? "localhost is the box's own"
                                                                             : std::string();
    }
    return {};
}

bool NetworkRules::isDeniedWhole(const Rule& rule, bool byPersons) const
{
    const auto isDeniedAt = [&](std::uint16_t port) {
        std::vector<AddressRange> ranges;
        for (const Rule& denied : m_denied) {
            const bool isHeard = byPersons ? isPersons(denied.scope)
                                           : denied.scope != RuleScope::Profile || !isPersons(rule.scope);
            if (!isHeard) {
                continue;
            }
            const auto* const host = std::get_if<HostPattern>(&rule.pattern);
            const auto* const name = std::get_if<HostPattern>(&denied.pattern);
            if (host != nullptr && name != nullptr && isOfPort(name->port(), port, false)
                && name->coversNamesOf(*host)) {
                return true;
            }
            const auto* const range = std::get_if<AddressPattern>(&denied.pattern);
            if (range != nullptr && isOfPort(range->port, port, false)) {
                ranges.push_back(range->range);
            }
        }
        const auto* const address = std::get_if<AddressPattern>(&rule.pattern);
        return address != nullptr && address->range.isWithin(ranges);
    };
    const auto* const host = std::get_if<HostPattern>(&rule.pattern);
    const auto* const address = std::get_if<AddressPattern>(&rule.pattern);
    if (host == nullptr && address == nullptr) {
        return false;
    }
    return std::ranges::all_of(portsOf(host != nullptr ? host->port() : address->port), isDeniedAt);
}

Result<NetworkRules> NetworkRules::compile(std::span<const NetworkRule> rules)
{
    NetworkRules compiled;
    compiled.m_rules.assign(rules.begin(), rules.end());
    for (std::size_t i = 0; i < rules.size(); ++i) {
        REVET_ASSIGN_OR_RETURN(Pattern pattern, compilePattern(rules[i]));
        if (const std::string why = whyNever(pattern); !why.empty()) {
            return fail(ErrorCode::Malformed,
                        (rules[i].isAllowed ? "allow " : "deny ") + displayQuoted(rules[i].text), why);
        }
        auto& list = rules[i].isAllowed ? compiled.m_allowed : compiled.m_denied;
        list.push_back({std::move(pattern), i, rules[i].scope, rules[i].isAllowed});
    }
    const auto isFirst = [](const Rule& rule) { return rule.scope != RuleScope::Profile; };
    for (auto* const list : {&compiled.m_allowed, &compiled.m_denied}) {
        std::stable_partition(list->begin(), list->end(), isFirst);
    }
    for (const Rule& rule : compiled.m_allowed) {
        if (isPersons(rule.scope) && compiled.isDeniedWhole(rule, true)) {
            return fail(ErrorCode::Malformed, "allow " + displayQuoted(rules[rule.index].text),
                        "it is denied as well");
        }
    }
    // What one profile allows and another denies is no mistake of the person's.
    std::erase_if(compiled.m_allowed, [&](const Rule& rule) { return compiled.isDeniedWhole(rule, false); });
    return compiled;
}

Result<NetworkRules> NetworkRules::compile(std::span<const std::string> allowed,
                                           std::span<const std::string> denied)
{
    std::vector<NetworkRule> rules;
    for (const std::string& text : allowed) {
        rules.push_back({text});
    }
    for (const std::string& text : denied) {
        rules.push_back({text, false});
    }
    return compile(rules);
}

template<typename Target>
NetworkRules::Judgement NetworkRules::judgeBy(const Target& target, std::uint16_t port) const
{
    const auto isAbout = [&](const Rule& rule) { return rule.isAbout(target, port); };
    const auto denied = std::ranges::find_if(m_denied, isAbout);
    const auto allowed = std::ranges::find_if(m_allowed, [&](const Rule& rule) {
        if constexpr (std::is_same_v<Target, IpAddress>) {
            const auto* const pattern = std::get_if<AddressPattern>(&rule.pattern);
            if (target.kind() == AddressKind::Private && pattern != nullptr && !pattern->range.isPrivate()) {
                return false; // 0.0.0.0/0 is the internet, not the network around this machine
            }
        }
        return isAbout(rule);
    });
    const bool isOverruled = denied != m_denied.end() && denied->scope == RuleScope::Profile
        && allowed != m_allowed.end() && isPersons(allowed->scope);
    if (denied != m_denied.end() && !isOverruled) {
        return {false, "denied: " + denied->text(), false, denied->index};
    }
    return allowed == m_allowed.end() ? Judgement{false, std::string(kNotListed), true}
                                      : Judgement{true, allowed->text(), false, allowed->index};
}

NetworkRules::Judgement NetworkRules::judge(const HostName& host, std::uint16_t port) const
{
    if (isLocalName(host.text())) {
        return {false, "localhost is the box's own"};
    }
    return judgeBy(host, port);
}

NetworkRules::Judgement NetworkRules::judge(const IpAddress& address, std::uint16_t port) const
{
    if (isNeverReached(address.kind())) {
        return {false, std::string(toString(address.kind())) + " address"};
    }
    return judgeBy(address, port);
}

bool NetworkRules::mayReach(const HostName& host) const
{
    // Port by port, since a denial may be about one of two.
    return std::ranges::any_of(m_allowed, [&](const Rule& rule) {
        const auto* const pattern = std::get_if<HostPattern>(&rule.pattern);
        if (pattern == nullptr) {
            constexpr std::uint16_t kSomePort = 443;
            return rule.isAbout(host, kSomePort) && judge(host, kSomePort).isPermitted;
        }
        return pattern->matchesName(host)
            && std::ranges::any_of(portsOf(pattern->port()),
                                   [&](std::uint16_t port) { return judge(host, port).isPermitted; });
    });
}

std::vector<std::string> NetworkRules::allowed() const
{
    std::vector<std::string> texts;
    for (const Rule& rule : m_allowed) {
        if (const std::string text = rule.text(); std::ranges::find(texts, text) == texts.end()) {
            texts.push_back(text);
        }
    }
    return texts;
}

} // namespace revet::policy
