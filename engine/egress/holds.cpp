// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/holds.h"

#include "engine/launcher/gateway.h"

#include <algorithm>
#include <cerrno>

#include <sys/epoll.h>

namespace revet::egress {

namespace {

constexpr std::uint16_t kDnsPort = 53;
/// From a SYN that was let through to accept(2): no time at all, unless the client has left meanwhile.
constexpr std::chrono::seconds kThroughFor{30};
/// One that waits is looked at again after this, since its client may have left without a word.
constexpr std::chrono::seconds kWaitsUnseen{1};
constexpr std::size_t kCheckedInATick = 1024;

bool isResolver(const Endpoint& server)
{
    return server.port == kDnsPort && server.address() == policy::IpAddress::v4(launcher::kResolver);
}

} // namespace

void Holds::arrived(std::string_view packet, std::size_t room)
{
    auto syn = parseSyn(packet);
    if (!syn) {
        return;
    }
    const auto known = m_holds.find(syn->connection);
    if (known != m_holds.end()) {
        Hold& hold = known->second;
        if (hold.syn.sequence == syn->sequence) {
            hold.syn = std::move(*syn); // the newest copy has the newest time stamps
            if (hold.isThrough) {
                m_parts.tap.letThrough(withChecksum(hold.syn));
            }
            return;
        }
        forget(hold); // another connection of the same two ports: the first one was given up
    }
    const Endpoint& server = syn->connection.server;
    Destination destination{server.address(), server.port};
    if (const auto* const name = m_parts.resolver.nameOf(server.address())) {
        destination.name = *name;
    }
    const bool isWelcome = m_holds.size() < kMaximum && (room > 0 || isResolver(server));
    const auto isRefused = [&] {
        const Decision decision = m_parts.decider.decide(destination);
        return !decision.isPermitted && !decision.mayAsk;
    };
    // What is refused at once takes no room.
    if (isWelcome || (!isResolver(server) && isRefused())) {
        begin(std::move(*syn), std::move(destination));
    }
}

void Holds::begin(Syn syn, Destination destination)
{
    const Connection connection = syn.connection;
    Hold made;
    made.id = ++m_lastId;
    made.syn = std::move(syn);
    made.since = m_parts.clock.steadyNow();
    made.destination = std::move(destination);
    judge(m_holds.emplace(connection, std::move(made)).first->second);
}

void Holds::judge(Hold& hold)
{
    if (isResolver(hold.syn.connection.server)) {
        hold.isThrough = true;
        m_parts.tap.letThrough(withChecksum(hold.syn));
        return;
    }
    const auto socket = m_parts.lookup.waitingSocket(hold.syn.connection);
    if (!socket || *socket == 0) {
        m_parts.tap.answer(resetFor(hold.syn)); // the client has left, or never was
        forget(hold);
        return;
    }
    hold.socket = *socket;
    if (!m_parts.watch.expects(hold.socket)) {
        refuse(hold, "nobody was seen to open it");
        return;
    }
    Decision decision = m_parts.decider.decide(hold.destination);
    if (decision.isPermitted) {
        proceed(hold, std::move(decision.rule));
    } else if (asksFor(hold, decision)) {
        proceed(hold, std::move(hold.rule));
    }
}

bool Holds::asksFor(Hold& hold, const Decision& decision)
{
    if (m_parts.asker == nullptr || !decision.mayAsk || hold.destination.isNeverReached()) {
        refuse(hold, decision.rule, decision.mayAsk && !hold.destination.isNeverReached());
        return false;
    }
    Asker::Reply reply = m_parts.asker->ask(hold.id, hold.socket, hold.destination);
    switch (reply.kind) {
    case Asker::Reply::Kind::Permitted:
        hold.rule = std::move(reply.rule);
        return true;
    case Asker::Reply::Kind::Waits:
        m_asked.insert_or_assign(hold.id, hold.syn.connection);
        return false;
    case Asker::Reply::Kind::Refused:
        break;
    }
    refuse(hold, std::move(reply.rule), true);
    return false;
}

void Holds::answered(ConnectionAnswer answer)
{
    const auto asked = m_asked.extract(answer.connection);
    if (asked.empty()) {
        return; // its client has left
    }
    Hold& hold = m_holds.at(asked.mapped());
    if (!answer.isPermitted) {
        refuse(hold, std::move(answer.rule), true);
    } else if (stillWaits(hold)) {
        proceed(hold, std::move(answer.rule));
    } else {
        forget(hold);
    }
}

void Holds::proceed(Hold& hold, std::string rule)
{
    const Destination& destination = hold.destination;
    hold.rule = std::move(rule);
    if (destination.name) {
        m_parts.resolver.find(*destination.name,
                              [this, connection = hold.syn.connection, id = hold.id](
                                  const FoundAddresses& addresses) { found(connection, id, addresses); });
        return;
    }
    if (destination.isNeverReached()) {
        refuse(hold, std::string(toString(destination.address.kind())) + " address"); // whatever a rule says
        return;
    }
    hold.candidates = {destination.address};
    dialNext(hold);
}

void Holds::found(const Connection& connection, std::uint64_t id, const FoundAddresses& addresses)
{
    const auto known = m_holds.find(connection);
    if (known == m_holds.end() || known->second.id != id) {
        return;
    }
    Hold& hold = known->second;
    std::string why
        = addresses.status == DnsStatus::NoError ? "the name has no address" : "the name cannot be looked up";
    for (auto address = addresses.addresses.rbegin(); address != addresses.addresses.rend(); ++address) {
        const policy::AddressKind kind = address->kind();
        // Else whoever owns a permitted name would choose what of the inner network is reached (rebinding).
        const bool isNamedToo = kind == policy::AddressKind::Private && isItselfPermitted(hold, *address);
        if (kind == policy::AddressKind::Public || isNamedToo) {
            hold.candidates.push_back(*address);
        } else {
            why = "the name leads to a " + std::string(toString(kind)) + " address";
        }
    }
    if (hold.candidates.empty()) {
        refuse(hold, why);
    } else if (stillWaits(hold)) {
        dialNext(hold);
    } else {
        forget(hold);
    }
}

bool Holds::isItselfPermitted(const Hold& hold, const policy::IpAddress& address) const
{
    return m_parts.decider.decide({address, hold.destination.port}).isPermitted;
}

void Holds::dialNext(Hold& hold)
{
    std::string why; // the last was refused
    while (!hold.candidates.empty()) {
        const policy::IpAddress address = hold.candidates.back();
        hold.candidates.pop_back();
        const auto way = m_parts.dialler.wayTo(address);
        if (!way) {
            hold.lastError = way.error().errnoValue;
            why.clear();
            continue;
        }
        // What an address is good for its looks do not say: a public one may be this machine's, or next to
        // it.
        if (*way == Way::Own) {
            why = "an address of this machine's own";
            continue;
        }
        if (*way == Way::Neighbour && hold.destination.name && !isItselfPermitted(hold, address)) {
            why = "the name leads to a neighbour of this machine's";
            continue;
        }
        why.clear();
        auto socket = m_parts.dialler.dial(address, hold.destination.port);
        if (!socket) {
            hold.lastError = socket.error().errnoValue;
            continue;
        }
        if (!m_parts.poller.add(socket->get(), EPOLLOUT, {Source::Kind::Dial, 0, hold.id})) {
            hold.lastError = ENETUNREACH;
            continue;
        }
        hold.upstream = std::move(*socket);
        m_dials.insert_or_assign(hold.id, hold.syn.connection);
        return;
    }
    if (!why.empty()) {
        refuse(hold, why);
    } else {
        fail(hold, hold.lastError);
    }
}

void Holds::dialled(std::uint64_t id)
{
    const auto dial = m_dials.extract(id);
    if (dial.empty()) {
        return;
    }
    Hold& hold = m_holds.at(dial.mapped());
    // The relay registers it anew.
    static_cast<void>(m_parts.poller.change(hold.upstream.get(), EPOLLOUT, 0, {}).has_value());
    hold.lastError = dialError(hold.upstream.get());
    if (hold.lastError != 0) {
        hold.upstream.reset();
        dialNext(hold);
    } else if (stillWaits(hold)) {
        letThrough(hold);
    } else {
        forget(hold);
    }
}

void Holds::letThrough(Hold& hold)
{
    hold.isThrough = true;
    hold.since = m_parts.clock.steadyNow();
    m_parts.tap.letThrough(withChecksum(hold.syn));
}

bool Holds::stillWaits(const Hold& hold)
{
    const auto socket = m_parts.lookup.waitingSocket(hold.syn.connection);
    return socket && *socket == hold.socket;
}

void Holds::refuse(const Hold& hold, std::string rule, bool mayBePermitted)
{
    // Told before it is known in the box.
    m_parts.watch.settled(hold.socket, hold.destination,
                          {Outcome::Kind::Refused, std::move(rule), ECONNREFUSED, mayBePermitted});
    m_parts.tap.answer(resetFor(hold.syn));
    forget(hold);
}

void Holds::fail(const Hold& hold, int errnoValue)
{
    const bool isRefused = errnoValue == ECONNREFUSED || errnoValue == ECONNRESET;
    m_parts.tap.answer(isRefused ? resetFor(hold.syn) : unreachableFor(hold.syn, errnoValue));
    const int told = isRefused ? ECONNREFUSED : errnoValue == ENETUNREACH ? ENETUNREACH : EHOSTUNREACH;
    m_parts.watch.settled(hold.socket, hold.destination, {Outcome::Kind::Failed, hold.rule, told});
    forget(hold);
}

void Holds::forget(const Hold& hold)
{
    m_dials.erase(hold.id);
    if (m_asked.erase(hold.id) != 0) {
        m_parts.asker->left(hold.id);
    }
    m_holds.erase(Connection(hold.syn.connection)); // a copy: the original goes with it
}

std::optional<Holds::Through> Holds::accepted(const Connection& connection)
{
    const auto known = m_holds.find(connection);
    if (known == m_holds.end() || !known->second.isThrough) {
        return std::nullopt;
    }
    Hold& hold = known->second;
    Through through{std::move(hold.upstream), hold.destination, hold.socket, hold.rule};
    m_holds.erase(known);
    return through;
}

void Holds::expire()
{
    const SteadyTime now = m_parts.clock.steadyNow();
    std::erase_if(m_holds, [now](const auto& entry) {
        return entry.second.isThrough && now - entry.second.since > kThroughFor;
    });
    auto next = m_checkedUpTo ? m_holds.upper_bound(*m_checkedUpTo) : m_holds.begin();
    for (std::size_t checked = 0; checked < kCheckedInATick && next != m_holds.end(); ++checked) {
        const Hold& hold = (next++)->second; // forget() takes the entry away
        m_checkedUpTo = hold.syn.connection;
        if (!hold.isThrough && now - hold.since > kWaitsUnseen && !stillWaits(hold)) {
            forget(hold);
        }
    }
    if (next == m_holds.end()) {
        m_checkedUpTo.reset();
    }
    for (auto asked = m_asked.begin(); asked != m_asked.end();) {
        const Hold& hold = m_holds.at((asked++)->second); // forget() takes the entry away
        if (!stillWaits(hold)) {
            forget(hold);
        }
    }
}

} // namespace revet::egress
