// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/egress/destination.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace revet::egress {

/// A door through the wall: a listener on one side that leads to a service on the other, into the box
/// (--publish) or out of it (--host-port, --socket).
struct PortForward
{
    UniqueFd listener; ///< non-blocking
    /// A non-blocking socket on its way to the other side, at 127.0.0.1 or else ::1 where that means
    /// something. Called on the thread of PortForwards.
    std::function<Result<UniqueFd>(bool isV6)> dial;
    /// Clients are the box's, and come to this port: who is known, and what became of each is told.
    std::optional<std::uint16_t> boxPort = std::nullopt;
    std::string rule = {}; ///< why it is there
    bool isIntoBox = false;
};

/// 127.0.0.1 or ::1.
[[nodiscard]] policy::IpAddress loopback(bool isV6);
/// A non-blocking socket is on its way to the loopback address of its network.
[[nodiscard]] Result<UniqueFd> dialLoopback(UniqueFd socket, bool isV6, std::uint16_t port);

/// Carries the connections of forwarded ports, on a thread of its own. No socket crosses the wall, only
/// bytes.
class PortForwards
{
public:
    struct Dependencies
    {
        ConnectionWatch& watch; ///< outlives this; called on the thread
        const Clock& clock; ///< outlives this
        UniqueFd lookup; ///< sock_diag of the box's network
        /// The thread cannot go on: no port leads anywhere any more. Called on it, once.
        std::function<void(const Error&)> onFailure;
    };
    [[nodiscard]] static Result<PortForwards> start(Dependencies dependencies);
    using Number = std::uint64_t;
    /// Any thread.
    Number add(PortForward forward);
    /// Nobody comes in there any more, and its address is free; connections stay. Any thread but its own.
    void remove(Number number);
    /// Ends every connection, and the thread. The box has ended; what it had said before is still passed on,
    /// for a second. Idempotent.
    void end();
    ~PortForwards();
    PortForwards(PortForwards&& other) noexcept;
    PortForwards& operator=(PortForwards&&) = delete;
    PortForwards(const PortForwards&) = delete;
    PortForwards& operator=(const PortForwards&) = delete;

private:
    class Loop;
    explicit PortForwards(std::unique_ptr<Loop> loop);
    std::unique_ptr<Loop> m_loop;
};

} // namespace revet::egress
