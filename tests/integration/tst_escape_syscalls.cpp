// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <sys/syscall.h>

using namespace revet::test;

namespace {

/// The highest number that the filter's makers have looked at; newer calls do not exist for a box.
constexpr int kLastKnownCall = 462;

long numberAfter(const std::string& text, const std::string& word)
{
    const std::size_t found = text.find(word + ' ');
    return found == std::string::npos ? -1 : std::stol(text.substr(found + word.size() + 1));
}

bool isRefusal(const std::string& result)
{
    return result == "EPERM" || result == "ENOSYS";
}

} // namespace

/// SECURITY.md E021, E026, E027, E028, E058, E059, E060, E101: the system call filter and who answers it.
class EscapeSyscallsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void readsNoWithheldFileByARace_data() { addTierRows(); }
    void readsNoWithheldFileByARace()
    {
        const World world;
        writeFile(world.home().home() / "secret", "SECRET");
        writeFile(world.project() / "harmless", "harmless");
        const std::vector<std::string> arguments{"read", world.project() / "harmless",
                                                 world.home().home() / "secret", "3000"};
        constexpr int kTries = 20; // how often a race is won depends on what else the machine does
        bool isWonBare = false;
        for (int i = 0; i < kTries && !isWonBare; ++i) {
            isWonBare = numberAfter(world.bareDeed("race_path", arguments).out, "secrets") > 0;
        }
        QVERIFY(isWonBare);
        // Both targets must have been met, else nothing was raced.
        bool isRaced = false;
        for (int i = 0; i < kTries && !isRaced; ++i) {
            const Finished finished = world.deed(fetched("tier"), "race_path", arguments);
            QCOMPARE(numberAfter(finished.out, "secrets"), 0L);
            isRaced = numberAfter(finished.out, "succeeded") > 0 && numberAfter(finished.out, "refused") > 0;
        }
        QVERIFY(isRaced);
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"read"}, .target = "harmless"}));
    }

    void changesNoProtectedFileByARace_data() { addTierRows("deed", {"write", "rename"}); }
    void changesNoProtectedFileByARace()
    {
        const World world;
        const std::string tier = fetched("tier");
        world.makeRepository();
        const std::filesystem::path hook = world.project() / ".git/hooks/post-checkout";
        RunOptions options;
        options.timeout = std::chrono::minutes(3); // two busy threads beside the supervisor
        const Finished finished = world.deed(
            tier, "race_path", {fetched("deed"), world.project() / "harmless", hook, "3000"}, {}, options);
        QVERIFY2(numberAfter(finished.out, "succeeded") > 0, (finished.out + finished.err).c_str());
        QVERIFY(!std::filesystem::exists(hook));
        if (tier == "sandbox") {
            QVERIFY(numberAfter(finished.out, "refused") > 0);
            REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"denied"}, .target = "post-checkout"}));
        } else {
            REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"contained"}, .target = "post-checkout"}));
        }
    }

    void recordsTheProgramThatAnExecRaceRan_data() { addTierRows(); }
    void recordsTheProgramThatAnExecRaceRan()
    {
        const World world;
        world.prepare("cp /bin/true yes; cp /bin/false no");
        const Finished finished = world.deed(
            fetched("tier"), "race_path", {"exec", world.project() / "yes", world.project() / "no", "300"});
        const long succeeded = numberAfter(finished.out, "succeeded");
        QVERIFY2(succeeded >= 0, finished.err.c_str());
        // Every run that ended with 0 was "yes", every other "no": the record of what ran must agree.
        long recorded = 0;
        for (const auto& row : world.runner().list({"tree", world.runner().lastSession()})) {
            const std::string exe = row.value("exe", "");
            recorded += exe.size() >= 4 && exe.substr(exe.size() - 4) == "/yes" ? 1 : 0;
        }
        QCOMPARE(recorded, succeeded);
    }

    void knowsNoOtherArchitecture_data() { addTierRows(); }
    void knowsNoOtherArchitecture()
    {
        const World world;
        QVERIFY(resultsOf(world.bareDeed("int80")).count("int80 getpid") == 1);
        const Finished finished = world.deed(fetched("tier"), "int80");
        REVET_VERIFY_NONE(otherThan(finished, {"SIGSYS", "ENOSYS"}));
        QCOMPARE(resultsOf(finished).size(), std::size_t{5});
    }

    void knowsNoIoUring_data() { addTierRows(); }
    void knowsNoIoUring()
    {
        const World world;
        REVET_VERIFY_NONE(otherThan(world.deed(fetched("tier"), "try_io_uring"), {"ENOSYS"}));
        REVET_VERIFY_NONE(
            missingEvent(world, {.kinds = {"syscall"}, .verdicts = {"denied"}, .target = "io_uring_setup"}));
    }

    void makesNoNamespace_data() { addTierRows(); }
    void makesNoNamespace()
    {
        const World world;
        const Finished finished = world.deed(fetched("tier"), "nest_namespace");
        REVET_VERIFY_NONE(otherThan(finished, {"EPERM", "ENOSYS", "ENOSPC"}));
        for (const auto& [attempt, result] : resultsOf(finished)) {
            if (attempt.rfind("clone3", 0) == 0) {
                QCOMPARE(result, "ENOSYS");
            }
        }
        REVET_VERIFY_NONE(
            missingEvents(world, {.kinds = {"syscall"}, .verdicts = {"denied"}},
                          {"unshare CLONE_NEWUSER", "unshare CLONE_NEWNS", "unshare CLONE_NEWNET",
                           "clone CLONE_NEWUSER", "clone CLONE_NEWNS", "clone CLONE_NEWNET", "setns"}));
    }

    void refusesEveryDangerousCall_data() { addTierRows(); }
    void refusesEveryDangerousCall()
    {
        const World world;
        const Finished finished = world.deed(fetched("tier"), "try_syscall");
        // Reading the clock's state is anybody's; a filter of its own that cannot be read is the kernel's to
        // refuse (gainsNothingByFiltersOfItsOwn tries a readable one).
        const std::set<std::string> harmless{"adjtimex", "seccomp_new_listener"};
        std::string wrong;
        for (const auto& [call, result] : resultsOf(finished)) {
            wrong += isRefusal(result) || (harmless.contains(call) && result == "EFAULT")
                ? std::string()
                : call + ' ' + result + '\n';
        }
        QVERIFY2(!resultsOf(finished).empty() && wrong.empty(), wrong.c_str());
        REVET_VERIFY_NONE(
            missingEvents(world, {.kinds = {"syscall"}, .verdicts = {"denied"}},
                          {"mount", "umount2", "pivot_root", "chroot", "fsopen", "open_tree", "move_mount",
                           "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key",
                           "open_by_handle_at", "name_to_handle_at", "personality READ_IMPLIES_EXEC"}));
    }

    void hasNoCallNewerThanTheFilter_data() { addTierRows(); }
    void hasNoCallNewerThanTheFilter()
    {
        const World world;
        const Finished finished
            = world.deed(fetched("tier"), "try_syscall", {"walk", std::to_string(kLastKnownCall + 1), "600"});
        REVET_VERIFY_NONE(otherThan(finished, {"ENOSYS"}));
    }

    void answersEveryCallAsBareOrRefusesIt_data() { addTierRows(); }
    void answersEveryCallAsBareOrRefusesIt()
    {
        const World world;
        const std::vector<std::string> arguments{"walk", "0", std::to_string(kLastKnownCall)};
        RunOptions options;
        options.timeout = std::chrono::minutes(3);
        const Results bare = resultsOf(world.bareDeed("try_syscall", arguments, options));
        const Results box = resultsOf(world.deed(fetched("tier"), "try_syscall", arguments, {}, options));
        // Of several wrong arguments the supervisor may name another one first; queues and semaphores are the
        // box's own, so a name is still free there; landlock wants no_new_privs, which only the box has.
        const std::set<std::string> excused{
            std::to_string(SYS_mknod),  std::to_string(SYS_mknodat),
            std::to_string(SYS_msgget), std::to_string(SYS_semget),
            std::to_string(SYS_shmget), std::to_string(SYS_landlock_restrict_self)};
        const std::set<std::string> refusals{"EPERM", "ENOSYS", "EOPNOTSUPP", "EAFNOSUPPORT"};
        std::string wrong;
        for (const auto& [number, result] : bare) {
            if (excused.contains(number)) {
                continue;
            }
            const auto found = box.find(number);
            const std::string seen = found == box.end() ? "nothing" : found->second;
            if (seen != result && !refusals.contains(seen)) {
                wrong += number + ": " + result + " became " + seen + '\n';
            }
        }
        QVERIFY2(!bare.empty() && wrong.empty(), wrong.c_str());
    }

    void offersNoOddSocketFamily_data() { addTierRows(); }
    void offersNoOddSocketFamily()
    {
        const World world;
        const Finished finished
            = world.runner().run(fetched("tier"),
                                 {"/usr/bin/python3", "-c",
                                  "import socket, errno\n"
                                  "tries = {'packet': (17, 3, 0), 'vsock': (40, 1, 0), 'alg': (38, 5, 0), "
                                  "'bluetooth': (31, 1, 0),\n"
                                  "  'can': (29, 3, 0), 'xdp': (44, 3, 0), 'raw': (2, 3, 1), 'ping': (2, 2, "
                                  "1), 'mptcp': (2, 1, 262),\n"
                                  "  'udplite': (2, 2, 136), 'uevent': (16, 2, 15), 'netfilter': (16, 3, "
                                  "12), 'audit': (16, 3, 9)}\n"
                                  "for name, (family, kind, protocol) in tries.items():\n"
                                  "  try:\n"
                                  "    socket.socket(family, kind, protocol); print(name, 'OK')\n"
                                  "  except OSError as e: print(name, errno.errorcode[e.errno])\n"});
        REVET_VERIFY_NONE(otherThan(finished, {"EAFNOSUPPORT", "EPROTONOSUPPORT", "EPERM", "EACCES"}));
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"socket"}, .verdicts = {"denied"}}));
    }

    void leavesTheLimitsOfPidOne_data() { addTierRows(); }
    void leavesTheLimitsOfPidOne()
    {
        const World world;
        const Finished finished
            = world.runner().run(fetched("tier"),
                                 {"/usr/bin/python3", "-c",
                                  "import resource\n"
                                  "resource.prlimit(0, resource.RLIMIT_CPU, (100, 100)); print('own OK')\n"
                                  "try: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0)); print('OK')\n"
                                  "except PermissionError: print('EPERM')\n"});
        QCOMPARE(finished.out, std::string("own OK\nEPERM\n"));
    }

    void findsNoListenerOfItsFilter_data() { addTierRows(); }
    void findsNoListenerOfItsFilter()
    {
        const World world;
        const Finished finished = world.deed(fetched("tier"), "find_listener");
        QVERIFY2(finished.status == 1, (finished.out + finished.err).c_str());
        QVERIFY(finished.out.find("listener") == std::string::npos);
        QVERIFY(finished.out.find("got ") == std::string::npos);
    }

    void gainsNothingByFiltersOfItsOwn_data() { addTierRows(); }
    void gainsNothingByFiltersOfItsOwn()
    {
        const World world;
        const std::string tier = fetched("tier");
        const Finished finished = world.deed(tier, "stack_filter", {".vscode-free"});
        const Results results = resultsOf(finished);
        // Its own filter may hide a call from itself; none that it allows may run unseen.
        QCOMPARE(results.at("write under allow"), "OK");
        QCOMPARE(results.at("write under errno"), "EXDEV");
        QVERIFY2(results.at("listener") == "EBUSY" || isRefusal(results.at("listener")),
                 finished.out.c_str());
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"create", "write"}, .target = ".vscode-free"}));

        std::filesystem::create_directory(world.project() / ".vscode");
        const Finished pinned = world.deed(tier, "stack_filter", {".vscode/tasks.json"});
        QVERIFY(!std::filesystem::exists(world.project() / ".vscode/tasks.json"));
        QCOMPARE(resultsOf(pinned).at("write under allow"), tier == "container" ? "OK" : "EACCES");
    }

    void recordsEveryCallThatTakesAPath_data() { addTierRows(); }
    void recordsEveryCallThatTakesAPath()
    {
        const World world;
        QCOMPARE(world.bareDeed("path_calls", {"prepare"}).status, 0);
        const Finished finished = world.deed(fetched("tier"), "path_calls");
        const Results results = resultsOf(finished);
        QVERIFY2(!results.empty(), finished.err.c_str());
        std::vector<std::string> executed;
        for (const auto& [call, result] : results) {
            // ENODATA: an attribute that is not there; the call reached it.
            // In a layer a file without a name is recorded when it gets one.
            const bool isNameless = call == "tmpfile" && fetched("tier") == "container";
            if ((result == "OK" || result == "ENODATA") && isNameless) {
                continue;
            }
            if (result == "OK" || result == "ENODATA") {
                executed.push_back("call-" + call);
            } else {
                // A lower file has no second name in a layer (EXDEV): programs copy.
                const bool isLink = call.rfind("link", 0) == 0 && fetched("tier") == "container";
                QVERIFY2(isRefusal(result) || (isLink && result == "EXDEV"), (call + ' ' + result).c_str());
            }
        }
        QVERIFY(executed.size() > 35);
        REVET_VERIFY_NONE(missingEvents(world, {}, executed));
    }
};

QTEST_APPLESS_MAIN(EscapeSyscallsTest)
#include "tst_escape_syscalls.moc"
