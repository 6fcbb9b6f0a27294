// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/socket_address.h"

#include <cstdint>

namespace revet::supervisor {

/// Whoever carries the box's connections to elsewhere, and has to know who opens them.
/// Called on the supervisor's threads; must not block for long.
class NetworkWatch
{
public:
    NetworkWatch() = default;
    NetworkWatch(const NetworkWatch&) = delete;
    NetworkWatch& operator=(const NetworkWatch&) = delete;
    NetworkWatch(NetworkWatch&&) = delete;
    NetworkWatch& operator=(NetworkWatch&&) = delete;
    virtual ~NetworkWatch() = default;

    /// Whether it records what becomes of a connection to there, so that nobody else has to.
    [[nodiscard]] virtual bool records(const SocketAddress& address) const = 0;
    /// The thread `tid` is about to connect the socket of this inode; before its first packet.
    virtual void connecting(int tid, std::uint64_t socket) = 0;
};

} // namespace revet::supervisor
