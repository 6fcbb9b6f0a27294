// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/connection_book.h"

namespace revet::session {

namespace {

/// More than can wait for their first packet at once: it comes within the call.
constexpr std::size_t kMaximum = 65536;

Verdict verdictOf(egress::Outcome::Kind kind)
{
    switch (kind) {
    case egress::Outcome::Kind::Permitted:
        return Verdict::Permitted;
    case egress::Outcome::Kind::Refused:
        return Verdict::Denied;
    case egress::Outcome::Kind::Failed:
        return Verdict::Failed;
    }
    return Verdict::Denied;
}

} // namespace

void ConnectionBook::connecting(int tid, std::uint64_t socket)
{
    const ProcessNumber process = m_recorder.sighted(tid);
    const std::lock_guard lock(m_mutex);
    if (m_owners.insert_or_assign(socket, process).second) {
        m_order.push_back(socket);
    }
    if (m_order.size() > kMaximum) {
        m_owners.erase(m_order.front());
        m_order.pop_front();
    }
}

void ConnectionBook::addHostPort(std::uint16_t port)
{
    const std::lock_guard lock(m_mutex);
    m_hostPorts.insert(port);
}

bool ConnectionBook::records(const supervisor::SocketAddress& address) const
{
    if (address.kind != supervisor::SocketAddress::Kind::Network || !address.isLoopback) {
        return address.kind == supervisor::SocketAddress::Kind::Network && m_hasGateway;
    }
    const std::lock_guard lock(m_mutex);
    return m_hostPorts.contains(address.port);
}

bool ConnectionBook::expects(std::uint64_t socket)
{
    const std::lock_guard lock(m_mutex);
    return m_owners.contains(socket);
}

ProcessNumber ConnectionBook::ownerOf(std::uint64_t socket)
{
    const std::lock_guard lock(m_mutex);
    const auto known = m_owners.find(socket);
    return known == m_owners.end() ? ProcessNumber() : known->second;
}

void ConnectionBook::settled(std::uint64_t socket, const egress::Destination& destination,
                             const egress::Outcome& outcome)
{
    Fact fact;
    fact.kind = ActionKind::Connect;
    fact.verdict = verdictOf(outcome.kind);
    if (fact.verdict == Verdict::Permitted) {
        const bool isOurs = destination.address.kind() == policy::AddressKind::Loopback;
        fact.reach = isOurs ? Reach::Machine : Reach::Beyond;
    }
    fact.target = destination.text();
    fact.rule = outcome.rule;
    fact.errnoValue = outcome.errnoValue;
    m_recorder.record(ownerOf(socket), std::move(fact));
}

void ConnectionBook::lookingUp(const policy::HostName& name)
{
    Fact fact;
    fact.kind = ActionKind::Dns;
    fact.reach = Reach::Beyond;
    fact.target = name.text();
    m_recorder.note(std::move(fact));
}

egress::Decision RuleDecider::decide(const egress::Destination& destination) const
{
    auto judged = destination.name ? m_rules.judge(*destination.name, destination.port)
                                   : m_rules.judge(destination.address, destination.port);
    return {judged.isPermitted, std::move(judged.rule)};
}

} // namespace revet::session
