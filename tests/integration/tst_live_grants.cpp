// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/asking.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

using namespace revet::test;

/// What the person gives a box that is running, and takes away again: paths, ports and sockets of this
/// machine (E103). In front of the scripts: moc takes raw strings for ordinary ones.
class LiveGrantsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void showsAndHidesADirectory_data();
    void showsAndHidesADirectory();
    void letsItWrite_data();
    void letsItWrite();
    void showsOneFile();
    void endsWhenItsTimeIsOver();
    void endsWhileTheBoxIsStopped();
    void isTakenAwayLaterWhereTheKeeperHangs();
    void isThereForLaterSessionsOfTheProject();
    void saysWhatASessionOfTheProjectRefuses();
    void givesNeitherSecretsNorRevetsOwn();
    void givesNothingThatWouldCoverTheBoxs();
    void letsNothingBeWrittenThatRunsLater();
    void followsNoLink();
    void isAboutOneObject();
    void cannotBeMovedByTheBox();
    void leavesOpenFilesOpen();
    void cannotBeMadeOrKeptByTheBox();
    void keepsTheHostsSocketsOut();
    void takesHostileNames();
    void offersWhatACommandNames();
    void takesBackAYesThatCannotBeKept();
};

void LiveGrantsTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    for (const char* const program : {"python3", "curl", "pgrep"}) {
        REVET_NEEDS_PROGRAM(program);
    }
}

void LiveGrantsTest::showsAndHidesADirectory_data()
{
    addTierRows();
}
void LiveGrantsTest::showsAndHidesADirectory()
{
    const World world;
    const Finished finished = steering(world, R"(
box; go "cat $notes/plan"
grant=$("$revet" grant $id path:$notes); "$revet" grants --json | valuesOf kind
go "cat $notes/plan; echo x >$notes/plan; mkdir $notes/y; ls $notes"
"$revet" revoke $grant
go "cat $notes/plan; ls -d $notes"; "$revet" revoke $grant || echo "again: $?"
end; cat $notes/plan
)");
    REVET_VERIFY_NONE(
        unlessHolds(finished,
                    {"No such file or directory\n= 1\npath\nsecret plan\n", "Read-only file system\n",
                     "deep\nplan\n= 0\n", "again: 6\nsecret plan\n"}));
    const auto rows = matching(world.runner().lastEvents(), {{"kind", "session"}, {"rule", "grant g1"}});
    QCOMPARE(rows.size(), 1U);
    QCOMPARE(rows.front().value("reach", ""), std::string("machine"));
    QCOMPARE(
        matching(world.runner().lastEvents(), {{"kind", "session"}, {"rule", "grant g1 is over"}}).size(),
        1U);
}

void LiveGrantsTest::letsItWrite_data()
{
    addTierRows();
}
void LiveGrantsTest::letsItWrite()
{
    const World world;
    const Finished finished = steering(world, R"(
box; grant=$("$revet" grant $id path:$notes:rw)
go "echo more >>$notes/plan; mkdir $notes/made"; "$revet" revoke $grant; go "echo x >>$notes/plan"
end; cat $notes/plan; ls $notes
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"= 0\n", "= 2\n", "secret plan\nmore\ndeep\nmade\nplan\n"}));
    REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"write"}, .target = "notes/plan"}));
}

void LiveGrantsTest::showsOneFile()
{
    const World world;
    const Finished finished = steering(world, R"(
box; grant=$("$revet" grant $id --bind-ro $notes/plan)
go "cat $notes/plan; ls $notes"; "$revet" revoke $grant; go "test -e $notes/plan"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"secret plan\nplan\n= 0\n= 1\n"}));
}

void LiveGrantsTest::endsWhenItsTimeIsOver()
{
    const World world;
    const Finished finished = steering(world, R"(
box; "$revet" grant $id path:$notes --for 1s; go "cat $notes/plan"
go "while test -e $notes/plan; do sleep 0.05; done; echo over"; "$revet" grants --json | wc -l; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"secret plan\n= 0\nover\n= 0\n0\n"}));
}

void LiveGrantsTest::endsWhileTheBoxIsStopped()
{
    const World world;
    // The first command is not the one that is stopped: its terminal's side would be, too.
    const Finished finished = steering(world, R"(
box; grant=$("$revet" grant $id path:$notes --for 2s); go "(cd $notes; exec sleep 4711) & true"
holder=; until test -n "$holder"; do
    for p in /proc/[0-9]*; do
        test "`tr '\0' ' ' 2>/dev/null <$p/cmdline`" = "sleep 4711 " && holder=${p#/proc/}
    done
done 2>/dev/null
kill -STOP $holder; echo "stopped: $?"
until "$revet" log $id --json | grep -q "$grant is over; still open in sleep .$holder"; do sleep 0.05; done
go "test -e $notes/plan"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"stopped: 0\n= 1\n"}));
}

void LiveGrantsTest::isTakenAwayLaterWhereTheKeeperHangs()
{
    const World world;
    const Finished finished = steering(world, R"(
box; grant=$("$revet" grant $id path:$notes); keeper=$(pgrep -P $(pgrep -P $box revet-session) revet-launch)
kill -STOP $keeper; "$revet" revoke $grant; echo "hangs: $?"; kill -CONT $keeper
go "while test -e $notes/plan; do sleep 0.05; done; echo over"
grant=$("$revet" grant $id path:$notes); go "cat $notes/plan"; "$revet" revoke $grant; echo "revoked: $?"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"hangs: 5\nover\n= 0\nsecret plan\n= 0\nrevoked: 0\n"}));
}

void LiveGrantsTest::isThereForLaterSessionsOfTheProject()
{
    const World world;
    const Finished finished = steering(world, R"(
grant=$("$revet" grant . path:$notes); start -- cat $notes/plan; finish
"$revet" revoke $grant; start -- cat $notes/plan; finish
grant=$("$revet" grant . path:$notes/deep); rmdir $notes/deep; start -- echo runs; finish
"$revet" log --verdict denied
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"status 0: secret plan\nstatus 1: \n", "status 0: runs\n"}));
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"session"}, .verdicts = {"denied"}, .target = "notes/deep"}));
}

void LiveGrantsTest::saysWhatASessionOfTheProjectRefuses()
{
    const World world;
    const Finished finished = steering(world, R"(
box; "$revet" grant . path:$talk; echo "in use: $?"; "$revet" grant . --host-port 4711; echo "useless: $?"
"$revet" grant $id --host-port 4711; echo "useless here: $?"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"in use: 5\n", "useless: 0\n", "useless here: 5\n"}));
    QVERIFY2(finished.err.find("which it would cover; it goes on with what it knew") != std::string::npos,
             finished.err.c_str());
}

void LiveGrantsTest::givesNeitherSecretsNorRevetsOwn()
{
    const World world;
    const Finished finished = steering(world, R"(
mkdir -p "$HOME/.ssh" "$HOME/.config/gh" "$HOME/.config/chromium" "$HOME/.config/mine"; echo key >"$HOME/.ssh/id"
mkdir -p "$HOME/.cargo"; echo token >"$HOME/.cargo/credentials.toml"
box
for path in "$HOME" "${HOME%/*}" / "$HOME/.ssh" "$HOME/.ssh/id" "$HOME/.config" "$HOME/.cargo" "$HOME/.local/share/revet" \
        "$HOME/.local/share" "$HOME/.local/share/revet/sessions"; do
    for mode in ro rw; do
        "$revet" grant $id "path:$path:$mode" && echo "given: $path"
        "$revet" grant . "path:$path:$mode" && echo "given: $path"
    done
done
"$revet" grants; "$revet" grant $id "path:$HOME/.config/mine" && echo mine; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"mine\n"}));
    QVERIFY2(finished.out.find("given: ") == std::string::npos, text(finished).c_str());
    for (const char* const why :
         {"it holds your home and every secret in it", "it holds secrets (ssh and gpg)",
          "which is hidden from every box", "it holds data of Revet itself"}) {
        QVERIFY2(finished.err.find(why) != std::string::npos, (why + ('\n' + text(finished))).c_str());
    }
}

void LiveGrantsTest::givesNothingThatWouldCoverTheBoxs()
{
    const World world;
    const Finished finished = steering(world, R"(
mkdir -p sub; box
for path in /usr /usr/share /etc /proc /proc/1 /dev /sys /tmp /run /var "$PWD" "$PWD/sub" "${PWD%/*}"; do
    "$revet" grant $id "path:$path" 2>/dev/null; echo "$?"
done | sort | uniq -c
go "ls /usr/bin/env $PWD/sub"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"13 5\n", "= 0\n"}));
}

void LiveGrantsTest::letsNothingBeWrittenThatRunsLater()
{
    const World world;
    const Finished finished = steering(world, R"(
mkdir -p "$HOME/.local/bin" "$HOME/other/.git/hooks" "$HOME/other/.vscode"; echo x >"$HOME/.profile"; box
for path in .local/bin .profile other/.git other/.git/hooks other/.vscode; do
    "$revet" grant $id "path:$HOME/$path:rw" 2>/dev/null; echo "$?"
    "$revet" grant . "path:$HOME/$path:rw" 2>/dev/null; echo "$?"
done | sort | uniq -c
"$revet" grant $id "path:$HOME/other/.vscode" && go "ls -d $HOME/other/.vscode"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"10 5\n", "/other/.vscode\n= 0\n"}));
}

void LiveGrantsTest::followsNoLink()
{
    const World world;
    const Finished finished = steering(world, R"(
ln -s notes "$HOME/link"; box
"$revet" grant $id path:$HOME/link; echo "link: $?"
"$revet" grant $id path:$HOME/link/deep; echo "through: $?"
"$revet" grant $id path:$HOME/none; echo "none: $?"
"$revet" grant $id path:relative; echo "relative: $?"
mkfifo "$HOME/pipe"; "$revet" grant $id path:$HOME/pipe; echo "pipe: $?"
# The box's own links are not followed either.
go "ln -s /tmp $HOME/away"; mkdir -p "$HOME/away/x"
"$revet" grant $id path:$HOME/away/x 2>/dev/null; echo "box's link: $?"; go "ls /tmp"; end
)");
    REVET_VERIFY_NONE(unlessHolds(
        finished, {"link: 5\nthrough: 5\nnone: 3\nrelative: 2\npipe: 5\n", "box's link: 5\n= 0\n"}));
    QVERIFY2(finished.err.find("through a link; name /") != std::string::npos, finished.err.c_str());
}

void LiveGrantsTest::isAboutOneObject()
{
    const World world;
    // What is moved away goes with the grant; what comes in its place is not given.
    const Finished finished = steering(world, R"(
box; grant=$("$revet" grant $id path:$notes); mv $notes "$HOME/moved"; mkdir $notes; echo other >$notes/plan
go "cat $notes/plan"; "$revet" revoke $grant; go "cat $notes/plan"; rm -r "$HOME/moved" $notes; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"secret plan\n= 0\n", "= 1\n"}));
    QVERIFY2(finished.out.find("other") == std::string::npos, finished.out.c_str());
}

void LiveGrantsTest::cannotBeMovedByTheBox()
{
    const World world;
    // What is recorded and judged goes by its path, and so do the host's sockets that are in it.
    const Finished finished = steering(world, R"(
box; go "mkdir -p $notes/deep; cd $notes"; echo in >$notes/deep/in
grant=$("$revet" grant $id path:$notes/deep)
go "mv $notes $HOME/elsewhere; mv ../notes ../elsewhere; rmdir $notes/deep; ls $HOME/elsewhere; cat deep/in $notes/deep/in"
"$revet" revoke $grant; echo "revoked: $?"; go "ls deep $notes/deep; cat deep/in $notes/deep/in"
go "rmdir deep; cd /; mv $notes $HOME/elsewhere"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished,
                                  {"busy\n", "busy\n", "busy\n", "cannot access", "in\nin\n= 0\nrevoked: 0\n",
                                   "= 1\n", "busy\n= 1\n"}));
    QCOMPARE(finished.out.find("\nin\n", finished.out.find("revoked: 0")), std::string::npos);
}

void LiveGrantsTest::leavesOpenFilesOpen()
{
    const World world;
    const Finished finished = steering(world, R"(
box; grant=$("$revet" grant $id path:$notes); go "exec 5<$notes/plan"; "$revet" revoke $grant; echo "revoked: $?"
go "cat <&5; cat $notes/plan"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"revoked: 0\nsecret plan\n", "= 1\n"}));
    // The log says who has something of it.
    bool isTold = false;
    for (const auto& row : matching(world.runner().lastEvents(), {{"kind", "session"}})) {
        const std::string rule = row.value("rule", "");
        isTold = isTold || rule.starts_with("grant g1 is over; still open in ");
    }
    QVERIFY(isTold);
}

void LiveGrantsTest::cannotBeMadeOrKeptByTheBox()
{
    const World world;
    const Finished finished = steering(world, R"(
cp "$revet" revet-copy; box
go "./revet-copy grant $id path:$notes || echo none; ./revet-copy grant . path:$notes || echo none; cat $notes/plan"
grant=$("$revet" grant $id path:$notes)
go "umount $notes; mount -o remount,rw $notes; ./revet-copy revoke $grant || echo kept; echo x >$notes/plan"
"$revet" grants --json | valuesOf revoked; end; cat $notes/plan
)");
    REVET_VERIFY_NONE(
        unlessHolds(finished, {"none\n", "none\n", "= 1\n", "kept\n", "= 2\nnull\nsecret plan\n"}));
}

void LiveGrantsTest::keepsTheHostsSocketsOut()
{
    const World world;
    const Finished finished = steering(world, R"(
python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); time.sleep(60)' "$notes/socket" & host=$!
until test -S $notes/socket; do sleep 0.02; done
box; "$revet" grant $id path:$notes:rw
go "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"$notes/socket\")'"
end; kill $host
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"ConnectionRefusedError"}));
    REVET_VERIFY_NONE(
        missingEvent(world, {.kinds = {"connect"}, .verdicts = {"denied"}, .target = "notes/socket"}));
}

void LiveGrantsTest::takesHostileNames()
{
    const World world;
    const Finished finished = steering(world, R"(
esc=`printf '\033[31m'`; name="$HOME/a b:ro'\"$esc
,x"; mkdir -p "$name"; echo odd >"$name/f"; mkdir "$HOME/p:rw"; echo colon >"$HOME/p:rw/f"; ln -s "$name/f" f; ln -s "$HOME/p:rw/f" g
box; "$revet" grant $id --bind-ro "$name"; go "cat f"; "$revet" grants | grep -cF "$esc"
"$revet" grant $id "path:$HOME/p:rw:ro"; go "cat g; echo x >g"; end
)");
    REVET_VERIFY_NONE(unlessHolds(finished, {"odd\n= 0\n0\n", "colon\n", "Read-only file system\n= 2\n"}));
}

void LiveGrantsTest::offersWhatACommandNames()
{
    const World world;
    const Finished finished = steering(world, R"(
mkdir "$HOME/.ssh"; echo key >"$HOME/.ssh/id"; echo rc >"$HOME/.probed"
box --on-ask 60s; go "cat $HOME/.ssh/id; sh -c '. $HOME/.probed'; cat $notes/none; python3 -c 'open(\"$notes/plan\")'; true"
asks | wc -l; go "cat $notes/plan"; it=$(ask); "$revet" asks "$it"
yes "$it" 2>&1; go "cat $notes/plan; ls $notes"
"$revet" revoke `"$revet" grants --json | valuesOf grant`; go "cat $notes/plan"
end; "$revet" grants --all --json | valuesOf kind
)");
    REVET_VERIFY_NONE(
        unlessHolds(finished,
                    {"= 0\n0\n", "SEE FILES OF THIS MACHINE\n", "Scopes   session, project, or until",
                     "approved, session: ", "secret plan\nplan\n= 0\n", "= 1\n", "path\n"}));
}

void LiveGrantsTest::takesBackAYesThatCannotBeKept()
{
    const World world;
    const Finished finished = steering(world, R"(
box --on-ask 60s; go "cat $notes/plan"; it=$(ask); mv $notes "$HOME/away"
yes "$it" --scope project; echo "gone: $?"; "$revet" grants --json | wc -l; mv "$HOME/away" $notes
yes "$it" 2>&1; go "cat $notes/plan"; end
)");
    REVET_VERIFY_NONE(
        unlessHolds(finished, {"= 1\n", "gone: ", "\n0\n", "approved, session: ", "secret plan\n= 0\n"}));
    QVERIFY2(finished.out.find("gone: 0") == std::string::npos, finished.out.c_str());
}

QTEST_GUILESS_MAIN(LiveGrantsTest)
#include "tst_live_grants.moc"
