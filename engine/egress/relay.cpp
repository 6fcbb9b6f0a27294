// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/relay.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace revet::egress {

namespace {

constexpr std::size_t kBuffer = std::size_t{64} * 1024;
/// Held back at most, as long as the inspector is undecided.
constexpr std::size_t kMaximumHeld = std::size_t{64} * 1024;

void sendAtOnce(int socket)
{
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // a local socket has no such option
}

std::size_t index(int side)
{
    return static_cast<std::size_t>(side);
}

} // namespace

Relay::Relay(UniqueFd client, UniqueFd server, std::unique_ptr<Inspector> inspector)
    : m_ways{Way{std::move(client)}, Way{std::move(server)}}
    , m_inspector(std::move(inspector))
{
    sendAtOnce(fd(kClient));
    sendAtOnce(fd(kServer));
}

Relay::State Relay::turn()
{
    std::array<char, kBuffer> buffer{}; // a turn's: what waits with nothing to say keeps none
    std::size_t total = 0;
    for (std::size_t moved = 1; moved > 0 && total < kTurnBytes; total += moved) {
        moved = 0;
        for (const int side : {kClient, kServer}) {
            const State reading = read(side, buffer, moved);
            // What was refused must not be written any more.
            const State state = reading == State::Open ? write(side, moved) : reading;
            if (state != State::Open) {
                return state;
            }
        }
    }
    return m_ways[kClient].isShut && m_ways[kServer].isShut ? State::Ended : State::Open;
}

Relay::State Relay::read(int side, std::span<char> buffer, std::size_t& moved)
{
    Way& way = m_ways.at(index(side));
    const bool hasRoom = isHeld(side) ? way.pending.size() < kMaximumHeld : way.isEmpty();
    if (way.isEnded || !hasRoom) {
        return State::Open;
    }
    if (way.isEmpty()) {
        way.pending.clear();
        way.written = 0;
    }
    const ssize_t size = ::recv(way.from.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0) {
        // A reset is found by reading: asking for SO_ERROR would clear it, and the next read would see an
        // end.
        return errno == EAGAIN || errno == EINTR ? State::Open : State::Reset;
    }
    const std::string_view received(buffer.data(), static_cast<std::size_t>(size));
    way.pending += received;
    way.isEnded = size == 0;
    moved += static_cast<std::size_t>(size);
    if (side == kClient && m_inspector) {
        if (way.isEnded && isUndecided()) {
            // What began no request has no addressee either.
            return way.pending.empty() ? State::Open : State::Refused;
        }
        switch (m_inspector->look(received)) {
        case Inspector::Opinion::Broken:
            return State::Refused;
        case Inspector::Opinion::Fine:
            m_hasOpinion = true;
            break;
        case Inspector::Opinion::Undecided:
            break;
        }
    } else if (m_inspector) {
        m_inspector->answered(received);
    }
    if (m_inspector && m_inspector->isDone()) {
        m_inspector.reset();
    }
    return State::Open;
}

Relay::State Relay::write(int side, std::size_t& moved)
{
    Way& way = m_ways.at(index(side));
    const int to = fd(1 - side);
    if (!way.isEmpty() && !isHeld(side)) {
        const ssize_t size = ::send(to, way.pending.data() + way.written, way.pending.size() - way.written,
                                    MSG_DONTWAIT | MSG_NOSIGNAL);
        if (size < 0 && errno != EAGAIN && errno != EINTR) {
            return State::Reset;
        }
        way.written += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
        moved += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
        if (way.isEmpty()) {
            std::string().swap(way.pending); // an assignment would keep its memory
            way.written = 0;
        }
    }
    if (way.isEnded && way.isEmpty() && !way.isShut) {
        ::shutdown(to, SHUT_WR);
        way.isShut = true;
    }
    return State::Open;
}

std::uint32_t Relay::wanted(int side) const
{
    const Way& way = m_ways.at(index(side));
    const Way& other = m_ways.at(index(1 - side));
    const bool hasRoom = isHeld(side) ? way.pending.size() < kMaximumHeld : way.isEmpty();
    std::uint32_t events = !way.isEnded && hasRoom ? EPOLLIN : 0U;
    if (!other.isEmpty() && !isHeld(1 - side)) {
        events |= EPOLLOUT;
    }
    return events;
}

void Relay::close(State state)
{
    for (Way& way : m_ways) {
        if (state != State::Ended && way.from) {
            closeWithReset(std::move(way.from));
        }
        way.from.reset();
    }
}

void closeWithReset(UniqueFd socket)
{
    const linger reset{1, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

} // namespace revet::egress
