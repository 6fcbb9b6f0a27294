// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/host_listener.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace revet::test;

namespace {

using Words = std::vector<std::string>;

/// One deed and what holds it. In all texts PROJECT, HOME and OLD stand for the world's own paths, OLD for
/// its home as the launcher sees it while it builds the box, ABOVE for what holds it; PORT and ABSTRACT for
/// services of the host.
struct Wall
{
    const char* name; ///< the entry of SECURITY.md, and a word where it has several rows
    const char* victim;
    Words arguments;
    Words without; ///< all of the steps that hold the deed: where two do, one alone is not enough to fail
    const char* attempt; ///< of the victim's report; empty: only the witness counts
    Words held; ///< its results with the walls
    Words fallen; ///< its results without them
    const char* witness = ""; ///< a file or directory of the host that changes only without the walls
};

constexpr const char* kKeyName = "revet-test-wall";

/// A box in the host's network may neither name the host nor touch its loopback interface.
const Words kHostNetwork{"own-namespaces", "host-name", "loopback"};

/// The host's tree is taken from the box, and covered in the tree that the supervisor works in for the box.
const Words kHostTree{"detach-host", "hide-host"};

/// Entries whose wall is no step of the plan, and the tests that hold them:
/// - E004 (environment): made from nothing by policy/environment, tst_environment and tst_escape_secrets.
/// - E014 (planted PATH), E066 (set-up races), E070 (no silent fallback): tst_escape_setup.
/// - E017, E078 (ends and crashes): parent-death signals and sockets, tst_escape_lifecycle.
/// - E049 (terminal): tst_terminal_filter and tst_escape_display.
/// - E058 (listener): the launcher sends it and closes it before exec; tst_escape_syscalls.
/// - E101 (filter overlap): the golden tables of tst_filters.
///
/// E003, E010, E012 and E065 in the sandbox have two walls, and the plan shows both: the supervisor judges
/// what it performs ("load-filter judged" is the only way to it), and what it does not perform meets a
/// read-only project. With one of them gone the other holds: judgesAloneWhereTheProjectIsWritable(). The
/// judging itself is held by tst_git_guard, tst_path_broker, tst_broker_races, tst_git_rules and
/// tst_run_later.
std::vector<Wall> walls(const std::string& tier)
{
    const bool isSandbox = tier == "sandbox";
    const Words writable
        = isSandbox ? Words{"read-only PROJECT", "load-filter judged"} : Words{"overlay PROJECT"};
    const Words kept = isSandbox ? Words{"EACCES", "EROFS"} : Words{"OK"};
    return {
        {"E003", "plant_hook", {"hook-direct", "HOME/fired"}, writable, "", {}, {}, "PROJECT/.git/hooks"},
        {"E006",
         "connect_to",
         {"unix", "OLD/canary.sock"},
         kHostTree,
         "stream",
         {"ENOENT", "EACCES"},
         {"OK"}},
        {"E007", "connect_to", {"abstract", "ABSTRACT"}, kHostNetwork, "stream", {"ECONNREFUSED"}, {"OK"}},
        {"E008", "connect_to", {"unix", "OLD/bus"}, kHostTree, "stream", {"ENOENT", "EACCES"}, {"OK"}},
        {"E009", "read_path", {"OLD/.ssh/key"}, kHostTree, "OLD/.ssh/key", {"ENOENT"}, {"OK"}},
        {"E010",
         "write_path",
         {"x", "PROJECT/.envrc"},
         writable,
         "PROJECT/.envrc",
         kept,
         {"OK"},
         "PROJECT/.envrc"},
        {"E012", "hard_link_through", {"linked", "HOME/outside"}, writable, "", {}, {}, "HOME/outside"},
        {"E016",
         "connect_to",
         {"tcp", "127.0.0.1", "PORT"},
         kHostNetwork,
         "connect",
         {"ECONNREFUSED"},
         {"OK"}},
        {"E021 write",
         "race_path",
         {"write", "PROJECT/harmless", "PROJECT/.git/hooks/post-commit", "2000"},
         writable,
         "",
         {},
         {},
         "PROJECT/.git/hooks"},
        {"E026",
         "int80",
         {},
         {"load-filter known", "load-filter judged"},
         "int80 getpid",
         {"SIGSYS"},
         {"OK"}},
        {"E027", "try_io_uring", {}, {"load-filter judged"}, "setup", {"ENOSYS"}, {"OK"}},
        {"E028 net", "namespace_owner", {}, {"inner-user"}, "net", {"EPERM"}, {"OK"}},
        {"E028 mnt", "namespace_owner", {}, {"inner-user"}, "mnt", {"EPERM"}, {"OK"}},
        {"E028 clone",
         "nest_namespace",
         {},
         {"load-filter judged", "limit-namespaces"},
         "clone user",
         {"EPERM"},
         {"OK"}},
        {"E028 clone3",
         "nest_namespace",
         {},
         {"load-filter known", "limit-namespaces"},
         "clone3 user",
         {"ENOSYS"},
         {"OK"}},
        {"E028 limits", "nest_namespace", {}, {"load-filter judged"}, "unshare user", {"EPERM"}, {"ENOSPC"}},
        {"E029 trace",
         "ptrace_neighbour",
         {"1"},
         {"hide-init", "load-filter judged"},
         "ptrace-seize",
         {"EPERM"},
         {"OK"}},
        {"E029 memory", "ptrace_neighbour", {"1"}, {"hide-init"}, "mem-write", {"EACCES"}, {"OK"}},
        {"E048", "x11_socket", {}, kHostNetwork, "abstract", {"ECONNREFUSED"}, {"OK"}},
        {"E059", "stack_filter", {"free"}, {"load-filter judged"}, "listener", {"EBUSY"}, {"OK"}},
        {"E060",
         "try_syscall",
         {"walk", "463", "463"},
         {"load-filter known"},
         "463",
         {"ENOSYS"},
         {"EBADF", "EFAULT", "EINVAL", "E2BIG"}},
        {"E065", "rename_parent", {".vscode/tasks.json"}, writable, "", {}, {}, "PROJECT/.vscode/tasks.json"},
        {"E065 above",
         "move_above",
         {".envrc"},
         {"pin ABOVE"},
         "move above",
         {"EROFS", "EBUSY"},
         {"OK"},
         isSandbox ? "PROJECT/.envrc" : ""},
        {"E099",
         "write_path",
         {"x", "OLD/.config/canary"},
         kHostTree,
         "OLD/.config/canary",
         {"ENOENT", "EROFS", "EACCES"},
         {"OK"},
         "HOME/.config/canary"},
        {"keyrings",
         "try_keyring",
         {kKeyName},
         {"fresh-keyring", "load-filter judged"},
         "search session",
         {"EPERM"},
         {"OK"}},
    };
}

/// A world with something to steal, to reach and to spoil.
class Target
{
public:
    Target()
        : m_path(HostListener::Kind::Path, m_world.home().home() / "canary.sock")
        , m_bus(HostListener::Kind::Path, m_world.home().home() / "bus")
        , m_abstract(HostListener::Kind::Abstract, m_name)
        , m_display(HostListener::Kind::Abstract, "/tmp/.X11-unix/X0")
        , m_port(HostListener::Kind::Tcp4)
    {
        m_world.makeRepository();
        writeFile(m_world.home().home() / ".ssh/key", "SECRET");
        std::filesystem::create_directories(m_world.home().home() / ".config");
        writeFile(m_world.home().home() / "outside", "precious\n");
        std::filesystem::create_hard_link(m_world.home().home() / "outside", m_world.project() / "linked");
        writeFile(m_world.project() / ".vscode/tasks.json", "original\n");
        writeFile(m_world.project() / "harmless", "harmless\n");
        m_key = ::syscall(SYS_add_key, "user", kKeyName, "SECRET", 6, KEY_SPEC_SESSION_KEYRING);
    }
    ~Target() { ::syscall(SYS_keyctl, KEYCTL_UNLINK, m_key, KEY_SPEC_SESSION_KEYRING); }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    Target(Target&&) = delete;
    Target& operator=(Target&&) = delete;

    [[nodiscard]] const World& world() const { return m_world; }
    [[nodiscard]] std::string fill(std::string text) const
    {
        const std::string home = m_world.home().home();
        for (const auto& [word, meaning] : {std::pair<std::string, std::string>("PROJECT", m_world.project()),
                                            {"HOME", home},
                                            {"ABOVE", m_world.home().root()},
                                            {"OLD", "/old/host" + home},
                                            {"PORT", std::to_string(m_port.port())},
                                            {"ABSTRACT", m_name}}) {
            if (const std::size_t found = text.find(word); found != std::string::npos) {
                text.replace(found, word.size(), meaning);
            }
        }
        return text;
    }
    [[nodiscard]] Words fill(Words words) const
    {
        std::transform(words.begin(), words.end(), words.begin(),
                       [this](const std::string& word) { return fill(word); });
        return words;
    }
    [[nodiscard]] Snapshot witness(const std::string& name) const
    {
        const std::filesystem::path path = fill(name);
        std::error_code error;
        if (std::filesystem::is_directory(path, error)) {
            return snapshot(path);
        }
        return std::filesystem::exists(std::filesystem::symlink_status(path, error))
            ? Snapshot{{name, readFile(path)}}
            : Snapshot{};
    }
    /// Runs the deed, with or without its walls, and says what is wrong with its outcome; empty: nothing.
    [[nodiscard]] std::string outcome(const Wall& wall, const std::string& tier, bool hasWalls) const
    {
        RunOptions options;
        options.without = hasWalls ? Words{} : fill(wall.without);
        const Snapshot before = witness(wall.witness);
        const Finished finished = m_world.deed(tier, wall.victim, fill(wall.arguments), {}, options);
        const std::string changed = differences(before, witness(wall.witness));
        std::string said = "\nthe victim said, with status " + std::to_string(finished.status) + ":\n"
            + finished.out + finished.err;
        if (const std::string attempt = fill(wall.attempt); !attempt.empty()) {
            const Results results = resultsOf(finished);
            const auto found = results.find(attempt);
            const Words& wanted = hasWalls ? wall.held : wall.fallen;
            if (found == results.end()
                || std::find(wanted.begin(), wanted.end(), found->second) == wanted.end()) {
                return "the result of '" + attempt + "' is not as it should be" + said;
            }
        } else if (finished.out.empty()) {
            return "the victim did nothing" + said;
        }
        if (*wall.witness != '\0' && changed.empty() != hasWalls) {
            return (hasWalls ? "the host changed: " + changed : "nothing changed on the host") + said;
        }
        return {};
    }

private:
    const std::string m_name = "revet-test-wall-" + std::to_string(::getpid());
    World m_world;
    HostListener m_path;
    HostListener m_bus;
    HostListener m_abstract;
    HostListener m_display;
    HostListener m_port;
    long m_key = -1;
};

} // namespace

/// Each wall of the plan taken out, and the deed that it held seen to succeed: by a test's edit of the plan,
/// which the shipped revet-session has no way to take.
class WallsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void holdsAndIsSeenToFail_data()
    {
        QTest::addColumn<QString>("tier");
        QTest::addColumn<int>("index");
        for (const std::string tier : {"sandbox", "container"}) {
            const std::vector<Wall> all = walls(tier);
            for (std::size_t i = 0; i < all.size(); ++i) {
                QTest::addRow("%s %s", tier.c_str(), all.at(i).name)
                    << QString::fromStdString(tier) << static_cast<int>(i);
            }
        }
    }
    void holdsAndIsSeenToFail()
    {
        QFETCH(const int, index);
        const std::string tier = fetched("tier");
        const Wall wall = walls(tier).at(static_cast<std::size_t>(index));
        REVET_VERIFY_NONE(Target().outcome(wall, tier, true));
        REVET_VERIFY_NONE(Target().outcome(wall, tier, false));
    }

    void judgesAloneWhereTheProjectIsWritable_data()
    {
        QTest::addColumn<int>("index");
        const std::vector<Wall> all = walls("sandbox");
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all.at(i).without.front() == "read-only PROJECT") {
                QTest::newRow(all.at(i).name) << static_cast<int>(i);
            }
        }
    }
    void judgesAloneWhereTheProjectIsWritable()
    {
        QFETCH(const int, index);
        const Wall wall = walls("sandbox").at(static_cast<std::size_t>(index));
        const Target target;
        RunOptions options;
        options.without = target.fill(Words{"read-only PROJECT"});
        const Snapshot before = target.witness(wall.witness);
        const Finished finished
            = target.world().deed("sandbox", wall.victim, target.fill(wall.arguments), {}, options);
        QVERIFY2(!finished.out.empty(), finished.err.c_str());
        QCOMPARE(differences(before, target.witness(wall.witness)), "");
    }

    void isReadOnlyWhereNobodyJudges()
    {
        const Target target;
        RunOptions options;
        options.without = {"load-filter judged"};
        const Snapshot before = snapshot(target.world().project());
        const Finished finished = target.world().runner().runScript(
            "sandbox", "echo x > .envrc; mv .git .moved; mkdir new; rm harmless; echo tried", {}, options);
        QVERIFY2(finished.out.find("tried") != std::string::npos, finished.err.c_str());
        QCOMPARE(differences(before, snapshot(target.world().project())), "");
    }

    void racesForASecretThatIsThere_data() { addTierRows(); }
    void racesForASecretThatIsThere() // E021: what is not in the view cannot be won
    {
        const Target target;
        const Words arguments = target.fill(Words{"read", "PROJECT/harmless", "OLD/.ssh/key", "3000"});
        RunOptions options;
        const Finished held = target.world().deed(fetched("tier"), "race_path", arguments, {}, options);
        QVERIFY2(held.out.find("secrets 0\n") != std::string::npos, (held.out + held.err).c_str());
        options.without = kHostTree;
        const Finished fallen = target.world().deed(fetched("tier"), "race_path", arguments, {}, options);
        QVERIFY2(fallen.out.find("secrets ") != std::string::npos
                     && fallen.out.find("secrets 0\n") == std::string::npos,
                 (fallen.out + fallen.err).c_str());
    }

    void closesWhatTheCallerHadOpen_data() { addTierRows(); }
    void closesWhatTheCallerHadOpen() // E005
    {
        const Target target;
        const Words command{"/bin/sh", "-c",
                            "exec 7</etc/hostname 8</tmp; exec \"$0\" run --tier " + fetched("tier") + " -- "
                                + target.world().victim("list_fds")};
        Words held = command;
        held.push_back(SessionRunner::program("revet"));
        const Finished with = target.world().runner().bare(held);
        QVERIFY2(with.out.find("standard 1") != std::string::npos, with.err.c_str());
        QVERIFY2(with.out.find("inherited") == std::string::npos, with.out.c_str());
        RunOptions options;
        options.environment["REVET_TEST_WITHOUT"] = "close-descriptors";
        Words fallen = command;
        fallen.push_back(SessionRunner::editedRevet());
        const Finished without = target.world().runner().bare(fallen, options);
        QVERIFY2(without.out.find("inherited") != std::string::npos, (without.out + without.err).c_str());
    }

    void dropsEveryRight_data() { addTierRows(); }
    void dropsEveryRight() // E100
    {
        const World world;
        // An exec by an ordinary user empties the others; the bounding set is what a setuid program could
        // use.
        const std::string none = "CapBnd:\t0000000000000000";
        QVERIFY(world.deed(fetched("tier"), "show_confinement").out.find(none) != std::string::npos);
        RunOptions options;
        options.without = {"drop-capabilities"};
        const Finished capable = world.deed(fetched("tier"), "show_confinement", {}, {}, options);
        QVERIFY2(capable.out.find("CapBnd") != std::string::npos
                     && capable.out.find(none) == std::string::npos,
                 (capable.out + capable.err).c_str());
        // The kernel takes no filter from an ordinary process that could gain privileges.
        options.without = {"no-new-privileges", "load-filter known", "load-filter judged"};
        const Finished gaining = world.deed(fetched("tier"), "show_confinement", {}, {}, options);
        QVERIFY2(gaining.out.find("NoNewPrivs:\t0") != std::string::npos,
                 (gaining.out + gaining.err).c_str());
        options.without = {"no-new-privileges"};
        QCOMPARE(world.deed(fetched("tier"), "show_confinement", {}, {}, options).status, 125);
    }

    void typesIntoTheTerminal_data() { addTierRows(); }
    void typesIntoTheTerminal() // E030
    {
        REVET_NEEDS_PROGRAM("script");
        const World world;
        const std::string arguments
            = " run --tier " + fetched("tier") + " -- " + world.victim("inject_terminal");
        const auto onATerminal = [&](const std::string& program, const RunOptions& options) {
            return world.runner().bare({"/usr/bin/script", "-qec", program + arguments, "/dev/null"},
                                       options);
        };
        const Finished held = onATerminal(SessionRunner::program("revet"), {});
        QVERIFY2(held.out.find("TIOCSTI stdin EPERM") != std::string::npos, held.out.c_str());
        RunOptions options;
        options.environment["REVET_TEST_WITHOUT"] = "load-filter judged";
        const Finished fallen = onATerminal(SessionRunner::editedRevet(), options);
        // EIO: the kernel was built or set up without it (dev.tty.legacy_tiocsti).
        QVERIFY2(fallen.out.find("TIOCSTI stdin OK") != std::string::npos
                     || fallen.out.find("TIOCSTI stdin EIO") != std::string::npos,
                 fallen.out.c_str());
    }
};

QTEST_APPLESS_MAIN(WallsTest)
#include "tst_walls.moc"
