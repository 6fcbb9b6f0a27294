// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace revet::supervisor {

/// Whoever judges the box's connections to the network, by their packets, and has to know who opens them.
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

    /// The thread `tid` is about to connect the socket of this inode; before its first packet.
    virtual void connecting(int tid, std::uint64_t socket) = 0;
};

} // namespace revet::supervisor
