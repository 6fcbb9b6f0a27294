// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/egress.h"
#include "engine/policy/network_rules.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace revet::test {

/// A server on this machine's loopback, one thread a connection.
class LocalServer
{
public:
    enum class Manner {
        Echo, ///< sends back what comes, and ends when the client has
        Greet, ///< speaks first, then as Echo
        Reset, ///< breaks off after the first bytes
        Listen, ///< says nothing
        Deaf, ///< reads nothing
    };
    explicit LocalServer(Manner manner);
    ~LocalServer();
    LocalServer(const LocalServer&) = delete;
    LocalServer& operator=(const LocalServer&) = delete;
    LocalServer(LocalServer&&) = delete;
    LocalServer& operator=(LocalServer&&) = delete;

    [[nodiscard]] std::uint16_t port() const { return m_port; }
    /// Waits until all clients have ended.
    void finish();
    /// What all clients together have said so far.
    [[nodiscard]] std::string received();

private:
    void serve(UniqueFd client);

    Manner m_manner;
    UniqueFd m_listener;
    std::uint16_t m_port = 0;
    std::mutex m_mutex;
    std::string m_received;
    std::vector<UniqueFd> m_kept;
    std::vector<std::jthread> m_clients;
    std::jthread m_thread;
};

/// The world outside, as the test wants it: names, and where an address really leads.
class Outside final : public egress::NameService
{
public:
    [[nodiscard]] egress::FoundAddresses find(const policy::HostName& name) override;
    void setName(const std::string& name, const std::vector<std::string>& addresses);
    /// Look-ups wait until this is called with false.
    void holdLookups(bool holds);
    [[nodiscard]] std::vector<std::string> lookedUp();

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::string, egress::FoundAddresses> m_names;
    std::vector<std::string> m_lookedUp;
    bool m_holds = false;
};

/// What was told of connections; by default every socket is expected.
class Watch final : public egress::ConnectionWatch
{
public:
    [[nodiscard]] bool expects(std::uint64_t) override { return expectsAll; }
    void settled(std::uint64_t, const egress::Destination& destination,
                 const egress::Outcome& outcome) override;
    void lookingUp(const policy::HostName&) override { }
    void namesAreFull() override { ++fullTimes; }

    /// "permitted allowed.test:7 by allowed.test:7", one a line, in order.
    [[nodiscard]] std::string told();
    std::atomic<bool> expectsAll = true;
    std::atomic<int> fullTimes = 0;

private:
    std::mutex m_mutex;
    std::string m_told;
};

/// The machine's clock, which can be put forward. Thread-safe.
class MovedClock final : public Clock
{
public:
    [[nodiscard]] WallTime now() const override { return SystemClock().now() + m_by.load(); }
    [[nodiscard]] SteadyTime steadyNow() const override { return SystemClock().steadyNow() + m_by.load(); }
    void advance(std::chrono::seconds by) { m_by = m_by.load() + by; }

private:
    std::atomic<std::chrono::seconds> m_by{};
};

/// A gateway and a box's network namespace, made as revet-launch makes them, and the Egress that serves them.
/// One test's; one thread.
class GatewayWorld
{
public:
    explicit GatewayWorld(const std::vector<std::string>& allowed);
    ~GatewayWorld();
    GatewayWorld(const GatewayWorld&) = delete;
    GatewayWorld& operator=(const GatewayWorld&) = delete;
    GatewayWorld(GatewayWorld&&) = delete;
    GatewayWorld& operator=(GatewayWorld&&) = delete;

    /// Dials to this port of any address go to that port of our loopback; to all others nobody listens.
    void lead(std::uint16_t port, std::uint16_t to) { m_ports[port] = to; }
    /// Addresses are reached through a gateway but for these.
    void setWay(const std::string& address, egress::Way way) { m_ways[address] = way; }
    /// No dial is answered any more.
    void holdDials() { m_holdsDials = true; }
    /// How many of those that were not answered have been given up.
    [[nodiscard]] std::size_t givenUp();
    /// Every dial fails with this.
    void setDialError(int error) { m_dialError = error; }
    void start();
    /// Time goes on by this.
    void advance(std::chrono::seconds by) { m_clock.advance(by); }
    /// Python in the box's network, with the functions of the prelude; what it prints, an error as well.
    [[nodiscard]] std::string python(const std::string& script);
    /// The same, without waiting for its end.
    void begin(const std::string& script);
    [[nodiscard]] std::string end();
    [[nodiscard]] Outside& outside() { return *m_outside; }
    [[nodiscard]] Watch& watch() { return m_watch; }
    [[nodiscard]] std::string dialled();
    /// The session is over.
    void stop() { m_egress.reset(); }
    /// Why a gateway cannot be made here; empty where it can.
    [[nodiscard]] static std::string whyNot();

private:
    class TestDecider;
    class TestDialler;
    void makeBox();

    std::unique_ptr<TestDecider> m_decider;
    std::shared_ptr<Outside> m_outside = std::make_shared<Outside>();
    Watch m_watch;
    MovedClock m_clock;
    std::map<std::uint16_t, std::uint16_t> m_ports;
    std::map<std::string, egress::Way> m_ways;
    std::atomic<bool> m_holdsDials = false;
    std::vector<UniqueFd> m_heldDials; ///< the far ends
    int m_dialError = 0;
    std::mutex m_mutex;
    std::string m_dialled;
    launcher::GatewaySockets m_sockets;
    std::string m_failure;
    std::optional<egress::Egress> m_egress;
    pid_t m_holder = -1; ///< keeps the box's namespaces, which python() enters
    UniqueFd m_holderSocket;
    UniqueFd m_output;
    pid_t m_client = -1;
};

} // namespace revet::test
