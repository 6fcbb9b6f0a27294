// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/port_forwards.h"
#include "engine/session/box.h"
#include "engine/session/connection_book.h"
#include "engine/session/keeper_errands.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace revet::session {

/// The ports of a box that lead out of it or into it. One thread calls it.
class ForwardedPorts
{
public:
    using OnFailure = std::function<void(const Error&)>;
    /// `connections` and `clock` outlive this.
    [[nodiscard]] static Result<ForwardedPorts> start(const Box& box, ConnectionBook& connections,
                                                      const Clock& clock, OnFailure onFailure);

    /// All of them, with a line for the person and a row for each that is published.
    [[nodiscard]] Result<std::vector<std::string>> open(const std::vector<std::uint16_t>& hostPorts,
                                                        const std::vector<std::uint16_t>& published,
                                                        Recorder& recorder);
    /// The box's 127.0.0.1:`port` (and ::1) becomes the host's. An error where the box uses the port itself.
    [[nodiscard]] Result<void> openHostPort(std::uint16_t port);
    /// A port of the host's loopback leads to the box's `port`: the same one if it is free, else the next
    /// that is. Returns which.
    [[nodiscard]] Result<std::uint16_t> publish(std::uint16_t port);
    void end() { m_forwards.end(); }

private:
    ForwardedPorts(std::unique_ptr<KeeperErrands> errands, ConnectionBook& connections,
                   egress::PortForwards forwards)
        : m_errands(std::move(errands))
        , m_connections(connections)
        , m_forwards(std::move(forwards))
    {
    }

    std::unique_ptr<KeeperErrands> m_errands; ///< outlives the thread of m_forwards
    ConnectionBook& m_connections;
    egress::PortForwards m_forwards;
};

} // namespace revet::session
