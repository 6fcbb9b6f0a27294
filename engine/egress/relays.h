// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/egress/holds.h"
#include "engine/egress/relay.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace revet::egress {

/// How many relays the limit of descriptors leaves room for: none is promised that could not be made.
[[nodiscard]] std::size_t roomForRelays();
/// Of these the forwarded ports'; the others are the gateway's.
[[nodiscard]] std::size_t roomForForwards();

/// The connections that are open, and when each is to be looked at. One thread.
class Relays
{
public:
    /// All of it outlives this.
    Relays(const Poller& poller, ConnectionWatch& watch, const Clock& clock)
        : m_poller(poller)
        , m_watch(watch)
        , m_clock(clock)
    {
    }

    void add(UniqueFd client, Holds::Through through);
    void ready(std::uint64_t id);
    /// Breaks off those that have begun something which for too long was neither fine nor broken.
    void expire();
    [[nodiscard]] std::size_t size() const { return m_open.size(); }
    /// All that the box has said is passed on, its ends too.
    [[nodiscard]] bool haveDelivered() const;
    /// Closes them all; with a reset what was not delivered.
    void endAll();

private:
    struct Open
    {
        Relay relay;
        Destination destination;
        std::uint64_t socket = 0;
        int boxSide = Relay::kClient;
        std::shared_ptr<const void> presence;
        std::array<std::uint32_t, 2> watched{};
        [[nodiscard]] bool hasDelivered() const { return relay.hasDelivered(boxSide); }
    };
    void end(std::uint64_t id, Relay::State state, const std::string& why);

    const Poller& m_poller;
    ConnectionWatch& m_watch;
    const Clock& m_clock;
    std::uint64_t m_lastId = 0;
    std::unordered_map<std::uint64_t, Open> m_open;
    std::map<std::uint64_t, SteadyTime> m_undecided; ///< since when
};

} // namespace revet::egress
