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
#include <string>

namespace revet::egress {

/// A port of one network's loopback that leads to a port of another's: into the box (--publish) or out of it
/// (--host-port).
struct PortForward
{
    UniqueFd listener; ///< non-blocking
    /// A non-blocking TCP socket of the network that it leads to. Called on the thread of PortForwards.
    std::function<Result<UniqueFd>(bool isV6)> open;
    std::uint16_t port = 0; ///< there, at 127.0.0.1, or else at ::1
    /// Clients are the box's: who is known, and what became of each is told.
    bool isFromBox = false;
    std::string rule; ///< why it is there
};

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
    /// Any thread.
    void add(PortForward forward);
    /// Ends every connection, and the thread. Idempotent.
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
