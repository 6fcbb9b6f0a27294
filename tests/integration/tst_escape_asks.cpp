// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <sstream>

using namespace revet::test;

/// SECURITY.md E040, E041 and E075: an answer is about what was shown, a flood of questions hides and brings
/// down nothing, and no box answers or passes for who does. In front of the scripts: moc takes raw strings
/// for ordinary ones.
class EscapeAsksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void takesAnAnswerForItsOwnQuestionOnly_data();
    void takesAnAnswerForItsOwnQuestionOnly();
    void keepsAYesFromOtherPrograms_data();
    void keepsAYesFromOtherPrograms();
    void followsNoNameThatLeadsElsewhereMeanwhile_data();
    void followsNoNameThatLeadsElsewhereMeanwhile();
    void losesNoQuestionInAFlood_data();
    void losesNoQuestionInAFlood();
    void answersNothingFromABox_data();
    void answersNothingFromABox();
    void showsNothingThatATerminalActsOn_data();
    void showsNothingThatATerminalActsOn();
};

namespace {

/// What scripts here share: the ask about a target.
const std::string kAbout = R"sh(
about() { "$revet" asks --json | grep -F '"target":"'$1'"' | valuesOf ask; }
hashOf() { "$revet" asks $1 --json | valuesOf hash; }
)sh";

bool hasAll(const Finished& finished, std::initializer_list<const char*> parts)
{
    return std::all_of(parts.begin(), parts.end(),
                       [&](const char* part) { return finished.out.find(part) != std::string::npos; });
}

} // namespace

void EscapeAsksTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    for (const char* const program : {"python3", "curl", "ip", "setpriv", "unshare"}) {
        REVET_NEEDS_PROGRAM(program);
    }
}

/// E040: two questions at once, answered the other way round.
void EscapeAsksTest::takesAnAnswerForItsOwnQuestionOnly_data()
{
    addTierRows();
}
void EscapeAsksTest::takesAnAnswerForItsOwnQuestionOnly()
{
    const World world;
    const Finished finished = scriptOnInternet(world, kAbout + R"sh(
start --on-ask 60s -- /bin/sh -c '
for host in other allowed; do (curl -s http://$host.test/; echo "$host $?") >/tmp/$host & done; wait; cat /tmp/other /tmp/allowed'
ask >/dev/null; until test `asks | wc -l` = 2; do kill -0 $box || break; sleep 0.05; done
other=$(about other.test:80); allowed=$(about allowed.test:80)
"$revet" approve $other --hash $(hashOf $allowed) 2>/dev/null; echo "with the hash of the other: $?"
"$revet" approve $allowed --hash $(hashOf $other) 2>/dev/null; echo "with the hash of the other: $?"
asks | wc -l
if expr $other : '.*-2' >/dev/null; then yes $other 2>&1; "$revet" deny $allowed 2>&1
else "$revet" deny $allowed 2>&1; yes $other 2>&1; fi
yes $allowed 2>/dev/null; echo "after a no: $?"
finish
)sh");
    QVERIFY2(hasAll(finished,
                    {"other: 6\nwith the hash of the other: 6\n2\n", "approved, once: other.test:80",
                     "denied, once: allowed.test:80", "after a no: 6\n",
                     "status 0: this is 93.184.216.35other 0\nallowed 7\n"}),
             text(finished).c_str());
}

/// E040: who asked has gone by the time of the yes.
void EscapeAsksTest::keepsAYesFromOtherPrograms_data()
{
    addTierRows();
}
void EscapeAsksTest::keepsAYesFromOtherPrograms()
{
    const World world;
    // What allowed.test is asked for keeps the box waiting while a person answers.
    const Finished finished = scriptOnInternet(world, kAbout + R"sh(
start --on-ask 60s -- /bin/sh -c '
cp /usr/bin/curl one; cp one two
timeout 1 ./one -s http://other.test/; echo " gone $?"
curl -s -o /dev/null http://allowed.test/
timeout 60 ./two -s http://other.test/; echo " two $?"
timeout 60 ./one -s http://other.test/; echo " one $?"
timeout 60 ./one -s http://other.test/; echo " again $?"'
it=$(ask)
until "$revet" asks $it --json | grep -q '"gave_up":true'; do kill -0 $box || break; sleep 0.05; done
yes $it 2>&1; until yes $(about allowed.test:80) 2>/dev/null; do kill -0 $box || break; sleep 0.05; done
until test -n "$(about other.test:80)"; do kill -0 $box || break; sleep 0.05; done
"$revet" deny $(about other.test:80) 2>&1; finish
)sh");
    QVERIFY2(hasAll(finished,
                    {"it holds for the next try\n", "denied, once: other.test:80",
                     "status 0:  gone 124\n two 7\nthis is 93.184.216.35 one 0\n again 7\n"}),
             text(finished).c_str());
}

/// E040: a name is looked up after the yes, and its owner says then where it leads.
void EscapeAsksTest::followsNoNameThatLeadsElsewhereMeanwhile_data()
{
    addTierRows();
}
void EscapeAsksTest::followsNoNameThatLeadsElsewhereMeanwhile()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"sh(
start --allow-host 10.7.7.7 -- curl -s http://10.7.7.7/; finish
start --on-ask 60s -- /bin/sh -c 'curl -s http://other.test/; echo $?'
it=$(ask)
sed 's/^93.184.216.35 /10.7.7.7 /' "$TMPDIR/hosts" >hosts; cat hosts >"$TMPDIR/hosts"
yes $it 2>&1; finish
)sh");
    QVERIFY2(
        hasAll(finished, {"approved, once: other.test:80", "status 0: 7\n", "status 0: this is 10.7.7.7"}),
        text(finished).c_str());
    const auto rows
        = matching(world.runner().lastEvents(), {{"target", "other.test:80"}, {"verdict", "denied"}});
    QVERIFY(!rows.empty() && rows.back().value("rule", "").find("private") != std::string::npos);
}

/// E041: ten thousand questions behind one that a person has still to answer.
void EscapeAsksTest::losesNoQuestionInAFlood_data()
{
    addTierRows();
}
void EscapeAsksTest::losesNoQuestionInAFlood()
{
    const World world;
    // A sanitizer keeps what is freed, a quarter of a gigabyte of it, unless told otherwise.
    const Finished finished = scriptOnInternet(world, kAbout + R"sh(
export ASAN_OPTIONS=quarantine_size_mb=1
peak() { for p in $(cat /proc/$box/task/*/children); do sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$p/status; done; }
start --on-ask 60s -- python3 -c '
import select, socket
def begin(address):
    s = socket.socket(); s.setblocking(False); s.connect_ex((address, 80)); return s
first, waiting, refused = begin("93.184.216.35"), {}, 0
poll = select.poll()
for i in range(10000):
    s = begin("93.%d.%d.7" % (1 + i // 250, i % 250)); waiting[s.fileno()] = s; poll.register(s, select.POLLOUT)
    while len(waiting) > 64: # whoever is not asked about is told so
        for fd, _ in poll.poll():
            poll.unregister(fd); refused += waiting.pop(fd).getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 111
print("flooded", refused, flush=True)
first.setblocking(True); first.sendall(b"GET / HTTP/1.1\r\nHost: 93.184.216.35\r\n\r\n"); print(first.recv(4096).decode())'
it=$(ask | head -1); before=$(peak)
until grep -q flooded box.out; do kill -0 $box || break; sleep 0.05; done
test `asks | wc -l` -le 32 && test `asks --all | wc -l` -le 64 && echo "few questions"
test $(($(peak) - before)) -le 65536 && echo "little memory"
"$revet" asks $it | grep '^What'; yes $it 2>&1; finish
)sh");
    QVERIFY2(hasAll(finished,
                    {"few questions\nlittle memory\nWhat     93.184.216.35:80\n",
                     "approved, once: 93.184.216.35:80", "this is 93.184.216.35"}),
             text(finished).c_str());
    int refused = 0;
    std::istringstream(finished.out.substr(finished.out.find("flooded") + 7)) >> refused;
    QVERIFY2(refused >= 10'000 - 64, finished.out.c_str());
    REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"limit"}, .verdicts = {"denied"}}));
}

/// E075: neither the program nor the socket of a person's answers works in a box, on a terminal or not.
void EscapeAsksTest::answersNothingFromABox_data()
{
    addTierRows();
}
void EscapeAsksTest::answersNothingFromABox()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"sh(
cp "$revet" copy; mkdir -p other; mode=$(stat -c %a $XDG_RUNTIME_DIR)
start --on-ask 60s --env SOCKETS=$XDG_RUNTIME_DIR/revet -- python3 -c '
import os, pty, socket, subprocess
curl = subprocess.Popen(["curl", "-s", "http://other.test/"])
session = os.environ["REVET_SESSION"]; ask = session + "-1"
def on_terminal(words):
    pid, terminal = pty.fork()
    if pid == 0: os.execv("./copy", ["./copy"] + words)
    os.write(terminal, b"y\ny\ny\n")
    try:
        while os.read(terminal, 4096): pass
    except OSError: pass
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
for words in ("approve " + ask, "approve " + ask + " --scope project", "deny " + ask, "asks " + ask,
              "grant " + session + " --allow-host other.test", "revoke g1", "stop " + session, "apply " + session,
              "undo " + session, "discard " + session, "run -- true", "run --tier host -- true"):
    piped = subprocess.run(["./copy"] + words.split(), capture_output=True, stdin=subprocess.DEVNULL).returncode
    if 0 in (piped, on_terminal(words.split())): print("obeyed:", words)
for kind in socket.SOCK_STREAM, socket.SOCK_SEQPACKET:
    for at in (os.environ["SOCKETS"], "/run/user/%d/revet" % os.getuid()):
        for name in (session, session + ".sock"):
            try: socket.socket(socket.AF_UNIX, kind).connect(at + "/" + name); print("connected")
            except OSError: pass
print("tried", flush=True); curl.wait()'
it=$(ask); until grep -q tried box.out; do kill -0 $box || break; sleep 0.05; done
asks; "$revet" grants --json | wc -l
"$revet" deny $it 2>&1; finish
)sh");
    QVERIFY2(hasAll(finished, {"-1\n0\nrevet: denied, once: other.test:80", "status 0: tried\n"}),
             text(finished).c_str());
}

/// E075, E038: what a box chose of a question is text.
void EscapeAsksTest::showsNothingThatATerminalActsOn_data()
{
    addTierRows();
}
void EscapeAsksTest::showsNothingThatATerminalActsOn()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"sh(
export NO_COLOR=1
start --on-ask 60s -- python3 -c '
import os, shutil
deeds = "\x1b]777;notify;Revet;approved\x07\x1b]9;approved\x07\x1b]0;approved\x07\x1b]52;c;eA==\x07\x1b[2J\r\nrevet: approved\u202e"
place = deeds.replace("/", "") + "d"; os.mkdir(place); os.chdir(place)
shutil.copy("/usr/bin/curl", "c" + deeds); os.execv("./c" + deeds, ["curl" + deeds, "-s", "-H", "x: " + deeds.replace("\r\n", " "), "http://other.test/"])'
it=$(ask)
for how in "" --full --json; do "$revet" asks $it $how; done; "$revet" asks; "$revet" asks --json
typing n "$revet" approve $it
"$revet" deny $it 2>&1; "$revet" asks --all; "$revet" log; "$revet" tree; "$revet" ps; finish; cat box.err
)sh");
    QVERIFY2(hasAll(finished, {"approve it, once? [y/N] n", "notify;Revet;approved"}),
             text(finished).c_str());
    for (const char* const bytes : {"\x1b", "\a", "\nrevet: approved", "\xe2\x80\xae"}) {
        QVERIFY2(finished.out.find(bytes) == std::string::npos, text(finished).c_str());
    }
}

QTEST_GUILESS_MAIN(EscapeAsksTest)
#include "tst_escape_asks.moc"
