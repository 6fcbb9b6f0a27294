// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/egress/way.h"

#include <cstdint>

namespace revet::egress {

/// Opens connections from the machine itself. A thread of Egress's calls.
class Dialler
{
public:
    Dialler() = default;
    Dialler(const Dialler&) = delete;
    Dialler& operator=(const Dialler&) = delete;
    Dialler(Dialler&&) = delete;
    Dialler& operator=(Dialler&&) = delete;
    virtual ~Dialler() = default;

    [[nodiscard]] virtual Result<Way> wayTo(const policy::IpAddress& address);
    /// A non-blocking socket on its way: writable once it is connected or has failed (dialError()). An error:
    /// it could not even begin.
    [[nodiscard]] virtual Result<UniqueFd> dial(const policy::IpAddress& address, std::uint16_t port);
};

/// Begins to connect a non-blocking socket: 0, or the errno of what kept it from beginning.
[[nodiscard]] int beginConnect(int socket, const policy::IpAddress& address, std::uint16_t port);
/// 0 when the socket is connected, else the errno of its failure.
[[nodiscard]] int dialError(int socket);

} // namespace revet::egress
