// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/egress/destination.h"
#include "engine/egress/dialler.h"
#include "engine/egress/lookups.h"
#include "engine/launcher/gateway.h"

#include <functional>
#include <memory>
#include <vector>

namespace revet::egress {

/// The only way from a box to the network: its name server, the judgement of each connection before it
/// exists, and the relay of what was permitted. Works on a thread of its own from start() to its end.
class Egress
{
public:
    struct Dependencies
    {
        const Decider& decider; ///< outlives this; called on the thread
        ConnectionWatch& watch; ///< the same
        const Clock& clock; ///< the same
        std::shared_ptr<NameService> names; ///< called on threads that may outlive this
        std::unique_ptr<Dialler> dialler;
        /// The thread cannot go on: nothing is let through any more. Called on it, once.
        std::function<void(const Error&)> onFailure;
        Asker* asker = nullptr; ///< outlives this; called on the thread; none: nobody is asked
    };
    [[nodiscard]] static Result<Egress> start(launcher::GatewaySockets sockets, Dependencies dependencies);
    /// What became of asks: the connections go on, or are refused. Called on any thread.
    void answer(std::vector<ConnectionAnswer> answers);
    /// Ends every connection, the thread too. The box has ended; what it had said before is still passed on,
    /// for a second. Idempotent.
    void end();
    /// Waits for all of the machine's processors as well (RCU), tens of milliseconds often: not while a
    /// person waits.
    ~Egress();
    Egress(Egress&& other) noexcept;
    Egress& operator=(Egress&&) = delete;
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

private:
    class Loop;
    explicit Egress(std::unique_ptr<Loop> loop);
    std::unique_ptr<Loop> m_loop;
};

} // namespace revet::egress
