// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/destination.h"
#include "engine/policy/rule_book.h"
#include "engine/session/recorder.h"
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
    /// `recorder` outlives this. Without a gateway only forwarded ports lead elsewhere. What `model` leads to
    /// does not count as reached.
    ConnectionBook(Recorder& recorder, bool hasGateway, policy::NetworkRules model)
        : m_recorder(recorder)
        , m_hasGateway(hasGateway)
        , m_model(std::move(model))
    {
    }

    /// From now on this port of the box's loopback is the host's.
    void addHostPort(std::uint16_t port);
    [[nodiscard]] bool records(const supervisor::SocketAddress& address) const override;
    void connecting(int tid, std::uint64_t socket) override;
    [[nodiscard]] bool expects(std::uint64_t socket) override;
    void settled(std::uint64_t socket, const egress::Destination& destination,
                 const egress::Outcome& outcome) override;
    void lookingUp(const policy::HostName& name) override;
    void namesAreFull() override;

private:
    [[nodiscard]] ProcessNumber ownerOf(std::uint64_t socket);

    Recorder& m_recorder;
    bool m_hasGateway;
    policy::NetworkRules m_model;
    mutable std::mutex m_mutex;
    std::set<std::uint16_t> m_hostPorts;
    std::unordered_map<std::uint64_t, ProcessNumber>
        m_owners; ///< by the socket's inode: the last to connect it
    std::deque<std::uint64_t> m_order; ///< oldest first; they are forgotten when there are too many
};

/// The session's rules, as the gateway asks for them. Thread-safe.
class RuleDecider final : public egress::Decider
{
public:
    /// `rules` outlive this.
    explicit RuleDecider(policy::RuleBook& rules)
        : m_rules(rules)
    {
    }
    [[nodiscard]] egress::Decision decide(const egress::Destination& destination) const override;
    [[nodiscard]] bool mayLookUp(const policy::HostName& name) const override
    {
        return m_rules.mayReach(name);
    }

private:
    policy::RuleBook& m_rules;
};

} // namespace revet::session
