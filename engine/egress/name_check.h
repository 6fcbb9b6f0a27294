// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/http_requests.h"
#include "engine/egress/relay.h"
#include "engine/policy/host_name.h"

#include <cstdint>
#include <string>

namespace revet::egress {

/// Whether a client speaks to the host that it was let through to: the name in a TLS hello, on whatever port,
/// and the host of every request of plain HTTP. A server of many names would else be reached under any. What
/// is neither passes, except on the ports of the web. It keeps labels honest and is no wall: what lies within
/// TLS is not seen. One thread.
class NameCheck final : public Inspector
{
public:
    NameCheck(policy::HostName name, std::uint16_t port)
        : m_name(std::move(name))
        , m_port(port)
    {
    }

    [[nodiscard]] Opinion look(std::string_view bytes) override;
    void answered(std::string_view bytes) override { m_requests.answered(bytes); }
    [[nodiscard]] bool isDone() const override;
    [[nodiscard]] std::string why() const override { return m_why; }

private:
    enum class Kind : std::uint8_t { Unknown, Tls, Http, Other };

    [[nodiscard]] Opinion lookAtFirst();
    [[nodiscard]] Opinion lookAtHello();
    [[nodiscard]] Opinion lookAtRequests(std::string_view bytes);
    [[nodiscard]] Opinion lookAtOther();
    [[nodiscard]] Opinion broken(std::string why);

    policy::HostName m_name;
    std::uint16_t m_port;
    Kind m_kind = Kind::Unknown;
    std::string m_first; ///< until it is known what it is
    HttpRequests m_requests;
    bool m_hasRequest = false; ///< a whole head has been seen
    std::string m_why = "it says nothing";
};

} // namespace revet::egress
