// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/asking.h"

#include <QTest>

namespace revet::test {

namespace {

constexpr const char* kTools = R"(
revet=$1; tier=$2; box=; shift 2
start() { "$revet" run --tier "$tier" "$@" >box.out 2>box.err & box=$!; }
# The values of a key in lines of JSON.
valuesOf() { tr -d '\042' | tr ',{' '\n\n' | sed -n 's/^'$1'://p' | tr -d '}'; }
asks() { "$revet" asks --json "$@" | valuesOf ask; }
ask() {
    until asks | grep -q .; do
        grep -q ') [^Z]' /proc/$box/stat || { echo nothing is asked; cat box.err; exit 1; }
        sleep 0.05
    done
    asks
}
yes() { it=$1; shift; "$revet" approve $it --hash $("$revet" asks "$it" --json | valuesOf hash) "$@"; }
# A command on a terminal of its own, where the second word is typed once a question is there.
typing() { python3 -c '
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
shown = b""
while True:
    try: more = os.read(terminal, 4096)
    except OSError: more = b""
    if not more: break
    shown += more
    if shown.endswith(b"[y/N] "): os.write(terminal, sys.argv[1].encode() + b"\n")
print(shown.decode().replace("\r", "") + "status %d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))' "$@"; }
finish() { wait $box; echo "status $?: `cat box.out`"; }
)";

/// The two talk by a directory that both see, whatever the tier.
constexpr const char* kSteps = R"(
mkdir -p "$HOME/notes/deep" "$HOME/talk"; echo secret plan >"$HOME/notes/plan"; notes=$HOME/notes talk=$HOME/talk
cat >loop.sh <<'END'
n=1; echo ready >$HOME/talk/ready
while :; do
    while ! test -e $HOME/talk/step.$n; do sleep 0.01; done
    . $HOME/talk/step.$n >$HOME/talk/tmp 2>&1; echo "= $?" >>$HOME/talk/tmp
    mv $HOME/talk/tmp $HOME/talk/said.$n; n=$((n + 1))
done
END
box() { start --bind-rw $talk "$@" -- /bin/sh loop.sh; until test -e $talk/ready; do sleep 0.02; done
    id=$("$revet" ps --json | valuesOf session); n=0; }
go() { n=$((n + 1)); echo "$1" >$talk/step.tmp; mv $talk/step.tmp $talk/step.$n
    until test -e $talk/said.$n; do sleep 0.01; done; cat $talk/said.$n; }
end() { "$revet" stop $id; wait $box; }
)";

} // namespace

std::vector<std::string> askingScript(const std::string& text, const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{"/bin/sh",
                                   "-c",
                                   kTools + text,
                                   "sh",
                                   SessionRunner::program("revet"),
                                   QTest::currentDataTag() == nullptr ? "sandbox" : fetched("tier")};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

Finished asking(const World& world, const std::string& text)
{
    return world.runner().bare(askingScript(text));
}

Finished steering(const World& world, const std::string& text)
{
    return asking(world, kSteps + text);
}

std::string unlessHolds(const Finished& finished, std::initializer_list<const char*> parts)
{
    std::size_t from = 0;
    for (const std::string part : parts) {
        const std::size_t at = finished.out.find(part, from);
        if (at == std::string::npos) {
            return "lacks \"" + part + "\" behind " + std::to_string(from) + ":\n" + finished.out
                + finished.err;
        }
        from = at + part.size();
    }
    return {};
}

} // namespace revet::test
