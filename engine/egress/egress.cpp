// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/egress.h"

#include "engine/egress/holds.h"
#include "engine/egress/name_streams.h"
#include "engine/egress/relays.h"
#include "engine/egress/socket_ends.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace revet::egress {

namespace {

using launcher::GatewaySocket;

constexpr std::size_t kPacketsInATurn = 256;
constexpr int kAcceptedInATurn = 64;
constexpr int kQueriesInATurn = 256;
constexpr std::size_t kMaximumQuery = 4096;
constexpr std::size_t kMaximumAnswer = 1232; ///< of UDP: what passes everywhere in one piece
/// However many descriptors there are: each takes memory, most of it the kernel's.
constexpr std::size_t kMaximumConnections = 8192;
constexpr std::chrono::milliseconds kTick{1000};
constexpr std::chrono::milliseconds kLastTick{20};
constexpr std::chrono::seconds kDeliveryTime{1};

} // namespace

/// All of it belongs to the thread, but for `m_stop`, the answers and the thread itself.
class Egress::Loop
{
public:
    Loop(launcher::GatewaySockets sockets, Dependencies dependencies, SynTap tap, Lookups lookups,
         Poller poller, UniqueFd stop, UniqueFd answered)
        : m_sockets(std::move(sockets))
        , m_dependencies(std::move(dependencies))
        , m_tap(std::move(tap))
        , m_lookups(std::move(lookups))
        , m_poller(std::move(poller))
        , m_lookup(std::move(at(GatewaySocket::Lookup)))
        , m_resolver(m_dependencies.decider, m_dependencies.watch, m_lookups, m_dependencies.clock)
        , m_holds({m_poller, m_tap, m_lookup, m_resolver, m_dependencies.decider, m_dependencies.watch,
                   *m_dependencies.dialler, m_dependencies.clock, m_dependencies.asker})
        , m_relays(m_poller, m_dependencies.watch, m_dependencies.clock)
        , m_streams(m_poller, m_resolver)
        , m_stop(std::move(stop))
        , m_answered(std::move(answered))
    {
    }

    [[nodiscard]] Result<void> begin()
    {
        using Kind = Source::Kind;
        REVET_RETURN_IF_ERROR(m_poller.add(m_stop.get(), EPOLLIN, {Kind::Stop, 0, 0}));
        REVET_RETURN_IF_ERROR(m_poller.add(m_tap.fd(), EPOLLIN, {Kind::Tap, 0, 0}));
        REVET_RETURN_IF_ERROR(m_poller.add(m_answered.get(), EPOLLIN, {Kind::Answers, 0, 0}));
        REVET_RETURN_IF_ERROR(m_poller.add(m_lookups.fd(), EPOLLIN, {Kind::Lookups, 0, 0}));
        REVET_RETURN_IF_ERROR(
            m_poller.add(at(GatewaySocket::Resolver).get(), EPOLLIN, {Kind::Resolver, 0, 0}));
        for (const GatewaySocket listener : {GatewaySocket::Listener4, GatewaySocket::Listener6}) {
            if (at(listener)) {
                REVET_RETURN_IF_ERROR(m_poller.add(at(listener).get(), EPOLLIN,
                                                   {Kind::Listener, static_cast<int>(listener), 0}));
            }
        }
        m_thread = std::jthread([this]() noexcept { run(); });
        return {};
    }
    void answer(std::vector<ConnectionAnswer> answers)
    {
        const std::lock_guard lock(m_answersMutex);
        std::ranges::move(answers, std::back_inserter(m_answers));
        ::eventfd_write(m_answered.get(), 1);
    }
    void end()
    {
        ::eventfd_write(m_stop.get(), 1);
        if (m_thread.joinable()) {
            m_thread.join();
        }
    }

private:
    [[nodiscard]] UniqueFd& at(GatewaySocket which) { return m_sockets.at(static_cast<std::size_t>(which)); }

    void run();
    void handle(const Source& source);
    void accept(GatewaySocket listener);
    void pause(GatewaySocket listener);
    void resumeListeners();
    void answerQueries();
    [[nodiscard]] std::vector<ConnectionAnswer> takeAnswers();
    [[nodiscard]] std::size_t room() const;

    launcher::GatewaySockets m_sockets;
    Dependencies m_dependencies;
    SynTap m_tap;
    Lookups m_lookups;
    Poller m_poller;
    SocketLookup m_lookup;
    Resolver m_resolver;
    Holds m_holds;
    Relays m_relays;
    NameStreams m_streams;
    UniqueFd m_stop;
    std::vector<GatewaySocket> m_paused; ///< listeners, until the next tick
    UniqueFd m_answered; ///< readable when there are
    std::mutex m_answersMutex;
    std::vector<ConnectionAnswer> m_answers;
    std::optional<SteadyTime> m_endsAt; ///< once it was told to stop
    std::jthread m_thread;
};

void Egress::Loop::run()
{
    SteadyTime lastTick = m_dependencies.clock.steadyNow();
    while (!m_endsAt || (!m_relays.haveDelivered() && SystemClock().steadyNow() < *m_endsAt)) {
        const auto ready = m_poller.wait(m_endsAt ? kLastTick : kTick);
        if (!ready) {
            m_dependencies.onFailure(ready.error());
            return;
        }
        for (const Poller::Ready& one : *ready) {
            handle(one.source);
        }
        if (const SteadyTime now = m_dependencies.clock.steadyNow(); now - lastTick >= kTick) {
            m_holds.expire();
            m_relays.expire();
            resumeListeners();
            lastTick = now;
        }
    }
    m_relays.endAll();
}

void Egress::Loop::handle(const Source& source)
{
    switch (source.kind) {
    case Source::Kind::Stop:
        m_endsAt = SystemClock().steadyNow() + kDeliveryTime;
        static_cast<void>(m_poller.change(m_stop.get(), EPOLLIN, 0, source).has_value());
        break;
    case Source::Kind::Tap:
        m_tap.read(kPacketsInATurn, [this](std::string_view packet) { m_holds.arrived(packet, room()); });
        break;
    case Source::Kind::Listener:
        accept(static_cast<GatewaySocket>(source.side));
        break;
    case Source::Kind::Resolver:
        answerQueries();
        break;
    case Source::Kind::Lookups:
        m_resolver.takeResults();
        break;
    case Source::Kind::Answers:
        for (ConnectionAnswer& answer : takeAnswers()) {
            m_holds.answered(std::move(answer));
        }
        break;
    case Source::Kind::Dial:
        m_holds.dialled(source.id);
        break;
    case Source::Kind::Relay:
        m_relays.ready(source.id);
        break;
    case Source::Kind::NameStream:
        m_streams.ready(source.id);
        break;
    case Source::Kind::Forwards:
        break; // has a thread of its own
    }
}

std::size_t Egress::Loop::room() const
{
    const std::size_t used = m_holds.size() + m_relays.size() + m_streams.size();
    const std::size_t maximum = std::min(roomForRelays() - roomForForwards(), kMaximumConnections);
    return maximum > used ? maximum - used : 0;
}

void Egress::Loop::accept(GatewaySocket listener)
{
    for (int count = 0; count < kAcceptedInATurn; ++count) {
        UniqueFd client(::accept4(at(listener).get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!client) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                pause(listener); // it would stay ready, and the thread would do nothing else
            }
            return;
        }
        const auto ends = endsOf(client.get());
        auto through = ends ? m_holds.accepted(*ends) : std::nullopt;
        if (!through) {
            closeWithReset(std::move(client));
        } else if (!through->upstream) {
            m_streams.add(std::move(client));
        } else {
            m_dependencies.watch.settled(through->socket, through->destination,
                                         {Outcome::Kind::Permitted, through->rule, 0});
            m_relays.add(std::move(client), std::move(*through));
        }
    }
}

void Egress::Loop::pause(GatewaySocket listener)
{
    const Source source{Source::Kind::Listener, static_cast<int>(listener), 0};
    if (m_poller.change(at(listener).get(), EPOLLIN, 0, source)) {
        m_paused.push_back(listener);
    }
}

void Egress::Loop::resumeListeners()
{
    std::erase_if(m_paused, [this](GatewaySocket listener) {
        const Source source{Source::Kind::Listener, static_cast<int>(listener), 0};
        return m_poller.change(at(listener).get(), 0, EPOLLIN, source).has_value();
    });
}

std::vector<ConnectionAnswer> Egress::Loop::takeAnswers()
{
    eventfd_t count = 0;
    ::eventfd_read(m_answered.get(), &count);
    const std::lock_guard lock(m_answersMutex);
    return std::exchange(m_answers, {});
}

void Egress::Loop::answerQueries()
{
    const int socket = at(GatewaySocket::Resolver).get();
    std::array<char, kMaximumQuery> buffer{};
    for (int count = 0; count < kQueriesInATurn; ++count) {
        sockaddr_in from{};
        socklen_t size = sizeof from;
        // The sockets interface asks for this cast, and below.
        const ssize_t length = ::recvfrom(socket, buffer.data(), buffer.size(), MSG_DONTWAIT,
                                          reinterpret_cast<sockaddr*>(&from), &size);
        if (length < 0) {
            return;
        }
        m_resolver.ask({buffer.data(), static_cast<std::size_t>(length)}, kMaximumAnswer,
                       [socket, from](const std::string& message) {
                           // One that finds no room is lost, as on any wire.
                           static_cast<void>(::sendto(socket, message.data(), message.size(), MSG_DONTWAIT,
                                                      reinterpret_cast<const sockaddr*>(&from), sizeof from)
                                             >= 0);
                       });
    }
}

Egress::Egress(std::unique_ptr<Loop> loop)
    : m_loop(std::move(loop))
{
}

Egress::Egress(Egress&& other) noexcept = default;

Egress::~Egress()
{
    end();
}

void Egress::answer(std::vector<ConnectionAnswer> answers)
{
    m_loop->answer(std::move(answers));
}

void Egress::end()
{
    if (m_loop) {
        m_loop->end();
    }
}

Result<Egress> Egress::start(launcher::GatewaySockets sockets, Dependencies dependencies)
{
    const auto take
        = [&sockets](GatewaySocket which) { return std::move(sockets.at(static_cast<std::size_t>(which))); };
    REVET_ASSIGN_OR_RETURN(SynTap tap, SynTap::open(take(GatewaySocket::Tap), take(GatewaySocket::Injector)));
    REVET_ASSIGN_OR_RETURN(Lookups lookups, Lookups::start(dependencies.names));
    REVET_ASSIGN_OR_RETURN(Poller poller, Poller::open());
    UniqueFd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    UniqueFd answered(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!stop || !answered) {
        return failErrno("start the way to the network");
    }
    auto loop
        = std::make_unique<Loop>(std::move(sockets), std::move(dependencies), std::move(tap),
                                 std::move(lookups), std::move(poller), std::move(stop), std::move(answered));
    REVET_RETURN_IF_ERROR(loop->begin());
    return Egress(std::move(loop));
}

} // namespace revet::egress
