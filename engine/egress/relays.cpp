// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/relays.h"

#include "engine/egress/name_check.h"

#include <algorithm>
#include <cerrno>

#include <sys/resource.h>

namespace revet::egress {

namespace {

constexpr std::chrono::seconds kUndecidedFor{5};

} // namespace

std::size_t roomForRelays()
{
    constexpr std::size_t kDescriptorsForOthers = 256;
    constexpr std::size_t kDescriptorsEach = 2;
    rlimit limit{};
    const bool isKnown = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
    const std::size_t descriptors = isKnown ? static_cast<std::size_t>(limit.rlim_cur) : 1024;
    return descriptors > kDescriptorsForOthers ? (descriptors - kDescriptorsForOthers) / kDescriptorsEach : 0;
}

std::size_t roomForForwards()
{
    constexpr std::size_t kMost = 1024;
    return std::min(roomForRelays() / 4, kMost);
}

void Relays::add(UniqueFd client, Holds::Through through)
{
    std::unique_ptr<Inspector> inspector;
    if (const auto& name = through.destination.name) {
        inspector = std::make_unique<NameCheck>(*name, through.destination.port);
    }
    const std::uint64_t id = ++m_lastId;
    m_open.emplace(id,
                   Open{Relay(std::move(client), std::move(through.upstream), std::move(inspector)),
                        std::move(through.destination), through.socket, through.boxSide,
                        std::move(through.presence)});
    ready(id);
}

void Relays::ready(std::uint64_t id)
{
    const auto found = m_open.find(id);
    if (found == m_open.end()) {
        return; // ended by an event of the same moment
    }
    Open& open = found->second;
    const Relay::State state = open.relay.turn();
    if (state != Relay::State::Open) {
        end(id, state, open.relay.whyRefused());
        return;
    }
    if (open.relay.isHolding()) {
        m_undecided.emplace(id, m_clock.steadyNow()); // the first time counts
    } else {
        m_undecided.erase(id);
    }
    for (const int side : {Relay::kClient, Relay::kServer}) {
        std::uint32_t& watched = open.watched.at(static_cast<std::size_t>(side));
        const std::uint32_t wanted = open.relay.wanted(side);
        if (!m_poller.change(open.relay.fd(side), watched, wanted, {Source::Kind::Relay, side, id})) {
            end(id, Relay::State::Reset, {});
            return;
        }
        watched = wanted;
    }
}

void Relays::expire()
{
    const SteadyTime now = m_clock.steadyNow();
    while (!m_undecided.empty()) {
        // By number, so by age, but for those that were silent at first: they wait a little longer.
        const auto [id, since] = *m_undecided.begin();
        if (now - since < kUndecidedFor) {
            return;
        }
        end(id, Relay::State::Refused, "what it began to say did not end");
    }
}

bool Relays::haveDelivered() const
{
    return std::ranges::all_of(m_open, [](const auto& entry) { return entry.second.hasDelivered(); });
}

void Relays::endAll()
{
    for (auto& [id, open] : m_open) {
        open.relay.close(open.hasDelivered() ? Relay::State::Ended : Relay::State::Reset);
    }
    m_open.clear();
    m_undecided.clear();
}

void Relays::end(std::uint64_t id, Relay::State state, const std::string& why)
{
    const auto found = m_open.find(id);
    found->second.relay.close(state);
    if (state == Relay::State::Refused) {
        m_watch.settled(found->second.socket, found->second.destination,
                        {Outcome::Kind::Refused, why, ECONNRESET});
    }
    m_undecided.erase(id);
    m_open.erase(found);
}

} // namespace revet::egress
