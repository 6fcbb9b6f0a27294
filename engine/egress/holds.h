// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/egress/destination.h"
#include "engine/egress/dialler.h"
#include "engine/egress/packet.h"
#include "engine/egress/poller.h"
#include "engine/egress/relay.h"
#include "engine/egress/resolver.h"
#include "engine/egress/socket_lookup.h"
#include "engine/egress/syn_tap.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::egress {

/// Connections of which the first packet waits (SYN hold): each is judged by the destination in the packet
/// itself, dialled, and only then let through to the listener, or answered as the far end did. So every
/// client, blocking or not, sees the truth, and whatever it has written where in its memory does not matter.
/// One thread.
class Holds
{
public:
    static constexpr std::size_t kMaximum = 4096;

    /// All of it outlives this.
    struct Parts
    {
        const Poller& poller;
        SynTap& tap;
        SocketLookup& lookup;
        Resolver& resolver;
        const Decider& decider;
        ConnectionWatch& watch;
        Dialler& dialler;
        const Clock& clock;
        Asker* asker = nullptr; ///< none: nobody is asked
    };
    explicit Holds(const Parts& parts)
        : m_parts(parts)
    {
    }

    /// A packet from the tap. Beyond `room` connections those of the resolver alone are held; the others come
    /// again by themselves, but for what is refused anyway.
    void arrived(std::string_view packet, std::size_t room);
    /// A dialled socket is ready.
    void dialled(std::uint64_t id);
    /// The person has said something about one that waited for that.
    void answered(ConnectionAnswer answer);

    /// A connection that has been let through.
    struct Through
    {
        UniqueFd upstream; ///< none: the box's resolver
        Destination destination;
        std::uint64_t socket = 0;
        std::string rule;
        int boxSide = Relay::kClient; ///< whose words are to arrive, also when the session ends
        std::shared_ptr<const void> presence = {}; ///< kept as long as the connection is open
    };
    /// What the listener accepted; none: it was never let through, and has to be reset.
    [[nodiscard]] std::optional<Through> accepted(const Connection& connection);

    /// Forgets those whose client never came, or has left.
    void expire();
    [[nodiscard]] std::size_t size() const { return m_holds.size(); }

private:
    struct Hold
    {
        std::uint64_t id = 0;
        Syn syn;
        std::uint64_t socket = 0;
        Destination destination = {policy::IpAddress::v4({}), 0};
        std::string rule;
        std::vector<policy::IpAddress> candidates; ///< last one first
        UniqueFd upstream;
        int lastError = 0;
        bool isThrough = false;
        SteadyTime since{};
    };
    void begin(Syn syn, Destination destination);
    void judge(Hold& hold);
    /// Whether it has been permitted by somebody; else it is refused by now, or waits.
    [[nodiscard]] bool asksFor(Hold& hold, const Decision& decision);
    /// What is permitted is looked up, dialled, and let through.
    void proceed(Hold& hold, std::string rule);
    /// The addresses of its name are known.
    void found(const Connection& connection, std::uint64_t id, const FoundAddresses& addresses);
    /// Whether a rule about addresses permits this one.
    [[nodiscard]] bool isItselfPermitted(const Hold& hold, const policy::IpAddress& address) const;
    void dialNext(Hold& hold);
    void letThrough(Hold& hold);
    /// Whether the client still waits. One that has left is forgotten; nothing is dialled for it.
    [[nodiscard]] bool stillWaits(const Hold& hold);
    void refuse(const Hold& hold, std::string rule, bool mayBePermitted = false);
    void fail(const Hold& hold, int errnoValue);
    void forget(const Hold& hold);

    Parts m_parts;
    std::uint64_t m_lastId = 0;
    std::map<Connection, Hold> m_holds;
    std::map<std::uint64_t, Connection> m_dials;
    std::optional<Connection> m_checkedUpTo; ///< by expire(), which goes on behind it
    std::map<std::uint64_t, Connection> m_asked; ///< wait for an answer
};

} // namespace revet::egress
