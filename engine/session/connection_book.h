// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/destination.h"
#include "engine/policy/network_rules.h"
#include "engine/session/recorder.h"
#include "engine/session/status_file.h"
#include "engine/supervisor/network_watch.h"

#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>

namespace revet::session {

/// Who opens which connection: between the supervisor, which sees a process connect a socket, and the
/// gateway, which sees the packet. Thread-safe.
class ConnectionBook final : public supervisor::NetworkWatch, public egress::ConnectionWatch
{
public:
    /// What is borrowed outlives this. Without a gateway only forwarded ports lead elsewhere. What `model`
    /// leads to does not count as reached. Without `status` the box is told nothing; `session` is named where
    /// it is told what to do.
    ConnectionBook(Recorder& recorder, bool hasGateway, policy::NetworkRules model, StatusFile* status,
                   const Clock& clock, std::string session)
        : m_recorder(recorder)
        , m_hasGateway(hasGateway)
        , m_model(std::move(model))
        , m_status(status)
        , m_clock(clock)
        , m_session(std::move(session))
    {
    }

    /// From now on this port of the box's loopback is the host's.
    void addHostPort(std::uint16_t port);
    void removeHostPort(std::uint16_t port);
    [[nodiscard]] bool records(const supervisor::SocketAddress& address) const override;
    void connecting(int tid, std::uint64_t socket) override;
    [[nodiscard]] bool expects(std::uint64_t socket) override;
    void settled(std::uint64_t socket, const egress::Destination& destination,
                 const egress::Outcome& outcome) override;
    void lookingUp(const policy::HostName& name) override;
    void namesAreFull() override;
    /// Who was the last to connect it; none where nobody is known.
    [[nodiscard]] ProcessNumber ownerOf(std::uint64_t socket);

private:
    Recorder& m_recorder;
    bool m_hasGateway;
    policy::NetworkRules m_model;
    StatusFile* m_status;
    const Clock& m_clock;
    std::string m_session;
    mutable std::mutex m_mutex;
    std::set<std::uint16_t> m_hostPorts;
    std::unordered_map<std::uint64_t, ProcessNumber>
        m_owners; ///< by the socket's inode: the last to connect it
    std::deque<std::uint64_t> m_order; ///< oldest first; they are forgotten when there are too many
};

} // namespace revet::session
