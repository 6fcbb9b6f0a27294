// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

using namespace revet::test;

/// What a box says to its session, and what becomes of it (E075). In front of the scripts: moc takes raw
/// strings for ordinary ones.
class BoxRequestsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void asksAsIfTheProgramHadTried_data();
    void asksAsIfTheProgramHadTried();
    void answersNothing_data();
    void answersNothing();
    void saysNoMoreThanATryWould();
    void asksForAPathWithoutTellingWhatIsThere();
    void notesAndTellsDenials_data();
    void notesAndTellsDenials();
    void cannotBeReplaced_data();
    void cannotBeReplaced();
    void isBoundedInAFlood();
    void endsWithTheSession();
};

namespace {

/// In the project lie `say.py`, which sends its arguments and prints the answers, and what is said.
constexpr const char* kWords = R"(
cat >say.py <<'END'
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(os.environ["REVET_SOCKET"])
for name in sys.argv[1:]:
    s.send(open(name, "rb").read()); print(s.recv(65536).decode(), flush=True)
END
host() { printf '{"version":1,"type":"request_access","kind":"host","target":"%s","reason":"%s"}' "$1" "$2"; }
path() { printf '{"version":1,"type":"request_access","kind":"path","target":"%s"}' "$1"; }
host other.test:80 'a \"good\" \u001b[31m\u202ereason' >other
host other.test:80 'another' >again
printf '{"version":1,"type":"recent_denials"}' >denials
)";

Finished saying(const World& world, const std::string& text)
{
    return scriptOnInternet(world, kWords + text);
}

std::string unlessHolds(const Finished& finished, std::initializer_list<const char*> parts)
{
    for (const char* const part : parts) {
        if (finished.out.find(part) == std::string::npos) {
            return "lacks \"" + std::string(part) + "\":\n" + finished.out + finished.err;
        }
    }
    return {};
}

} // namespace

void BoxRequestsTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    for (const char* const program : {"python3", "curl", "ip", "setpriv", "unshare"}) {
        REVET_NEEDS_PROGRAM(program);
    }
}

void BoxRequestsTest::asksAsIfTheProgramHadTried_data()
{
    addTierRows();
}
void BoxRequestsTest::asksAsIfTheProgramHadTried()
{
    const World world;
    const Finished finished = saying(world, R"(
start --on-ask 60s -- /bin/sh -c 'python3 say.py other again
    until python3 say.py other | grep permitted; do sleep 0.2; done; curl -s http://other.test/; echo " $?"'
it=$(ask); until grep -c open box.out | grep -q 2; do sleep 0.05; done
"$revet" asks "$it"; asks | wc -l
yes $it --scope session 2>&1; finish
)");
    REVET_VERIFY_NONE(unlessHolds(
        finished,
        {"What     other.test:80", R"(Claim    the box says: "a \"good\" \x1B[31m\u{202E}reason")",
         " > python3", "waits no longer", "\n1\n", "it holds for the next try", R"("ask":")",
         R"("state":"open")", R"("state":"permitted already")", "this is 93.184.216.35 0"}));
    QVERIFY2(finished.out.find("another") == std::string::npos, finished.out.c_str());
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"connect"}, .verdicts = {"asked"}, .target = "other.test:80"}));
}

void BoxRequestsTest::answersNothing_data()
{
    addTierRows();
}
void BoxRequestsTest::answersNothing()
{
    const World world;
    const Finished finished = saying(world, R"(
cp "$revet" revet-copy; printf '{"version":1,"type":"answerAsk","approved":true}' >approve
start --on-ask 3s -- /bin/sh -c 'python3 say.py other; it=$REVET_SESSION-1
    for type in answerAsk grantsChanged stop hello; do
        printf "{\"version\":1,\"type\":\"$type\",\"ask\":\"$it\",\"approved\":true,\"scope\":\"session\"}" >word
        python3 say.py word word 2>&1
    done
    ./revet-copy approve $it; echo "approve $?"; ./revet-copy grant $REVET_SESSION --allow-host other.test
    curl -s http://other.test/; echo "curl $?"'
it=$(ask); finish
"$revet" asks --all --json | valuesOf state; "$revet" grants --json
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"approve 3\n", "curl 7\n", "\nmissed\n"}));
    std::size_t refusals = 0;
    for (std::size_t at = 0; (at = finished.out.find(R"("type":"error")", at)) != std::string::npos; ++at) {
        ++refusals;
    }
    QVERIFY2(refusals == 4 && finished.out.find("approved") == std::string::npos
                 && finished.out.find("this is") == std::string::npos,
             (finished.out + finished.err).c_str());
}

void BoxRequestsTest::saysNoMoreThanATryWould()
{
    const World world;
    const Finished finished = saying(world, R"(
host 169.254.169.254 x >metadata; host localhost:1 x >loopback; host 198.18.0.9:80 x >own
host allowed.test x >allowed; host 'a b' x >none
printf '{"version":1,"type":"request_access","kind":"socket","target":"/run/docker.sock"}' >socket
start --on-ask 60s --allow-host allowed.test -- python3 say.py metadata loopback own allowed none socket other
it=$(ask); "$revet" deny $it 2>&1; finish
start --on-ask deny --allow-host allowed.test -- python3 say.py other; finish
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {R"(status 0: {"state":"refused","type":"access","version":1}
{"state":"refused","type":"access","version":1}
{"state":"refused","type":"access","version":1}
{"state":"permitted already","type":"access","version":1}
{"state":"unavailable","type":"access","version":1}
{"state":"unavailable","type":"access","version":1}
{"ask":")"}));
}

void BoxRequestsTest::asksForAPathWithoutTellingWhatIsThere()
{
    const World world;
    const Finished finished = saying(world, R"(
mkdir -p "$HOME/notes" "$HOME/.ssh"; echo a plan >"$HOME/notes/plan"; echo key >"$HOME/.ssh/id_ed25519"
path "$HOME/notes" >notes; path "$HOME/none" >none; path "$HOME/.ssh" >keys; path "$PWD/say.py" >here; path ../x >up
start --on-ask 60s -- /bin/sh -c 'python3 say.py none keys notes here up; until read plan <$HOME/notes/plan; do sleep 0.1; done; echo $plan'
it=$(ask); asks | wc -l; "$revet" asks "$it" --json | valuesOf target; yes $it 2>&1; finish
)");
    REVET_VERIFY_NONE(unlessHolds(finished,
                                  {"1\n", "/notes\n", "a plan",
                                   R"(status 0: {"state":"open","type":"access","version":1}
{"state":"open","type":"access","version":1}
{"state":"open","type":"access","version":1}
{"state":"permitted already","type":"access","version":1}
{"state":"unavailable","type":"access","version":1}
)"}));
}

void BoxRequestsTest::notesAndTellsDenials_data()
{
    addTierRows();
}
void BoxRequestsTest::notesAndTellsDenials()
{
    const World world;
    const Finished finished = saying(world, R"(
printf '{"version":1,"type":"note","text":"half done \\u001b[2J\\n\\u0000"}' >note
start --on-ask deny --allow-host allowed.test -- /bin/sh -c 'curl -s http://other.test/; python3 say.py note note denials
    cat $REVET_STATUS'
finish; "$revet" log --kind note
)");
    REVET_VERIFY_NONE(
        unlessHolds(finished,
                    {R"({"type":"noted","version":1})", R"("what":"connection to other.test:80 refused")",
                     R"("remedy":"revet grant )", " --allow-host other.test:80\"",
                     "connection to other.test:80 refused: ", "$REVET_SOCKET",
                     R"(note        half done \x1B[2J\n\x00  x2  (the box says)  [python3)"}));
}

void BoxRequestsTest::cannotBeReplaced_data()
{
    addTierRows();
}
void BoxRequestsTest::cannotBeReplaced()
{
    const World world;
    const Finished finished = saying(world, R"(
printf '{"version":1,"type":"note","text":"still here"}' >note
cat >bind.py <<'END'
import os, socket
try: socket.socket(socket.AF_UNIX).bind(os.environ["REVET_SOCKET"])
except OSError as problem: print(problem)
END
start --on-ask 3s -- /bin/sh -c 'project=$PWD; cd $(dirname $REVET_SOCKET); rm -f socket; mv socket other; touch new
    cd /; mv /run /run2; mv /run/revet /run/other; rm -rf /run/revet; python3 $project/bind.py
    ls -A /run/revet; python3 $project/say.py $project/note'
finish
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"\nsocket\nstatus\n", R"({"type":"noted","version":1})"}));
    REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"note"}, .verdicts = {}, .target = "still here"}));
}

void BoxRequestsTest::isBoundedInAFlood()
{
    const World world;
    // A sanitizer keeps what is freed, a quarter of a gigabyte of it, unless told otherwise.
    const Finished finished = saying(world, R"(
export ASAN_OPTIONS=quarantine_size_mb=1
start --on-ask 60s -- python3 -c '
import json, os, socket, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(os.environ["REVET_SOCKET"])
def say(**words): s.send(json.dumps(dict(words, version=1)).encode()); return json.loads(s.recv(65536))
say(type="note", text="begin"); open("begun", "w").close()
while not os.path.exists("go"): time.sleep(0.02)
kept = []
for i in range(64):
    c = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); c.connect(os.environ["REVET_SOCKET"]); kept.append(c)
said = [say(type="request_access", kind="host", target="h%d.test" % i, reason="r" * 500) for i in range(10000)]
print(sum(1 for one in said if one["type"] == "error") > 0)
open("over", "w").close()
while not os.path.exists("end"): time.sleep(0.02)'
resident() { sed -n 's/VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$(cat /proc/$box/task/*/children | tr -d ' ')/status; }
until test -e begun; do sleep 0.02; done; before=$(resident); touch go
until test -e over; do sleep 0.02; done; after=$(resident)
test $((after - before)) -lt 32768 && echo lean || echo "grew from $before to $after KiB"
test $(asks --all | wc -l) -le 32 && echo bounded; touch end; finish
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"lean\nbounded\nstatus 0: True"}));
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"limit"}, .verdicts = {"denied"}, .target = "box socket"}));
}

void BoxRequestsTest::endsWithTheSession()
{
    const World world;
    const Finished finished = saying(world, R"(
printf '{"version":1,"type":"note","text":"x"}' >note
start --on-ask 60s --detach -- /bin/sh -c 'python3 say.py note; touch begun; sleep 100'; wait $box
until test -e begun; do sleep 0.02; done
sockets() { find "$HOME" -type s -path '*/sessions/*' | wc -l; }
sockets; "$revet" stop $(cat box.out)
# The keeper removes it, just after the session.
tries=0; until test $(sockets) = 0 || test $tries = 100; do tries=$((tries + 1)); sleep 0.02; done; sockets
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"1\n0\n"}));
}

QTEST_GUILESS_MAIN(BoxRequestsTest)
#include "tst_box_requests.moc"
