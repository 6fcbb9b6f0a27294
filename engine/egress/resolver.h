// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/egress/destination.h"
#include "engine/egress/lookups.h"
#include "engine/egress/name_map.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace revet::egress {

/// The box's name server. Each name gets an address of the box's own, so that what is connected to later
/// says which name was meant, and nothing is asked outside for a name that may not be reached. What may be is
/// looked up: that a name does not exist is told truly, and the addresses found are what will be dialled. No
/// record but A and PTR has content. One thread.
class Resolver
{
public:
    /// All of it outlives this.
    Resolver(const Decider& decider, ConnectionWatch& watch, Lookups& lookups, const Clock& clock);

    using Reply = std::function<void(std::string message)>;
    /// One message of the box's, any bytes; answered now, later or, where it is none, never.
    void ask(std::string_view message, std::size_t maximumBytes, const Reply& reply);

    [[nodiscard]] const policy::HostName* nameOf(const policy::IpAddress& address) const
    {
        return m_names.nameOf(address);
    }
    using Then = std::function<void(const FoundAddresses&)>;
    /// Where a name is outside, from a look-up not older than the answers that the box got, or from a new
    /// one. `then` may be called before this returns.
    void find(const policy::HostName& name, Then then);
    /// Takes the results of look-ups, when their descriptor is readable.
    void takeResults();

private:
    struct Pin
    {
        FoundAddresses found;
        SteadyTime until;
    };
    /// What needs no look-up; none otherwise.
    [[nodiscard]] std::optional<DnsAnswer> answerAtOnce(const DnsQuery& query) const;
    [[nodiscard]] DnsAnswer answerByName(const DnsQuery& query, const FoundAddresses& found, bool mayLookUp);

    const Decider& m_decider;
    ConnectionWatch& m_watch;
    Lookups& m_lookups;
    const Clock& m_clock;
    NameMap m_names;
    bool m_isFullTold = false;
    std::map<policy::HostName, Pin> m_pins; ///< of permitted names only
    std::map<policy::HostName, std::vector<Then>> m_waiting;
};

} // namespace revet::egress
