// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/processes.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <unistd.h>

using namespace revet::test;

namespace {

/// `revet run` on a terminal of its own, with a shell after it that would read what was typed.
Finished onATerminal(const World& world, const std::string& tier, const std::string& command,
                     const std::string& after = "true")
{
    const std::string line
        = SessionRunner::program("revet") + " run --tier " + tier + " -- " + command + "; " + after;
    RunOptions options;
    options.environment["SHELL"] = "/bin/bash";
    return world.runner().bare({"/usr/bin/script", "-qec", line, "/dev/null"}, options);
}

} // namespace

/// SECURITY.md E029 and E030: other processes and the terminal.
class EscapeProcessesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void cannotLookIntoPidOne_data() { addTierRows("whom", {"1", "parent"}); }
    void cannotLookIntoPidOne()
    {
        const World world;
        const Finished finished = world.deed(fetched("tier"), "ptrace_neighbour", {fetched("whom")});
        Results results = resultsOf(finished);
        // Asking whether it lives and what its limits are is harmless, and needed by none to be refused.
        QVERIFY(results.erase("signal-0") == 1 && results.erase("prlimit") == 1);
        std::string open;
        for (const auto& [what, result] : results) {
            if (result != "EACCES" && result != "EPERM" && result != "ENOSYS") {
                open += what + ' ' + result + '\n';
            }
        }
        QVERIFY2(!results.empty() && open.empty(), open.c_str());
        REVET_VERIFY_NONE(missingEvents(world, {.kinds = {"syscall"}, .verdicts = {"denied"}},
                                        {"ptrace of pid 1", "process_vm_readv of pid 1",
                                         "process_vm_writev of pid 1", "pidfd_getfd", "kcmp"}));
    }

    void seesNoProcessOfTheHost_data() { addTierRows(); }
    void seesNoProcessOfTheHost()
    {
        const World world;
        const Finished visible = world.deed(fetched("tier"), "ptrace_neighbour", {"visible"});
        QCOMPARE(visible.out, "visible 2\n");
        // The test's own pid, and one that no box has.
        const Finished host = world.deed(fetched("tier"), "ptrace_neighbour", {std::to_string(::getpid())});
        REVET_VERIFY_NONE(otherThan(host, {"ENOENT", "ESRCH", "EPERM", "EBADF"}));
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"exec"}, .target = "ptrace_neighbour"}));
    }

    void debugsItsOwnChildren_data() { addTierRows(); }
    void debugsItsOwnChildren()
    {
        const World world;
        QCOMPARE(world.deed(fetched("tier"), "ptrace_neighbour", {"own"}).out, "own-child OK\n");
    }

    void typesNothingIntoTheTerminal_data() { addTierRows(); }
    void typesNothingIntoTheTerminal()
    {
        REVET_NEEDS_PROGRAM("script");
        const World world;
        // What was pushed in is there at once, whole line or not; Ctrl-D is script's own, at its end of file.
        const Finished finished
            = onATerminal(world, fetched("tier"), world.victim("inject_terminal"),
                          "stty -icanon; IFS= read -r -t 2 line; printf 'typed [%s]' \"${line//$'\\004'/}\"");
        QVERIFY2(finished.out.find("typed []") != std::string::npos, finished.out.c_str());
        for (const std::string request :
             {"TIOCSTI", "TIOCSTI+bit32", "TIOCLINUX", "TIOCLINUX+bit32", "TIOCSETD"}) {
            for (const std::string where : {"stdin", "/dev/tty"}) {
                const std::string wanted = request + ' ' + where + " EPERM";
                QVERIFY2(finished.out.find(wanted) != std::string::npos,
                         (wanted + '\n' + finished.out).c_str());
            }
        }
        REVET_VERIFY_NONE(missingEvents(world, {.kinds = {"syscall"}, .verdicts = {"denied"}},
                                        {"ioctl TIOCSTI", "ioctl TIOCLINUX", "ioctl TIOCSETD"}));
    }

    void hasATerminalOfItsOwn_data() { addTierRows(); }
    void hasATerminalOfItsOwn()
    {
        REVET_NEEDS_PROGRAM("script");
        const World world;
        const Finished finished
            = onATerminal(world, fetched("tier"), "sh -c 'tty; test -t 0 && test -t 2 && echo yes'");
        QVERIFY2(finished.out.find("/dev/pts/0") != std::string::npos, finished.out.c_str());
        QVERIFY(finished.out.find("yes") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(EscapeProcessesTest)
#include "tst_escape_processes.moc"
