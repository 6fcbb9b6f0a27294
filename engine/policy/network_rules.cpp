// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/network_rules.h"

#include "engine/domain/display_escape.h"

#include <algorithm>

namespace revet::policy {

namespace {

constexpr std::string_view kNotListed = "not listed";

bool matches(const HostPattern& pattern, const HostName& host, std::uint16_t port)
{
    return pattern.matches(host, port);
}

bool matches(const AddressPattern& pattern, const IpAddress& address, std::uint16_t port)
{
    return isOfPort(pattern.port, port) && pattern.range.contains(address);
}

bool matches(const HostPattern&, const IpAddress&, std::uint16_t)
{
    return false;
}

bool matches(const AddressPattern&, const HostName&, std::uint16_t)
{
    return false;
}

/// An address is what has a colon more than a port's, or only digits and dots in front of it.
bool looksLikeAddress(std::string_view text)
{
    const bool isV6 = text.starts_with('[') || std::ranges::count(text, ':') > 1;
    const std::string_view host = text.substr(0, text.find_first_of(":/"));
    return isV6 || (!host.empty() && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

/// Why no connection could ever be by this rule; empty where one could.
std::string whyNever(const AddressPattern& pattern)
{
    const std::string text = pattern.range.text();
    const auto single = IpAddress::parse(text); // a range of one is written without a slash
    const AddressKind kind = single ? single->kind() : AddressKind::Public;
    return kind == AddressKind::Public || kind == AddressKind::Private
        ? std::string()
        : "a " + std::string(toString(kind)) + " address is never to be reached";
}

std::string whyNever(const HostPattern& pattern)
{
    const std::string text = pattern.text();
    const std::string_view host = std::string_view(text).substr(0, text.find(':'));
    return host == "localhost" || host.ends_with(".localhost") ? "localhost is the box's own" : std::string();
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

Result<NetworkRules::Rule> NetworkRules::compileRule(const std::string& text)
{
    const auto asRule = [&text](auto pattern) -> Result<Rule> {
        if (!pattern) { // which of its parts was read does not help to find it
            return fail(ErrorCode::Malformed, "read the rule " + displayQuoted(text),
                        pattern.error().context);
        }
        return Rule(std::move(*pattern));
    };
    return looksLikeAddress(text) ? asRule(AddressPattern::compile(text))
                                  : asRule(HostPattern::compile(text));
}

Result<NetworkRules> NetworkRules::compile(std::span<const std::string> allowed,
                                           std::span<const std::string> denied)
{
    NetworkRules rules;
    for (const std::string& text : denied) {
        REVET_ASSIGN_OR_RETURN(Rule rule, compileRule(text));
        rules.m_denied.push_back(std::move(rule));
    }
    for (const std::string& text : allowed) {
        REVET_ASSIGN_OR_RETURN(Rule rule, compileRule(text));
        std::string why = std::visit([](const auto& pattern) { return whyNever(pattern); }, rule);
        if (std::ranges::find(rules.m_denied, rule) != rules.m_denied.end()) {
            why = "it is denied as well";
        }
        if (!why.empty()) {
            return fail(ErrorCode::Malformed, "allow " + displayQuoted(text), why);
        }
        rules.m_allowed.push_back(std::move(rule));
    }
    return rules;
}

template<typename Target>
NetworkRules::Judgement NetworkRules::judgeBy(const Target& target, std::uint16_t port) const
{
    const auto isAbout = [&](const Rule& rule) {
        return std::visit([&](const auto& pattern) { return matches(pattern, target, port); }, rule);
    };
    const auto textOf = [](const Rule& rule) {
        return std::visit([](const auto& pattern) { return pattern.text(); }, rule);
    };
    if (const auto rule = std::ranges::find_if(m_denied, isAbout); rule != m_denied.end()) {
        return {false, "denied: " + textOf(*rule)};
    }
    const auto rule = std::ranges::find_if(m_allowed, isAbout);
    return rule == m_allowed.end() ? Judgement{false, std::string(kNotListed)}
                                   : Judgement{true, textOf(*rule)};
}

NetworkRules::Judgement NetworkRules::judge(const HostName& host, std::uint16_t port) const
{
    return judgeBy(host, port);
}

NetworkRules::Judgement NetworkRules::judge(const IpAddress& address, std::uint16_t port) const
{
    return judgeBy(address, port);
}

bool NetworkRules::mayReach(const HostName& host) const
{
    return std::ranges::any_of(m_allowed, [&host](const Rule& rule) {
        const auto* const pattern = std::get_if<HostPattern>(&rule);
        return pattern != nullptr && pattern->matchesName(host);
    });
}

std::vector<std::string> NetworkRules::allowed() const
{
    std::vector<std::string> texts;
    for (const Rule& rule : m_allowed) {
        texts.push_back(std::visit([](const auto& pattern) { return pattern.text(); }, rule));
    }
    return texts;
}

} // namespace revet::policy
