// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/name_check.h"

#include "engine/egress/client_hello.h"
#include "engine/policy/host_pattern.h"

#include <algorithm>
#include <array>
#include <utility>

namespace revet::egress {

namespace {

constexpr std::array<std::uint16_t, 4> kWebPorts = {80, 443, 8080, 8443};
/// PostgreSQL's wish for TLS, which it sends in plain, waiting for an "S" before the hello.
constexpr std::string_view kPostgresTls("\x00\x00\x00\x08\x04\xd2\x16\x2f", 8);
constexpr char kTlsHandshake = 22;

/// Of a port in an authority: "" means that of the connection.
bool isPort(std::string_view text, std::uint16_t port)
{
    const auto parsed = policy::parsePort(text);
    return parsed && parsed->value_or(port) == port;
}

/// What a client wrote, as a name. A person may write "bücher.example"; what goes over the wire is ASCII, and
/// a server may take other bytes for another name than we would.
Result<policy::HostName> nameIn(std::string_view said)
{
    const auto isAscii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
    if (!std::ranges::all_of(said, isAscii)) {
        return fail(ErrorCode::Malformed, "read what a client calls its server", "it is not ASCII");
    }
    return policy::HostName::parse(said);
}

} // namespace

Inspector::Opinion NameCheck::broken(std::string why)
{
    m_why = std::move(why);
    return Opinion::Broken;
}

bool NameCheck::isDone() const
{
    return m_kind == Kind::Tls || m_kind == Kind::Other || m_requests.isOpaque();
}

Inspector::Opinion NameCheck::look(std::string_view bytes)
{
    if (m_kind == Kind::Http) {
        return lookAtRequests(bytes);
    }
    m_first += bytes;
    return m_first.empty() ? Opinion::Undecided : lookAtFirst();
}

Inspector::Opinion NameCheck::lookAtFirst()
{
    const bool isWeb = std::ranges::find(kWebPorts, m_port) != kWebPorts.end();
    if (m_first.front() == kTlsHandshake) {
        return lookAtHello();
    }
    if (m_first == kPostgresTls) {
        m_first.clear();
        return isWeb ? lookAtOther() : Opinion::Fine;
    }
    if (kPostgresTls.starts_with(m_first)) {
        return Opinion::Undecided;
    }
    const auto isHttp = looksLikeHttp(m_first);
    if (!isHttp && m_first.size() <= HttpRequests::kMaximumHead) {
        return Opinion::Undecided;
    }
    if (!isHttp.value_or(false)) {
        return lookAtOther();
    }
    m_kind = Kind::Http;
    return lookAtRequests(std::exchange(m_first, {}));
}

Inspector::Opinion NameCheck::lookAtHello()
{
    const ClientHello hello = readClientHello(m_first);
    switch (hello.state) {
    case HelloState::NeedsMore:
        return Opinion::Undecided;
    case HelloState::NotTls:
    case HelloState::Malformed:
        return broken("a TLS hello that cannot be read");
    case HelloState::Complete:
        break;
    }
    if (!hello.serverName) {
        return broken(hello.hasEncryptedHello ? "ech" : "a TLS hello that names no server");
    }
    const auto name = nameIn(*hello.serverName);
    if (!name || *name != m_name) {
        return broken("a TLS hello to another server");
    }
    m_kind = Kind::Tls;
    return Opinion::Fine;
}

Inspector::Opinion NameCheck::lookAtRequests(std::string_view bytes)
{
    const auto requests = m_requests.read(bytes);
    if (!requests) {
        return broken(requests.error().context);
    }
    for (const HttpRequest& request : *requests) {
        const std::string_view authority = request.authority;
        const std::size_t colon = std::min(authority.find(':'), authority.size());
        const auto name = nameIn(authority.substr(0, colon));
        if (!name || *name != m_name || !isPort(authority.substr(colon), m_port)) {
            return broken("a request to another host");
        }
    }
    m_hasRequest = m_hasRequest || !requests->empty();
    return m_hasRequest ? Opinion::Fine : Opinion::Undecided;
}

Inspector::Opinion NameCheck::lookAtOther()
{
    if (std::ranges::find(kWebPorts, m_port) != kWebPorts.end()) {
        return broken("neither TLS nor HTTP on a port of the web");
    }
    m_kind = Kind::Other;
    return Opinion::Fine;
}

} // namespace revet::egress
