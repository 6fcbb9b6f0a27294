// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/broker_context.h"

namespace revet::supervisor {

/// Connects the box's sockets, and binds its local ones to names in a brokered root or a host place.
/// getsockname(2) shows the address as the program wrote it where the name is written in full and without
/// links, or is a bare name in the working directory; else it shows the bare name: the address would have to
/// be resolved again, where a link that the box can change may lead anywhere.
class SocketBroker
{
public:
    explicit SocketBroker(const BrokerContext& context)
        : m_context(context)
    {
    }
    [[nodiscard]] Answer bind(const Call& call, Target& target) const;
    /// Connects the target's own socket in place, so that what was judged is what is connected: a call that
    /// goes on may by then have another address in its memory and another socket behind its number. In what
    /// is the host's, roots and host places, only sockets that the box bound itself can be reached. Never
    /// blocks: a call that would wait is tried again later.
    [[nodiscard]] Answer connect(const Call& call, Target& target) const;

private:
    /// Remembers a socket that was bound; reads errno otherwise.
    [[nodiscard]] Answer bound(const Deed& deed, const Place& place, int result) const;
    [[nodiscard]] bool isOfTheHost(const Found& found) const;
    /// To the network: who connects is told before, and what became of it is not ours to record.
    [[nodiscard]] Answer connectOutside(const Call& call, int tid, int socket) const;
    [[nodiscard]] Answer connectLocal(const Call& call, Target& target, int socket) const;

    const BrokerContext& m_context;
};

} // namespace revet::supervisor
