// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

using namespace revet::test;

/// SECURITY.md E083: nothing listens on the host's side of a box. In front of the scripts: moc takes raw
/// strings for ordinary ones.
class EscapeListenersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void opensNoPortOfTheHosts_data();
    void opensNoPortOfTheHosts();
    void letsNoOtherUserNearItsSockets_data();
    void letsNoOtherUserNearItsSockets();
};

namespace {

/// Of the network that the machine is in: what listens or receives, by the kernel's own tables.
const std::string kOpen = R"(
opened() {
    for of in tcp tcp6; do awk -v of=$of '$4 == "0A" { print of, $2 }' /proc/net/$of; done
    for of in udp udp6 udplite udplite6 raw raw6 icmp icmp6; do
        test -e /proc/net/$of && awk -v of=$of 'NR > 1 { print of, $2 }' /proc/net/$of
    done
    awk '$8 ~ /^@/ { print "abstract", $8 }' /proc/net/unix
}
)";

} // namespace

void EscapeListenersTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    for (const char* const program : {"python3", "curl", "ip", "setpriv", "unshare"}) {
        REVET_NEEDS_PROGRAM(program);
    }
}

void EscapeListenersTest::opensNoPortOfTheHosts_data()
{
    addTierRows();
}
void EscapeListenersTest::opensNoPortOfTheHosts()
{
    const World world;
    // A box that uses all that it may have: names, a listed host, a port of the host's, a question. At the
    // end one that publishes a port, which is to be seen.
    const Finished finished = scriptOnInternet(world, kOpen + R"(
opened >before
start --on-ask 60s --allow-host allowed.test --allow-host '*.missing.test' --host-port 9 -- sh -c '
curl -s http://allowed.test/; curl -s http://a.missing.test/; curl -s http://localhost:9/; curl -s http://other.test/'
it=$(ask); opened >during; diff before during && echo nothing new
yes $it 2>/dev/null; finish
opened >after; diff before after && echo nothing left
start --publish 18080 -- python3 -c 'import time
print("up", flush=True)
time.sleep(60)'
until grep -q up box.out; do kill -0 $box || break; sleep 0.05; done
opened >during; diff before during | grep '^[<>]'; kill $box; finish >/dev/null
)");
    QVERIFY2(finished.out.starts_with("nothing new\nstatus 0: this is 93.184.216.34this is 93.184.216.35\n"
                                      "nothing left\n> tcp 0100007F:46A0\n"),
             text(finished).c_str());
}

/// Where a control socket, a relayed socket or the data of a session lies, nobody else gets.
void EscapeListenersTest::letsNoOtherUserNearItsSockets_data()
{
    addTierRows();
}
void EscapeListenersTest::letsNoOtherUserNearItsSockets()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
umask 0
python3 -c 'import socket, sys, threading
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); threading.Event().wait()' ~/named & named=$!
until test -e ~/named; do sleep 0.05; done
start --on-ask 60s --socket ~/named -- curl -s http://other.test/
it=$(ask)
for socket in $(find ~/.local/share/revet $XDG_RUNTIME_DIR/revet -type s); do stat -c %a $socket $(dirname $socket) | tr '\n' ' '; done; echo
yes $it 2>/dev/null; finish; kill $named
)");
    // The relayed one, the box's own and the control socket, each with its directory.
    QVERIFY2(finished.out.starts_with("777 700 777 700 600 700 \nstatus 0: this is"), text(finished).c_str());
}

QTEST_GUILESS_MAIN(EscapeListenersTest)
#include "tst_escape_listeners.moc"
