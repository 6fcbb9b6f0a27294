// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/packet.h"
#include "engine/os/netlink.h"

#include <cstdint>

namespace revet::egress {

/// Finds the box's own socket of a connection, by sock_diag in the box's network namespace: what a SYN
/// belongs to cannot be told by its source port alone. One thread.
class SocketLookup
{
public:
    explicit SocketLookup(UniqueFd lookup)
        : m_socket(std::move(lookup))
    {
    }
    /// The inode of the socket, as /proc/PID/fd names it, while it waits for its connection (SYN_SENT); 0
    /// where there is none, so that its owner has left or never was.
    [[nodiscard]] Result<std::uint64_t> waitingSocket(const Connection& connection);
    /// The same of one that is connected, or was until a moment ago.
    [[nodiscard]] Result<std::uint64_t> connectedSocket(const Connection& connection);

private:
    [[nodiscard]] Result<std::uint64_t> find(const Connection& connection, bool isWaiting);

    os::NetlinkSocket m_socket;
};

} // namespace revet::egress
