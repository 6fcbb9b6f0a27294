// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/asking.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <filesystem>

using namespace revet::test;
namespace fs = std::filesystem;

/// What the box may not do to the project by itself waits for the person: a burst that destroys, and writes
/// to what the host runs later. In front of the scripts: moc takes raw strings for ordinary ones.
class CrossingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void holdsABurstUntilItIsApproved();
    void holdsTheNextOnceThatIsRevoked();
    void endsABurstThatIsDenied();
    void endsABurstThatNobodyAnswers();
    void asksAboutAParallelBurstOnce();
    void letsAHeldProcessBeInterrupted();
    void writesAHookOnceItIsApproved();
    void deniesAHook();
    void holdsForTheSession();
    void showsWhatComesByRename();
    void showsChangedKeysOfGit();
    void installsOnlyWhatWasShown();
    void keepsNoSecondName();
    void needsTheSessionForALateYes();
    void cannotBeAnsweredByTheBox();
    void asksNothingInALayer();
    void isNotFlooded();
};

namespace {

constexpr const char* kFiles = "mkdir src; for i in $(seq 300); do echo $i >src/$i; done; touch other";

} // namespace

void CrossingsTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    for (const char* const program : {"git", "python3"}) {
        REVET_NEEDS_PROGRAM(program);
    }
}

void CrossingsTest::holdsABurstUntilItIsApproved()
{
    const World world;
    world.prepare(kFiles);
    const Finished finished = asking(world, R"(
start --on-ask 60s -- /bin/sh -c 'rm -rf src; rm other; mkdir new; for i in $(seq 300); do echo $i >new/$i; done
    echo rest'
it=$(ask); ls src | wc -l; "$revet" asks "$it"
yes "$it" 2>&1
finish; test -e src || echo gone; "$revet" grants --all --json | valuesOf kind
"$revet" undo >/dev/null; ls src | wc -l
)");
    REVET_VERIFY_NONE(unlessHolds(finished,
                                  {"100\nGO ON REMOVING FILES\n", "200 files gone within 10 s (200 in src)",
                                   "`revet undo` brings back all that has gone so far", "Scopes   session\n",
                                   "approved, session: ", "status 0: rest\ngone\nbrake\n300\n"}));
    REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"delete"}, .verdicts = {"asked"}, .target = "project"}));
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"delete"}, .verdicts = {"approved"}, .target = "project"}));
}

void CrossingsTest::holdsTheNextOnceThatIsRevoked()
{
    const World world;
    world.prepare(std::string(kFiles) + "; cp -r src more");
    const Finished finished = asking(world, R"(
start --on-ask 60s -- /bin/sh -c 'rm -rf src; until test -e again; do sleep 0.02; done; rm -rf more 2>/dev/null || ls -d more'
yes $(ask) 2>&1; while test -e src; do sleep 0.02; done
"$revet" revoke $("$revet" grants --json | valuesOf grant); touch again; "$revet" deny $(ask) 2>&1; finish
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"approved, session: ", "denied, once: ", "status 0: more\n"}));
}

void CrossingsTest::endsABurstThatIsDenied()
{
    const World world;
    world.prepare(kFiles);
    const Finished finished = asking(world, R"(
start --on-ask 60s -- /bin/sh -c 'rm -rf src 2>&1 | grep -c "not permitted"; rm -f other || echo not other'
"$revet" deny $(ask) 2>&1
finish; ls src | wc -l; asks --all | wc -l
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"denied, once: ", "status 0: 100\nnot other\n100\n"}));
    const auto denied = matching(world.runner().lastEvents(), {{"verdict", "denied"}, {"kind", "delete"}});
    QVERIFY(!denied.empty());
    QVERIFY2(denied.back().value("rule", "").find("; denied") != std::string::npos,
             denied.back().dump().c_str());
}

void CrossingsTest::endsABurstThatNobodyAnswers()
{
    const World world;
    world.prepare(kFiles);
    const Finished finished = asking(world, R"(
start --on-ask 1s -- rm -rf src
finish; ls src | wc -l; "$revet" asks --missed --json | valuesOf kind; grep -o 'brake refused 100 removals' box.err
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"status 1: \n100\nbrake\nbrake refused 100 removals\n"}));
}

void CrossingsTest::asksAboutAParallelBurstOnce()
{
    const World world;
    world.prepare("mkdir src; for i in $(seq 400); do echo $i >src/$i; done");
    const Finished finished = asking(world, R"(
start --on-ask 60s -- /bin/sh -c 'cd src; ls | xargs -P 4 -n 10 rm; ls | wc -l'
yes $(ask) 2>&1
finish; asks --all | wc -l
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"status 0: 0\n1\n"}));
}

void CrossingsTest::letsAHeldProcessBeInterrupted()
{
    const World world;
    world.prepare(kFiles);
    const Finished finished = asking(world, R"(
start --on-ask 60s -- /bin/sh -c 'rm -rf src & it=$!; while ! test -e go; do sleep 0.02; done
    kill $it; wait $it; echo "rm: $?"; touch ended; while ! test -e over; do sleep 0.02; done'
it=$(ask); touch go; until test -e ended; do sleep 0.02; done
until "$revet" asks --all --json | grep -q 'gave_up":true'; do sleep 0.02; done; touch over
finish
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"status 0: rm: 143\n"}));
}

void CrossingsTest::writesAHookOnceItIsApproved()
{
    const World world;
    world.makeRepository();
    const Finished finished = asking(world,
                                     R"(
start --on-ask 60s -- /bin/sh -c 'echo "echo hi" >.git/hooks/pre-commit; echo $?; echo second >.git/hooks/pre-push'
it=$(ask); "$revet" asks "$it"; test -e .git/hooks/pre-commit || echo not yet
yes "$it" 2>&1
until asks | grep -q -- -2; do sleep 0.02; done; "$revet" deny $(ask) 2>&1
finish; cat .git/hooks/pre-commit; test -e .git/hooks/pre-push || echo no second
"$revet" undo >/dev/null; test -e .git/hooks/pre-commit || echo undone
)");
    QVERIFY2(finished.out.find("echo hi\nno second\nundone\n") != std::string::npos,
             (finished.out + finished.err).c_str());
    REVET_VERIFY_NONE(unlessHolds(finished,
                                  {"WRITE WHAT THIS MACHINE RUNS LATER\n", "what it writes is not known yet",
                                   "Scopes   once, session\n", "not yet\nrevet: approved, once: "}));
}

void CrossingsTest::deniesAHook()
{
    const World world;
    world.makeRepository();
    const Finished finished = asking(world, R"(
start --on-ask 60s -- /bin/sh -c 'for i in 1 2 3; do echo x >.envrc || echo no; done'
"$revet" deny $(ask) 2>&1
finish; asks --all | wc -l; test -e .envrc || echo none
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"status 0: no\nno\nno\n1\nnone\n"}));
    REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"denied"}, .target = "/.envrc"}));
}

void CrossingsTest::holdsForTheSession()
{
    const World world;
    const Finished finished = asking(world,
                                     R"(
start --on-ask 60s -- /bin/sh -c 'echo 1 >.envrc; echo 2 >>.envrc; cp .envrc new; mv new .envrc; cat .envrc'
yes $(ask) --scope session 2>&1
finish; asks --all | wc -l
start --on-ask deny -- /bin/sh -c 'echo 3 >.envrc'; finish
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"status 0: 1\n2\n1\nstatus 2: \n"}));
}

void CrossingsTest::showsWhatComesByRename()
{
    const World world;
    world.prepare("mkdir .vscode; printf 'one\\ntwo\\nthree\\n' >.vscode/tasks.json");
    const Finished finished = asking(world, R"(
start --on-ask 60s -- /bin/sh -c 'sed s/two/TWO/ .vscode/tasks.json >new; mv new .vscode/tasks.json; echo $?'
it=$(ask); "$revet" asks "$it"; yes "$it" 2>&1
finish; cat .vscode/tasks.json
)");
    REVET_VERIFY_NONE(unlessHolds(
        finished, {"of it is to change, after line 1\n         -two\n         +TWO\n", "one\nTWO\nthree\n"}));
}

void CrossingsTest::showsChangedKeysOfGit()
{
    const World world;
    world.makeRepository();
    const Finished finished = asking(world, R"(
start --on-ask 60s -- /bin/sh -c 'git config user.name free; git config core.fsmonitor "touch x"; echo $?'
it=$(ask); "$revet" asks "$it"; yes "$it" 2>&1
finish; git config core.fsmonitor
)");
    REVET_VERIFY_NONE(
        unlessHolds(finished, {"core.fsmonitor", "+\\tfsmonitor = touch x", "status 0: 0\ntouch x\n"}));
}

void CrossingsTest::installsOnlyWhatWasShown()
{
    const World world;
    // E102: the program keeps the file open that it renames, and writes to it after the yes.
    const Finished finished = asking(world, R"(
cat >late.py <<'END'
import os, threading, time
kept = open("new", "w"); kept.write("shown\n"); kept.flush()
thread = threading.Thread(target=lambda: os.rename("new", ".envrc")); thread.start()
while not os.path.exists("go"): time.sleep(0.01)
kept.write("not shown\n"); kept.flush()
open("went", "w").close()
thread.join()
kept.write("later\n"); kept.flush()
print(open(".envrc").read())
END
start --on-ask 60s -- python3 late.py
it=$(ask); touch go; until test -e went; do sleep 0.02; done
yes "$it" 2>&1
until asks | grep -q -- -2; do sleep 0.02; done; next=$(asks | grep -- -2)
"$revet" asks "$next" | grep '^  *+'; yes "$next" 2>&1
finish; cat .envrc
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"         +shown\n         +not shown\n"}));
    QVERIFY2(finished.out.ends_with("\nshown\nnot shown\n"), finished.out.c_str());
}

void CrossingsTest::keepsNoSecondName()
{
    const World world;
    const Finished finished = asking(world,
                                     R"(
start --on-ask 60s -- /bin/sh -c 'echo a >.envrc; echo b >x; ln -f x .envrc || echo no link
    ln .envrc y || echo no other; ln -s x .env2; mv -f x .envrc; stat -c %h .envrc'
yes $(ask) --scope session 2>&1
finish
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"no link\nno other\n1\n"}));
}

void CrossingsTest::needsTheSessionForALateYes()
{
    const World world;
    const Finished finished = asking(world, R"(
start --on-ask 1s -- /bin/sh -c 'echo x >.envrc || echo missed; touch gone
    while ! test -e go; do sleep 0.02; done; echo y >.envrc; cat .envrc'
it=$(ask); until test -e gone; do sleep 0.02; done
yes $it 2>/dev/null || echo "once: $?"
yes $it --scope project 2>/dev/null || echo "project: $?"
yes $it --scope session 2>&1; touch go
finish
)");
    REVET_VERIFY_NONE(
        unlessHolds(finished, {"once: 5\nproject: 5\nrevet: approved, session: ", "status 0: missed\ny\n"}));
}

void CrossingsTest::cannotBeAnsweredByTheBox()
{
    const World world;
    const Finished finished = asking(world, R"(
cp "$revet" revet-copy
start --on-ask 2s -- /bin/sh -c 'echo x >.envrc & sleep 0.5
    ./revet-copy approve $REVET_SESSION-1 --scope session; echo "approve $?"; wait; test -e .envrc || echo none'
finish; "$revet" asks --all --json | valuesOf state
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"status 0: approve 3\nnone\nmissed\n"}));
}

void CrossingsTest::asksNothingInALayer()
{
    const World world;
    world.prepare(kFiles);
    const Finished finished = asking(world, R"(
tier=container; start --on-ask 60s -- /bin/sh -c 'rm -rf src; echo x >.envrc; echo $?'
finish; asks --all | wc -l
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"status 0: 0\n0\n"}));
}

void CrossingsTest::isNotFlooded()
{
    const World world;
    world.prepare("mkdir .vscode");
    const Finished finished = asking(world, R"(
cat >flood.py <<'END'
import os, sys, threading, time
refused = 0
def attempt(name):
    global refused
    try: open(".vscode/" + name, "w").close()
    except OSError: refused += 1
if sys.argv[1] == "many":
    for i in range(10000): attempt("f%d" % i)
    print("refused", refused)
else:
    for i in range(300): threading.Thread(target=attempt, args=("t%d" % i,), daemon=True).start()
    while refused < 200: time.sleep(0.01)
    open("ordinary", "w").close(); print("goes on", flush=True)
    while not os.path.exists("enough"): time.sleep(0.01)
    os._exit(0)
END
start --on-ask deny -- python3 flood.py many; finish; "$revet" asks --all --json | wc -l
start --on-ask 600s -- python3 flood.py at-once
until test -e ordinary; do sleep 0.02; done; asks | wc -l >open; test $(cat open) -ge 1 && test $(cat open) -le 32 && echo few
"$revet" deny $(asks | head -n 1) 2>/dev/null; echo "deny: $?"; touch enough; finish; ls .vscode | wc -l
)");
    REVET_VERIFY_NONE(
        unlessHolds(finished, {"status 0: refused 10000\n", "few\ndeny: 0\nstatus 0: goes on\n0\n"}));
    const std::size_t asked = finished.out.find('\n') + 1;
    QVERIFY(std::stoul(finished.out.substr(asked)) <= 512);
}

QTEST_GUILESS_MAIN(CrossingsTest)
#include "tst_crossings.moc"
