// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/port_forwards.h"

#include "engine/egress/dialler.h"
#include "engine/egress/relays.h"
#include "engine/egress/socket_ends.h"
#include "engine/egress/socket_lookup.h"

#include <cerrno>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace revet::egress {

namespace {

constexpr std::chrono::milliseconds kTick{1000};
constexpr std::chrono::milliseconds kLastTick{20};
constexpr std::chrono::seconds kDeliveryTime{1};

} // namespace

/// All of it belongs to the thread, but for what is new, the wake-up and the thread itself.
class PortForwards::Loop
{
public:
    Loop(Dependencies dependencies, Poller poller, UniqueFd wake)
        : m_dependencies(std::move(dependencies))
        , m_poller(std::move(poller))
        , m_lookup(std::move(m_dependencies.lookup))
        , m_relays(m_poller, m_dependencies.watch, m_dependencies.clock)
        , m_wake(std::move(wake))
    {
    }

    [[nodiscard]] Result<void> begin()
    {
        REVET_RETURN_IF_ERROR(m_poller.add(m_wake.get(), EPOLLIN, {Source::Kind::Forwards, 0, 0}));
        m_thread = std::jthread([this](const std::stop_token& stop) noexcept {
            run(stop);
            const std::lock_guard lock(m_mutex);
            m_hasEnded = true;
            m_taken.notify_all();
        });
        return {};
    }
    Number add(PortForward forward)
    {
        Number number = 0;
        {
            const std::lock_guard lock(m_mutex);
            m_new.push_back(std::move(forward));
            number = m_added++;
        }
        ::eventfd_write(m_wake.get(), 1);
        return number;
    }
    void remove(Number number)
    {
        std::unique_lock lock(m_mutex);
        m_removed.push_back(number);
        ::eventfd_write(m_wake.get(), 1);
        m_taken.wait(lock, [this] { return m_hasEnded || m_removed.empty(); });
    }
    void end()
    {
        if (m_thread.joinable()) {
            m_thread.request_stop();
            ::eventfd_write(m_wake.get(), 1);
            m_thread.join();
        }
    }

private:
    /// A client whose other side is being called.
    struct Call
    {
        UniqueFd client;
        UniqueFd upstream;
        std::shared_ptr<const void> presence;
        std::size_t forward = 0;
        std::uint64_t socket = 0; ///< of the client
        bool isV6 = false;
    };
    void run(const std::stop_token& stop);
    void handle(const Source& source);
    void takeNew();
    void listen(std::size_t index);
    /// Where a listener could not accept a moment ago.
    void listenAgain();
    void accept(std::size_t index);
    void dial(std::uint64_t id, Call call);
    /// Behind 127.0.0.1 comes ::1, and behind that the end.
    void dialNext(std::uint64_t id, Call call, int error);
    void dialled(std::uint64_t id);
    void settle(const Call& call, const Outcome& outcome);
    [[nodiscard]] Destination destinationOf(const Call& call) const;

    Dependencies m_dependencies;
    Poller m_poller;
    SocketLookup m_lookup;
    Relays m_relays;
    UniqueFd m_wake;
    std::mutex m_mutex;
    std::condition_variable m_taken; ///< m_removed has been, or never will be
    std::vector<PortForward> m_new; ///< this and the next three under m_mutex
    std::vector<Number> m_removed;
    bool m_hasEnded = false;
    Number m_added = 0; ///< the next one's index in m_forwards
    std::vector<PortForward> m_forwards;
    std::vector<std::shared_ptr<const void>> m_presences; ///< of each, held by its connections
    std::vector<std::size_t> m_resting;
    std::map<std::uint64_t, Call> m_calls;
    std::uint64_t m_lastId = 0;
    std::jthread m_thread;
};

void PortForwards::Loop::run(const std::stop_token& stop)
{
    std::optional<SteadyTime> endsAt;
    SteadyTime lastTick = m_dependencies.clock.steadyNow();
    for (;;) {
        if (stop.stop_requested() && !endsAt) {
            endsAt = SystemClock().steadyNow() + kDeliveryTime;
        }
        const auto ready = m_poller.wait(endsAt ? kLastTick : kTick);
        if (!ready) {
            m_dependencies.onFailure(ready.error());
            return;
        }
        const bool isIdle = ready->empty() && m_calls.empty() && m_relays.haveDelivered();
        if (endsAt && (isIdle || SystemClock().steadyNow() >= *endsAt)) {
            break;
        }
        for (const Poller::Ready& one : *ready) {
            handle(one.source);
        }
        if (const SteadyTime now = m_dependencies.clock.steadyNow(); now - lastTick >= kTick) {
            listenAgain();
            lastTick = now;
        }
    }
    m_relays.endAll();
}

void PortForwards::Loop::handle(const Source& source)
{
    switch (source.kind) {
    case Source::Kind::Forwards:
        takeNew();
        break;
    case Source::Kind::Listener:
        accept(source.id);
        break;
    case Source::Kind::Dial:
        dialled(source.id);
        break;
    case Source::Kind::Relay:
        m_relays.ready(source.id);
        break;
    case Source::Kind::Stop:
    case Source::Kind::Tap:
    case Source::Kind::Resolver:
    case Source::Kind::Lookups:
    case Source::Kind::NameStream:
    case Source::Kind::Answers:
        break; // the gateway's
    }
}

void PortForwards::Loop::listenAgain()
{
    for (const std::size_t index : std::exchange(m_resting, {})) {
        listen(index);
    }
}

void PortForwards::Loop::listen(std::size_t index)
{
    UniqueFd& listener = m_forwards.at(index).listener;
    if (listener && !m_poller.add(listener.get(), EPOLLIN, {Source::Kind::Listener, 0, index})) {
        listener.reset(); // clients see it closed
    }
}

void PortForwards::Loop::takeNew()
{
    eventfd_t count = 0;
    ::eventfd_read(m_wake.get(), &count);
    const std::lock_guard lock(m_mutex);
    for (PortForward& forward : m_new) {
        m_forwards.push_back(std::move(forward));
        m_presences.push_back(std::make_shared<char>());
        listen(m_forwards.size() - 1);
    }
    m_new.clear();
    for (const Number number : std::exchange(m_removed, {})) {
        m_forwards.at(number).listener.reset();
    }
    m_taken.notify_all();
}

void PortForwards::Loop::accept(std::size_t index)
{
    const PortForward& forward = m_forwards.at(index);
    if (!forward.listener) {
        return; // a moment ago
    }
    Call call;
    call.forward = index;
    call.client.reset(::accept4(forward.listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!call.client) {
        if (errno != EAGAIN && errno != ECONNABORTED) { // no descriptors: it would be ready again at once
            static_cast<void>(m_poller.change(forward.listener.get(), EPOLLIN, 0, {}).has_value());
            m_resting.push_back(index);
        }
        return;
    }
    // One that is flooded leaves room for the others.
    const bool hasItsShare
        = static_cast<std::size_t>(m_presences.at(index).use_count()) > roomForForwards() / 2;
    if (hasItsShare || m_relays.size() + m_calls.size() >= roomForForwards()) {
        closeWithReset(std::move(call.client));
        return;
    }
    if (const auto ends = forward.boxPort ? endsOf(call.client.get()) : std::nullopt) {
        call.socket = m_lookup.connectedSocket(*ends).value_or(0);
    }
    call.presence = m_presences.at(index);
    dial(++m_lastId, std::move(call));
}

void PortForwards::Loop::dial(std::uint64_t id, Call call)
{
    auto socket = m_forwards.at(call.forward).dial(call.isV6);
    int error = socket ? 0 : socket.error().errnoValue;
    if (socket && !m_poller.add(socket->get(), EPOLLOUT, {Source::Kind::Dial, 0, id})) {
        error = EAGAIN;
    }
    if (!socket || error != 0) {
        dialNext(id, std::move(call), error);
        return;
    }
    call.upstream = std::move(*socket);
    m_calls.emplace(id, std::move(call));
}

void PortForwards::Loop::dialNext(std::uint64_t id, Call call, int error)
{
    if (!call.isV6) {
        call.isV6 = true;
        dial(id, std::move(call));
        return;
    }
    settle(call, {Outcome::Kind::Failed, {}, error});
    closeWithReset(std::move(call.client));
}

void PortForwards::Loop::dialled(std::uint64_t id)
{
    auto node = m_calls.extract(id);
    if (node.empty()) {
        return; // a moment ago
    }
    Call call = std::move(node.mapped());
    static_cast<void>(
        m_poller.change(call.upstream.get(), EPOLLOUT, 0, {Source::Kind::Dial, 0, id}).has_value());
    const int error = dialError(call.upstream.get());
    if (error == 0) {
        settle(call, {Outcome::Kind::Permitted, m_forwards.at(call.forward).rule, 0});
        m_relays.add(std::move(call.client),
                     {std::move(call.upstream),
                      destinationOf(call),
                      call.socket,
                      {},
                      m_forwards.at(call.forward).isIntoBox ? Relay::kServer : Relay::kClient,
                      std::move(call.presence)});
    } else {
        dialNext(id, std::move(call), error);
    }
}

void PortForwards::Loop::settle(const Call& call, const Outcome& outcome)
{
    if (m_forwards.at(call.forward).boxPort) {
        m_dependencies.watch.settled(call.socket, destinationOf(call), outcome);
    }
}

Destination PortForwards::Loop::destinationOf(const Call& call) const
{
    return {loopback(call.isV6), m_forwards.at(call.forward).boxPort.value_or(0)};
}

policy::IpAddress loopback(bool isV6)
{
    return isV6 ? policy::IpAddress::v6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
                : policy::IpAddress::v4({127, 0, 0, 1});
}

Result<UniqueFd> dialLoopback(UniqueFd socket, bool isV6, std::uint16_t port)
{
    errno = beginConnect(socket.get(), loopback(isV6), port);
    return errno == 0 ? Result<UniqueFd>(std::move(socket)) : failErrno("open a connection");
}

PortForwards::PortForwards(std::unique_ptr<Loop> loop)
    : m_loop(std::move(loop))
{
}

PortForwards::PortForwards(PortForwards&& other) noexcept = default;

PortForwards::~PortForwards()
{
    end();
}

void PortForwards::end()
{
    if (m_loop) {
        m_loop->end();
    }
}

PortForwards::Number PortForwards::add(PortForward forward)
{
    return m_loop->add(std::move(forward));
}

void PortForwards::remove(Number number)
{
    m_loop->remove(number);
}

Result<PortForwards> PortForwards::start(Dependencies dependencies)
{
    REVET_ASSIGN_OR_RETURN(Poller poller, Poller::open());
    UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake) {
        return failErrno("forward ports");
    }
    auto loop = std::make_unique<Loop>(std::move(dependencies), std::move(poller), std::move(wake));
    REVET_RETURN_IF_ERROR(loop->begin());
    return PortForwards(std::move(loop));
}

} // namespace revet::egress
