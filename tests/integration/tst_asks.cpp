// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <sstream>

using namespace revet::test;

/// A connection that nobody has permitted waits for the person. In front of the scripts: moc takes raw
/// strings for ordinary ones.
class AsksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void goesOnOnceItIsApproved_data();
    void goesOnOnceItIsApproved();
    void isApprovedOnlyAfterItWasShown();
    void failsOnceItIsDenied_data();
    void failsOnceItIsDenied();
    void holdsForTheSession();
    void holdsForTheProjectUntilItIsRevoked();
    void isGrantedAndRevokedWhileItRuns();
    void isMissedAndAllowedNextTime();
    void saysNoAtOnceWhereNobodyCanAnswer();
    void cannotBeAnsweredByTheBox_data();
    void cannotBeAnsweredByTheBox();
    void isBoundedInAFlood();
    void neverAsksAboutWhatNobodyMayHave();
};

void AsksTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    for (const char* const program : {"python3", "curl", "ip", "setpriv", "unshare"}) {
        REVET_NEEDS_PROGRAM(program);
    }
}

void AsksTest::goesOnOnceItIsApproved_data()
{
    addTierRows();
}
void AsksTest::goesOnOnceItIsApproved()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 60s -- /bin/sh -c 'curl -s http://other.test/'
it=$(ask); "$revet" asks "$it" >card; "$revet" ps --json | grep -o '"asks":1'
yes $it 2>&1
finish
"$revet" asks; "$revet" asks --all --json | valuesOf state
cat card
)");
    QVERIFY2(finished.out.find("status 0: this is 93.184.216.35") != std::string::npos,
             (finished.out + finished.err).c_str());
    for (const char* const part :
         {"\"asks\":1", "approved, once: other.test:80", "approved\n", "What     other.test:80", " > curl ",
          "curl -s http://other.test/", "network reach none -> beyond", "asked outside: \n"}) {
        QVERIFY2(finished.out.find(part) != std::string::npos, (part + ('\n' + finished.out)).c_str());
    }
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"connect"}, .verdicts = {"asked"}, .target = "other.test:80"}));
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"connect"}, .verdicts = {"approved"}, .target = "other.test:80"}));
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"connect"}, .verdicts = {"permitted"}, .target = "other.test:80"}));
}

void AsksTest::isApprovedOnlyAfterItWasShown()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 60s -- curl -s http://other.test/ -H "x: `printf '%3000s' ''`"
it=$(ask)
"$revet" approve "$it" 2>&1; echo "unseen $?"
typing '' "$revet" approve "$it"; typing n "$revet" approve "$it"; asks
typing y "$revet" approve "$it"
finish
"$revet" asks "$it" | wc -c; "$revet" asks --full "$it" | wc -c
)");
    const std::string card = "What     other.test:80\nrevet: approve it, once? [y/N] ";
    const std::size_t unseen = finished.out.find("with --hash, or answer on a terminal\nunseen 2\n");
    const std::size_t first
        = finished.out.find(card + "\nrevet: approve: nothing was answered\nstatus 5\n", unseen);
    const std::size_t second
        = finished.out.find(card + "n\nrevet: approve: nothing was answered\nstatus 5\n", first);
    const std::size_t third
        = finished.out.find(card + "y\nrevet: approved, once: other.test:80\nstatus 0\n", second);
    const std::size_t end = finished.out.find("status 0: this is 93.184.216.35\n", third);
    QVERIFY2(end != std::string::npos && unseen < first && first < second && second < third,
             finished.out.c_str());
    int shown = 0;
    int full = 0;
    std::istringstream(finished.out.substr(finished.out.find('\n', end))) >> shown >> full;
    QVERIFY2(shown > 500 && shown < 1500 && full > 3500, finished.out.c_str());
}

void AsksTest::failsOnceItIsDenied_data()
{
    addTierRows();
}
void AsksTest::failsOnceItIsDenied()
{
    const World world;
    // What is tried again is refused without a question, and the box can read why.
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 60s -- /bin/sh -c 'curl -s http://other.test/; echo $?
    for i in 1 2 3 4 5; do curl -s http://other.test/; echo $?; done; cat $REVET_STATUS'
it=$(ask)
"$revet" deny "$it" 2>&1
finish
asks --all | wc -l
yes $it 2>&1 || echo "second answer: $?"
)");
    for (const char* const part :
         {"denied, once: other.test:80", "status 0: 7\n7\n7\n7\n7\n7\n", "\n1\n", "second answer: 6",
          "other.test:80", "revet grant ", " --allow-host other.test:80"}) {
        QVERIFY2(finished.out.find(part) != std::string::npos,
                 (part + ('\n' + finished.out + finished.err)).c_str());
    }
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"connect"}, .verdicts = {"denied"}, .target = "other.test:80"}));
    QVERIFY(matching(world.runner().lastEvents(), {{"verdict", "permitted"}, {"kind", "connect"}}).empty());
}

void AsksTest::holdsForTheSession()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 60s -- /bin/sh -c 'curl -s http://other.test/; echo; python3 -c "
import http.client; c = http.client.HTTPConnection(\"other.test\"); c.request(\"GET\", \"/\")
print(c.getresponse().read().decode()) "
    curl -s http://93.184.216.34/; echo'
yes $(ask) --scope session
until asks | grep -q -- -2; do sleep 0.05; done
"$revet" grants --json | valuesOf target
"$revet" deny $(ask)
finish
asks --all
)");
    QVERIFY2(finished.out.find("status 0: this is 93.184.216.35\nthis is 93.184.216.35\n")
                 != std::string::npos,
             (finished.out + finished.err).c_str());
    QVERIFY2(finished.out.find("other.test:80\n") != std::string::npos, finished.out.c_str());
    QVERIFY2(finished.out.find("-2\n") != std::string::npos && finished.out.find("-3\n") == std::string::npos,
             finished.out.c_str());
}

void AsksTest::holdsForTheProjectUntilItIsRevoked()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 60s -- curl -s http://other.test/
yes $(ask) --scope 1h; finish
start -- curl -s http://other.test/; finish
grant=$("$revet" grants --json | valuesOf grant)
"$revet" grants --json | grep -o '"hits":[0-9]*'
"$revet" revoke $grant; start --on-ask deny -- curl -s http://other.test/; finish
"$revet" revoke $grant || echo "again: $?"
)");
    QVERIFY2(finished.out.find("status 0: this is 93.184.216.35\nstatus 0: this is 93.184.216.35\n"
                               "\"hits\":1\nstatus 6: \nagain: 6\n")
                 != std::string::npos,
             (finished.out + finished.err).c_str());
}

void AsksTest::isGrantedAndRevokedWhileItRuns()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --allow-host allowed.test -- /bin/sh -c 'while ! test -e go; do sleep 0.02; done
    curl -s http://other.test/; echo " $?"; touch went; while ! test -e on; do sleep 0.02; done
    curl -s http://other.test/; echo " $?"; touch gone; while ! test -e over; do sleep 0.02; done
    curl -s http://other.test/; echo " $?"'
until "$revet" ps --json | grep -q running; do sleep 0.05; done
id=$("$revet" ps --json | valuesOf session)
touch go; until test -e went; do sleep 0.02; done
ln -s . $id # a box can make a directory of its session's name
grant=$("$revet" grant $id --allow-host other.test --for 5m 2>granted); cat granted
"$revet" grants --json | valuesOf scope
touch on; until test -e gone; do sleep 0.02; done
"$revet" grant $id --allow-host 169.254.169.254 2>/dev/null || echo "never: $?"
"$revet" revoke $grant; touch over
finish
)");
    for (const char* const part : {"revet: granted: other.test, to the session ", ", until 20",
                                   "\nsession\nnever: 2\n", "status 0:  7\nthis is 93.184.216.35 0\n 7\n"}) {
        QVERIFY2(finished.out.find(part) != std::string::npos, (finished.out + finished.err).c_str());
    }
}

void AsksTest::isMissedAndAllowedNextTime()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 1s -- /bin/sh -c 'curl -s http://other.test/; echo " $?"
    while ! test -e go; do sleep 0.02; done; curl -s http://other.test/; echo " $?"'
it=$(ask); until "$revet" asks --missed --json | grep -q .; do sleep 0.05; done
yes $it 2>&1; touch go; finish
)");
    QVERIFY2(finished.out.find("it holds for the next try\nstatus 0:  7\nthis is 93.184.216.35 0")
                 != std::string::npos,
             (finished.out + finished.err).c_str());
}

void AsksTest::saysNoAtOnceWhereNobodyCanAnswer()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --allow-host allowed.test -- curl -s http://other.test/; finish
"$revet" asks --missed --json | valuesOf target
)");
    QVERIFY2(finished.out.find("status 7: \nother.test:80\n") != std::string::npos,
             (finished.out + finished.err).c_str());
}

void AsksTest::cannotBeAnsweredByTheBox_data()
{
    addTierRows();
}
void AsksTest::cannotBeAnsweredByTheBox()
{
    const World world;
    // Nothing of Revet's is there: no socket, no catalogue; and the status directory takes nothing.
    const Finished finished = scriptOnInternet(world, R"(
cp "$revet" revet-copy
start --on-ask 3s -- /bin/sh -c '
curl -s http://other.test/ & it=$REVET_SESSION-1
sleep 0.3
./revet-copy approve $it; echo "approve $?"
echo yes >$REVET_STATUS; rm -f $REVET_STATUS; ls -A $(dirname $REVET_STATUS); wait'
it=$(ask); finish
"$revet" asks --all --json | valuesOf state
)");
    QVERIFY2(finished.out.find("approve 3\nsocket\nstatus\n") != std::string::npos,
             (finished.out + finished.err).c_str());
    QVERIFY2(finished.out.find("missed\n") != std::string::npos, finished.out.c_str());
    QVERIFY2(finished.out.find("this is") == std::string::npos, finished.out.c_str());
}

void AsksTest::isBoundedInAFlood()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 60s --allow-host allowed.test -- python3 -c '
import http.client, socket
kept = []
for i in range(10000):
    s = socket.socket(); s.setblocking(False)
    if len(kept) > 500: kept.pop(0).close()
    try: s.connect(("93.%d.%d.7" % (1 + i // 250, i % 250), 80))
    except BlockingIOError: pass
    kept.append(s)
c = http.client.HTTPConnection("allowed.test"); c.request("GET", "/")
print(c.getresponse().read().decode())'
finish
asks --all >all; test $(wc -l <all) -le 64 && echo bounded
)");
    QVERIFY2(finished.out.find("status 0: this is 93.184.216.34\nbounded\n") != std::string::npos,
             (finished.out + finished.err).c_str());
    REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"limit"}, .verdicts = {"denied"}}));
}

void AsksTest::neverAsksAboutWhatNobodyMayHave()
{
    const World world;
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 60s -- /bin/sh -c 'curl -s http://169.254.169.254/; echo $?; curl -s http://localhost:1/; echo $?'
finish; asks --all | wc -l
)");
    QVERIFY2(finished.out.find("status 0: 7\n7\n0\n") != std::string::npos,
             (finished.out + finished.err).c_str());
}

QTEST_GUILESS_MAIN(AsksTest)
#include "tst_asks.moc"
