// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/bench/network.h"

#include "tests/bench/timing.h"
#include "tests/support/session_runner.h"
#include "tests/support/temp_home.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

namespace revet::bench {

namespace {

/// A network with a server, behind another one in which "$@" runs: with the server's like, and a relay to it,
/// on its own loopback.
constexpr const char* kInternet = R"sh(
printf '127.0.0.1 localhost\n93.184.216.34 served.test\n' >"$TMPDIR/hosts"
mount --bind "$TMPDIR/hosts" /etc/hosts
unshare --net /bin/sh -ec '
    until ip link set far0 up 2>/dev/null; do sleep 0.01; done
    ip link set lo up
    ip address add 93.184.216.34/32 dev lo
    ip address add 93.184.217.1/24 dev far0
    exec "$0" serve 93.184.216.34 9000' "$NET_LOAD" &
until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do :; done
ip link set lo up
ip link add home0 type veth peer name far0 netns $!
ip address add 93.184.217.2/24 dev home0
ip link set home0 up
ip route add default via 93.184.217.1
"$NET_LOAD" serve 127.0.0.1 9000 &
"$NET_LOAD" relay 9001 127.0.0.1 9000 &
until "$NET_LOAD" echo served.test 9000 1 && "$NET_LOAD" echo 127.0.0.1 9001 1; do sleep 0.01; done >/dev/null 2>&1
setpriv --inh-caps=-all --ambient-caps=-all "$@"
)sh";

enum class Way : std::uint8_t { Bare, Relay, Pasta, Sandbox, Container };
constexpr std::array kWays{Way::Bare, Way::Relay, Way::Pasta, Way::Sandbox, Way::Container};

struct Measurement
{
    const char* name;
    const char* word; ///< what net_load is told to do, and the word before its number
    const char* amount;
    int rounds;
    const char* goal;
};
constexpr std::array kMeasurements{
    Measurement{"connect", "connect", "2000", 5, "goal <= 12 x bare"},
    Measurement{"connect, echo, close", "echo", "2000", 5, "goal <= 3 x bare"},
    Measurement{"a MiB up", "up", "2147483648", 5, "goal <= 1.18 x relay and <= 0.91 x pasta"},
    Measurement{"a MiB down", "down", "2147483648", 5, "goal <= 1.18 x relay and <= 0.91 x pasta"},
};

class Network
{
public:
    Network() { std::filesystem::copy_file(REVET_NET_LOAD, load()); }

    void print(const Measurement& measurement) const
    {
        std::map<Way, std::vector<double>> values;
        for (int round = 0; round < measurement.rounds; ++round) {
            for (const Way way : kWays) {
                const auto timed = run(way, {measurement.word}, {measurement.amount});
                if (timed) {
                    values[way].push_back(numberAfter(timed->out, measurement.word));
                }
            }
        }
        const auto of = [&](Way way) { return median(values[way]); };
        std::printf("%-30s %10.1f us", measurement.name, of(Way::Bare) / kNanosecondsPerMicrosecond);
        for (const auto& [way, other] : {std::pair{Way::Relay, Way::Bare},
                                         {Way::Pasta, Way::Bare},
                                         {Way::Sandbox, Way::Bare},
                                         {Way::Container, Way::Bare},
                                         {Way::Sandbox, Way::Relay},
                                         {Way::Sandbox, Way::Pasta}}) {
            of(way) > 0 && of(other) > 0 ? std::printf(" %8.2f", of(way) / of(other))
                                         : std::printf(" %8s", "-");
        }
        std::printf("   %s\n", measurement.goal);
        static_cast<void>(std::fflush(stdout));
    }

    void printCrowd() const
    {
        std::printf("%-30s", "2,000 open, 200 new a second");
        for (const Way way : {Way::Bare, Way::Relay, Way::Sandbox, Way::Container}) {
            const auto timed = run(way, {"crowd"}, {"2000", "10"});
            timed ? std::printf("  %.2f ms", numberAfter(timed->out, "p99") / kNanosecondsPerMillisecond)
                  : std::printf("  failed");
        }
        std::puts("   p99, bare, relay, sandbox, container; goal: none fails, < 5 ms");
    }

private:
    static constexpr double kNanosecondsPerMicrosecond = 1e3;
    static constexpr double kNanosecondsPerMillisecond = 1e6;

    [[nodiscard]] std::filesystem::path load() const { return m_home.project() / "net_load"; }

    static double numberAfter(const std::string& out, const std::string& word)
    {
        const std::size_t at = out.find(word + " ");
        return at == std::string::npos ? 0 : std::stod(out.substr(at + word.size() + 1));
    }

    [[nodiscard]] std::optional<Timed> run(Way way, const std::vector<std::string>& before,
                                           const std::vector<std::string>& after) const
    {
        std::vector<std::string> command{"/usr/bin/unshare",
                                         "--user",
                                         "--map-current-user",
                                         "--keep-caps",
                                         "--net",
                                         "--mount",
                                         "--pid",
                                         "--fork",
                                         "--kill-child",
                                         "--mount-proc",
                                         "/bin/sh",
                                         "-ec",
                                         kInternet,
                                         "sh"};
        const std::vector<std::string> around = [way]() -> std::vector<std::string> {
            switch (way) {
            case Way::Bare:
            case Way::Relay:
                return {};
            case Way::Pasta:
                return {"pasta", "--config-net", "--quiet", "-t", "none", "-u", "none", "--"};
            case Way::Sandbox:
            case Way::Container:
                return {test::SessionRunner::program("revet"),
                        "run",
                        "--allow-host",
                        "served.test:9000",
                        "--tier",
                        way == Way::Sandbox ? "sandbox" : "container",
                        "--"};
            }
            return {};
        }();
        const bool isNear = way == Way::Bare || way == Way::Relay;
        command.insert(command.end(), around.begin(), around.end());
        command.push_back(load());
        command.insert(command.end(), before.begin(), before.end());
        command.insert(command.end(),
                       {isNear ? "127.0.0.1" : "served.test", way == Way::Relay ? "9001" : "9000"});
        command.insert(command.end(), after.begin(), after.end());
        std::map<std::string, std::string> environment = m_home.environment();
        environment["TMPDIR"] = m_home.home();
        environment["NET_LOAD"] = load();
        return timeProgram(command, m_home.project(), environment);
    }

    test::TempHome m_home;
};

} // namespace

void printNetwork()
{
    const Network network;
    std::printf("\n%-30s %13s %8s %8s %8s %8s %8s %8s\n", "Network, medians", "bare", "relay", "pasta",
                "sandbox", "contain.", "s/relay", "s/pasta");
    for (const Measurement& measurement : kMeasurements) {
        network.print(measurement);
    }
    network.printCrowd();
}

} // namespace revet::bench
