// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/connection_book.h"

#include "engine/domain/display_escape.h"

namespace revet::session {

namespace {

/// More than can wait for their first packet at once: it comes within the call.
constexpr std::size_t kMaximum = 65536;

template<typename Rules>
policy::NetworkRules::Judgement judge(Rules& rules, const egress::Destination& destination)
{
    return destination.name ? rules.judge(*destination.name, destination.port)
                            : rules.judge(destination.address, destination.port);
}

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

void ConnectionBook::removeHostPort(std::uint16_t port)
{
    const std::lock_guard lock(m_mutex);
    m_hostPorts.erase(port);
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
    if (fact.verdict == Verdict::Permitted && destination.address.kind() == policy::AddressKind::Loopback) {
        fact.reach = Reach::Machine; // a port of this machine's own
    } else if (fact.verdict == Verdict::Permitted && !judge(m_model, destination).isPermitted) {
        fact.reach = Reach::Beyond; // what an agent tells its own model is stated in words, in every session
    }
    fact.target = destination.text();
    fact.rule = outcome.rule;
    fact.errnoValue = outcome.errnoValue;
    if (outcome.kind == egress::Outcome::Kind::Refused && m_status != nullptr) {
        m_status->note({m_clock.now(), "connection to " + displayQuoted(fact.target) + " refused",
                        displayEscape(fact.rule),
                        outcome.mayBePermitted
                            ? "revet grant " + m_session + " --allow-host " + displayEscape(fact.target)
                            : std::string()});
    }
    m_recorder.record(ownerOf(socket), std::move(fact));
}

void ConnectionBook::lookingUp(const policy::HostName& name)
{
    Fact fact;
    fact.kind = ActionKind::Dns;
    fact.reach = m_model.mayReach(name) ? Reach::None : Reach::Beyond;
    fact.target = name.text();
    m_recorder.note(std::move(fact));
}

void ConnectionBook::namesAreFull()
{
    Fact fact;
    fact.kind = ActionKind::Limit;
    fact.target = "dns";
    fact.rule = "flood of names";
    m_recorder.note(std::move(fact));
}

} // namespace revet::session
