// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/asking.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

using namespace revet::test;

/// Ports and sockets that the person gives a box that is running, and takes away again (E103). In front of
/// the scripts: moc takes raw strings for ordinary ones.
class LivePortsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void neverRelaysRevetsOwnSockets();
    void opensAndClosesAHostPort();
    void makesNoRing();
    void publishesAndStops();
    void relaysAndEndsASocket();
    void keepsARelayedSocketsPlace();
    void relaysNoSocketThatABoxLinked();
    void relaysNothingOnceItIsOver_data();
    void relaysNothingOnceItIsOver();
};

namespace {

/// A service at a free port of the host, $port; and one at the local socket $local.
constexpr const char* kServices = R"(
mkdir www; echo hello >www/index.html
python3 -c '
import http.server, os, socket, sys, threading
os.chdir("www")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
local = socket.socket(socket.AF_UNIX); local.bind(sys.argv[1]); local.listen()
open("../port.tmp", "w").write(str(server.server_port)); os.rename("../port.tmp", "../port")
while True:
    client, _ = local.accept(); client.sendall(b"local hello\n"); client.close()
' "$HOME/local" 2>/dev/null & host=$!
until test -e port; do sleep 0.02; done; port=`cat port`; local=$HOME/local
)";

} // namespace

void LivePortsTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    for (const char* const program : {"python3", "curl", "pgrep"}) {
        REVET_NEEDS_PROGRAM(program);
    }
}

void LivePortsTest::neverRelaysRevetsOwnSockets()
{
    const World world;
    // What answers there would take the box's words for the person's.
    const Finished finished = steering(world, R"(
box --allow-host allowed.test; own=`find "$XDG_RUNTIME_DIR/revet" -type s | head -n 1`; test -S "$own" || echo none
"$revet" grant $id --socket "$own"; echo "grant: $?"
ln -s "$own" "$HOME/innocent"; "$revet" grant $id --socket "$HOME/innocent"; echo "link: $?"
"$revet" run --tier $tier --socket "$own" -- true; echo "run: $?"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"grant: 5\nlink: 5\nrun: 125\n"}));
    QVERIFY2(finished.out.find("none") == std::string::npos, text(finished).c_str());
    QVERIFY2(finished.err.find("it is Revet's own") != std::string::npos, finished.err.c_str());
}

void LivePortsTest::opensAndClosesAHostPort()
{
    const World world;
    const Finished finished = steering(world, std::string(kServices) + R"(
box --allow-host allowed.test; go "curl -s http://127.0.0.1:$port/"
grant=$("$revet" grant $id --host-port $port); go "curl -s http://127.0.0.1:$port/"
"$revet" grant $id --host-port $port; echo "twice: $?"
# A connection that stays is no hindrance to the next grant.
cat >hold.py <<END
import socket, time; s = socket.create_connection(("127.0.0.1", $port)); print("held", flush=True); time.sleep(600)
END
go "python3 hold.py >held & until test -s held; do sleep 0.02; done"
"$revet" revoke $grant; go "curl -s http://127.0.0.1:$port/"
"$revet" grant $id --host-port $port; go "curl -s http://127.0.0.1:$port/"; end; kill $host
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"= 7\nhello\n= 0\n", "twice: 5\n", "= 7\n", "hello\n= 0\n"}));
}

void LivePortsTest::makesNoRing()
{
    const World world;
    // Neither after the other: in the box the port would lead to the host's, and that to the box's.
    const Finished finished = steering(world, std::string(kServices) + R"(
kill $host; box --publish $port; "$revet" grant $id --host-port $port; echo "published: $?"; end
rm $talk/*; box --host-port $port; "$revet" grant $id --publish $port; echo "the host's: $?"
"$revet" grants --json | wc -l; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"published: 5\n", "the host's: 5\n", "0\n"}));
}

void LivePortsTest::publishesAndStops()
{
    const World world;
    const Finished finished = steering(world,
                                       R"(
mkdir www; echo from the box >www/index.html
box --allow-host allowed.test
go "(cd www; python3 -m http.server --bind 127.0.0.1 8123 >/dev/null 2>&1 &); until curl -s http://127.0.0.1:8123/; do sleep 0.1; done"
grant=$("$revet" grant $id --publish 8123)
published() { "$revet" log $id --json | grep 'publish 8123' | valuesOf target; }
until published | grep -q .; do sleep 0.02; done; where=$(published)
echo "asked: `curl -s http://$where/`"; "$revet" revoke $grant
tries=0; while curl -s http://$where/ && test $tries -lt 100; do tries=$((tries + 1)); sleep 0.02; done
curl -s http://$where/; echo "after: $?"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"asked: from the box\n", "after: 7\n"}));
}

void LivePortsTest::relaysAndEndsASocket()
{
    const World world;
    const Finished finished = steering(world, std::string(kServices) + R"(
cat >speak.py <<END
import socket; s = socket.socket(socket.AF_UNIX); s.connect("$local"); print(s.recv(99).decode(), end="")
END
box --allow-host allowed.test; go "python3 speak.py 2>/dev/null"
grant=$("$revet" grant $id --socket $local); go "python3 speak.py"
"$revet" revoke $grant; go "python3 speak.py 2>/dev/null"; ls "$HOME/.local/share/revet/sessions/$id/sockets"
"$revet" grant $id --socket $local; go "python3 speak.py"; end; kill $host
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"= 1\nlocal hello\n= 0\n= 1\n", "local hello\n= 0\n"}));
}

void LivePortsTest::keepsARelayedSocketsPlace()
{
    const World world;
    // Who can write around it could put another socket in its place.
    const Finished finished = steering(world, std::string(kServices) + R"(
mkdir "$HOME/service"; mv "$local" "$HOME/service/local"; local=$HOME/service/local
box --allow-host allowed.test; grant=$("$revet" grant $id --socket "$local")
"$revet" grant $id "path:$HOME/service:rw"; echo "around: $?"; "$revet" revoke $grant
"$revet" grant $id "path:$HOME/service:rw"; "$revet" grant $id --socket "$local"; echo "within: $?"; end; kill $host
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"around: 5\n", "within: 5\n"}));
}

void LivePortsTest::relaysNoSocketThatABoxLinked()
{
    const World world;
    // A link of the box's would decide what the person gives.
    const Finished finished = steering(world, std::string(kServices) + R"(
box --allow-host allowed.test; go "ln -s $local linked; ln -s $HOME $HOME/talk/linked"
"$revet" grant $id --socket linked; echo "in the project: $?"
ln -s $talk/linked "$HOME/way"; "$revet" grant $id --socket "$HOME/way/local"; echo "on the way: $?"
ln -s "$HOME" "$HOME/own"; "$revet" grant $id --socket "$HOME/own/local"; echo "of the person's: $?"; end
"$revet" run --tier $tier --socket linked -- true; echo "at the start: $?"; kill $host
)");
    REVET_VERIFY_NONE(unlessHolds(
        finished, {"in the project: 5\n", "on the way: 5\n", "of the person's: 0\n", "at the start: 125\n"}));
}

void LivePortsTest::relaysNothingOnceItIsOver_data()
{
    addTierRows();
}
void LivePortsTest::relaysNothingOnceItIsOver()
{
    const World world;
    // Below the relay the box has the host's own socket in its view. It shows once the relay has been taken
    // away, or when the service begins anew: what is mounted on a file goes with that file's name.
    const Finished finished = steering(world, std::string(kServices) + R"(
mkdir "$HOME/service"; mv "$local" "$HOME/service/local"; local=$HOME/service/local
anew() { ln "$local" "$local-"; rm "$local"; mv "$local-" "$local"; }
cat >speak.py <<END
import socket; s = socket.socket(socket.AF_UNIX); s.connect("$local"); print(s.recv(99).decode(), end="")
END
box --bind-ro "$HOME/service" --allow-host allowed.test
grant=$("$revet" grant $id --socket "$local"); go "python3 speak.py"
"$revet" revoke $grant; go "python3 speak.py 2>/dev/null"
grant=$("$revet" grant $id --socket "$local"); anew; go "python3 speak.py 2>/dev/null"; end
rm $talk/*; box --bind-ro "$HOME/service" --socket "$local"; go "python3 speak.py"
anew; go "python3 speak.py 2>/dev/null"; end; kill $host
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"local hello\n= 0\n= 1\n= 1\n", "local hello\n= 0\n= 1\n"}));
}

QTEST_GUILESS_MAIN(LivePortsTest)
#include "tst_live_ports.moc"
