// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"

#include <cstdint>
#include <string>

namespace revet::test {

/// A service of the host that a box must not reach: it greets with a secret and remembers whether anybody
/// came. Fails the test where it cannot be set up.
class HostListener
{
public:
    enum class Kind : std::uint8_t { Tcp4, Tcp6, Udp4, Path, Abstract };

    /// `name`: of a local socket; unused for the others, which get a free port of the loopback.
    explicit HostListener(Kind kind, const std::string& name = {});

    [[nodiscard]] std::uint16_t port() const { return m_port; }
    /// Whether a connection or a datagram has come since the start.
    [[nodiscard]] bool wasReached() const;

private:
    UniqueFd m_socket;
    Kind m_kind;
    std::uint16_t m_port = 0;
};

} // namespace revet::test
