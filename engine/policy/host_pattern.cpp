// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/host_pattern.h"

#include "engine/domain/display_escape.h"

#include <charconv>

namespace revet::policy {

namespace {

constexpr std::string_view kOne = "*.";
constexpr std::string_view kAny = "**.";
constexpr std::size_t kFixedLabels = 2; ///< "*.com" would be half of the world

} // namespace

Result<std::optional<std::uint16_t>> parsePort(std::string_view text)
{
    std::optional<std::uint16_t> port;
    if (text.empty()) {
        return port;
    }
    std::uint16_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + 1, end, number);
    if (text.front() != ':' || text.size() < 2 || text[1] == '0' || stopped != end || error != std::errc()) {
        return fail(ErrorCode::Malformed, "read the port " + displayQuoted(text),
                    "it is a number from 1 to 65535");
    }
    port = number;
    return port;
}

bool isOfPort(std::optional<std::uint16_t> named, std::uint16_t port, bool isAllowed)
{
    constexpr std::uint16_t kHttps = 443;
    constexpr std::uint16_t kHttp = 80;
    return named ? port == *named : !isAllowed || port == kHttps || port == kHttp;
}

Result<HostPattern> HostPattern::compile(std::string_view pattern)
{
    Depth depth = Depth::None;
    std::string_view host = pattern;
    if (host.starts_with(kAny)) {
        depth = Depth::Any;
        host.remove_prefix(kAny.size());
    } else if (host.starts_with(kOne)) {
        depth = Depth::One;
        host.remove_prefix(kOne.size());
    }
    const std::size_t colon = std::min(host.find(':'), host.size());
    REVET_ASSIGN_OR_RETURN(const auto port, parsePort(host.substr(colon)));
    REVET_ASSIGN_OR_RETURN(auto name, HostName::parse(host.substr(0, colon)));
    if (depth != Depth::None && name.labels().size() < kFixedLabels) {
        return fail(ErrorCode::Malformed, "read the host pattern " + displayQuoted(pattern),
                    "behind a wildcard there are at least two labels, as in *.example.com");
    }
    return HostPattern(std::move(name), depth, port);
}

bool HostPattern::matchesName(const HostName& host) const
{
    const std::string& fixed = m_fixed.text();
    if (m_depth == Depth::None) {
        return host.text() == fixed;
    }
    std::string_view name = host.text();
    if (name.size() <= fixed.size() + 1 || !name.ends_with(fixed)
        || name[name.size() - fixed.size() - 1] != '.') {
        return false;
    }
    name.remove_suffix(fixed.size() + 1);
    return m_depth == Depth::Any || name.find('.') == std::string_view::npos;
}

bool HostPattern::coversNamesOf(const HostPattern& other) const
{
    if (other.isExact()) {
        return matchesName(other.m_fixed);
    }
    const bool isSame = m_fixed == other.m_fixed && (m_depth == Depth::Any || m_depth == other.m_depth);
    return !isExact() && (isSame || (m_depth == Depth::Any && matchesName(other.m_fixed)));
}

std::string HostPattern::text() const
{
    std::string text(m_depth == Depth::Any ? kAny : m_depth == Depth::One ? kOne : "");
    text += m_fixed.text();
    return m_port ? text + ':' + std::to_string(*m_port) : text;
}

} // namespace revet::policy
