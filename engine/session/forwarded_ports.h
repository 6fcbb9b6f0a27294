// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/port_forwards.h"
#include "engine/ipc/run_request.h"
#include "engine/session/connection_book.h"
#include "engine/session/keeper_errands.h"
#include "engine/session/recorder.h"
#include "engine/session/relayed_sockets.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace revet::session {

/// The ports and local sockets that lead out of a box or into it. One thread calls it.
class ForwardedPorts
{
public:
    using OnFailure = std::function<void(const Error&)>;
    /// All but `onFailure` outlive this.
    [[nodiscard]] static Result<ForwardedPorts> start(KeeperErrands& errands, ConnectionBook& connections,
                                                      const Clock& clock, OnFailure onFailure);

    /// One that can be closed again.
    struct Door
    {
        std::vector<egress::PortForwards::Number> forwards;
        std::uint16_t hostPort = 0; ///< or none
        std::uint16_t published = 0; ///< of the box's, or none
    };

    /// All that a session begins with. A line for the person for each port that is published, under a name of
    /// the session's: a browser shares cookies between all ports of one name.
    [[nodiscard]] Result<std::vector<std::string>> open(const ipc::RunRequest& request,
                                                        std::vector<RelayedSocket> sockets,
                                                        Recorder& recorder, const SessionId& session);
    /// The box's 127.0.0.1:`port` (and ::1) becomes the host's. An error where the box uses the port itself.
    [[nodiscard]] Result<Door> openHostPort(std::uint16_t port);
    /// A port of the host's loopback leads to the box's `port`: the same one if it is free, else the next
    /// that is. A row tells of it.
    struct Published
    {
        Door door;
        std::uint16_t port = 0; ///< of the host's
    };
    [[nodiscard]] Result<Published> publish(std::uint16_t port, Recorder& recorder);
    /// What the box says to our socket goes to the host's.
    Door relay(RelayedSocket socket);
    /// For new connections.
    void close(const Door& door);
    void end() { m_forwards.end(); }

private:
    ForwardedPorts(KeeperErrands& errands, ConnectionBook& connections, egress::PortForwards forwards)
        : m_errands(errands)
        , m_connections(connections)
        , m_forwards(std::move(forwards))
    {
    }

    KeeperErrands& m_errands;
    ConnectionBook& m_connections;
    std::set<std::uint16_t> m_hostPorts;
    std::multiset<std::uint16_t> m_published; ///< of the box's
    egress::PortForwards m_forwards;
};

} // namespace revet::session
