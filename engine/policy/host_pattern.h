// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/host_name.h"

#include <cstdint>
#include <optional>

namespace revet::policy {

/// Which hosts a rule is about: "example.com", "*.example.com" (one label more), "**.example.com" (one label
/// or several more), each with ":PORT" or without, see isOfPort(). A wildcard stands for whole labels in
/// front of at least two fixed ones, never for the name behind it. Immutable, thread-safe.
class HostPattern
{
public:
    [[nodiscard]] static Result<HostPattern> compile(std::string_view pattern);

    /// At whatever port.
    [[nodiscard]] bool matchesName(const HostName& host) const;
    /// Whether it matches every name that `other` matches, at whatever port.
    [[nodiscard]] bool coversNamesOf(const HostPattern& other) const;
    [[nodiscard]] std::optional<std::uint16_t> port() const { return m_port; }
    /// In normal form: compiles to the same.
    [[nodiscard]] std::string text() const;
    /// Whether it names a single host.
    [[nodiscard]] bool isExact() const { return m_depth == Depth::None; }

    friend bool operator==(const HostPattern&, const HostPattern&) = default;

private:
    enum class Depth : std::uint8_t { None, One, Any };

    HostPattern(HostName fixed, Depth depth, std::optional<std::uint16_t> port)
        : m_fixed(std::move(fixed))
        , m_depth(depth)
        , m_port(port)
    {
    }

    HostName m_fixed;
    Depth m_depth;
    std::optional<std::uint16_t> m_port;
};

/// ":443" or "" behind a host. Malformed: no number from 1 to 65535 in its shortest form.
[[nodiscard]] Result<std::optional<std::uint16_t>> parsePort(std::string_view text);
/// Whether a rule with this port, or with none, is about `port`: none means 443 and 80 where it allows, and
/// every port where it denies.
[[nodiscard]] bool isOfPort(std::optional<std::uint16_t> named, std::uint16_t port, bool isAllowed);

} // namespace revet::policy
