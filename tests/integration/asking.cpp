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
