// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/processes.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

const std::set<std::string> kEventKeys{"schema",  "seq",    "time",    "session", "kind", "pid",   "exe",
                                       "command", "target", "verdict", "reach",   "rule", "count", "errno"};

/// Names that a box can make and that lie to a person: SECURITY.md E038 and E039.
const std::vector<std::string> kHostileNames{
    "colour\x1b[31m",
    "title\x1b]0;x\x07",
    "clip\x1b]52;c;eA==\x07",
    "c1\xc2\x9b"
    "31m",
    "return\rApprove: yes",
    "back\b\b\b\bsafe",
    "line\nsession forged",
    "tab\tcolumn",
    "bidi\xe2\x80\xae"
    "gnp.exe",
    "isolate\xe2\x81\xa6x",
    "zero\xe2\x80\x8bwidth",
    "tag\xf3\xa0\x81\x81",
    "private\xee\x80\x80",
    "broken\xff\xfe",
    "back\\slash",
    "<img src=x>",
    "pad" + std::string(200, ' ') + "tail",
};

/// Anything that a terminal acts upon, or that a person cannot see.
bool isHarmless(const std::string& text)
{
    for (const char* const hidden : {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8b", "\xf3\xa0\x81\x81",
                                     "\xee\x80\x80", "\xc2\x9b", "\xff"}) {
        if (text.find(hidden) != std::string::npos) {
            return false;
        }
    }
    return std::none_of(text.begin(), text.end(),
                        [](unsigned char byte) { return (byte < ' ' && byte != '\n') || byte == 0x7f; });
}

/// In characters.
std::size_t longestLine(const std::string& text)
{
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto characters = std::count_if(line.begin(), line.end(), [](unsigned char byte) {
            return byte != '\r' && (byte & 0xc0U) != 0x80U;
        });
        longest = std::max(longest, static_cast<std::size_t>(characters));
    }
    return longest;
}

std::set<std::string> keysOf(const nlohmann::json& row)
{
    std::set<std::string> keys;
    for (const auto& [key, value] : row.items()) {
        keys.insert(key);
    }
    return keys;
}

std::string missing(const std::vector<nlohmann::json>& rows, const std::set<std::string>& wanted)
{
    std::string text = rows.empty() ? "no row" : "";
    for (const nlohmann::json& row : rows) {
        const std::set<std::string> keys = keysOf(row);
        for (const std::string& key : wanted) {
            text += keys.contains(key) ? "" : key + " is missing in " + row.dump() + '\n';
        }
    }
    return text;
}

} // namespace

/// The commands that read the record: what they list of one recorded session, for people and for scripts.
class ReadingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        m_world = std::make_unique<World>();
        writeFile(m_world->home().home() / ".ssh/id_ed25519", "secret");
        std::string script
            = "echo text > made; echo none > /dev/null; cat made; mv made moved; rm moved; mkdir d; ";
        script += "cat " + (m_world->home().home() / ".ssh/id_ed25519").string() + "; touch /usr/x; ";
        script += "bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'; (sh -c 'exit 4'); exit 3";
        const Finished finished = m_world->runner().runScript("sandbox", script, {"--name", "first"});
        QVERIFY2(finished.status == 3, finished.err.c_str());
        m_session = m_world->runner().lastSession();
    }
    void cleanupTestCase() { m_world.reset(); }

    void listsSessionsWithTheirKeys()
    {
        const auto rows = m_world->runner().list({"ps", "--all"});
        QCOMPARE(rows.size(), std::size_t{1});
        REVET_VERIFY_NONE(missing(rows,
                                  {"schema", "session", "label", "state", "project", "tier", "command",
                                   "radius", "asks", "started", "ended", "status"}));
        QCOMPARE(rows[0].value("label", ""), "first");
        QCOMPARE(rows[0].value("status", 0), 3);
        QCOMPARE(rows[0].value("state", ""), "ended");
        QCOMPARE(rows[0].value("radius", ""), "project");
        QVERIFY(m_world->runner().list({"ps"}).empty());
    }

    void listsEventsWithTheKeysOfTheContract()
    {
        const auto rows = m_world->runner().list({"log", m_session});
        REVET_VERIFY_NONE(missing(rows, kEventKeys));
        std::int64_t last = 0;
        for (const auto& row : rows) {
            QVERIFY(row.value("seq", std::int64_t{0}) > last);
            last = row.value("seq", std::int64_t{0});
            QCOMPARE(row.value("session", ""), m_session);
            QVERIFY(row.value("time", "").ends_with("Z"));
            QCOMPARE(row.value("time", "").size(), std::string("2026-01-01T00:00:00.000000Z").size());
        }
        const std::string project = m_world->project();
        for (const auto& [kind, target] :
             std::vector<std::pair<std::string, std::string>>{{"create", "/made"},
                                                              {"read", "/made"},
                                                              {"rename", "/made"},
                                                              {"delete", "/moved"},
                                                              {"create", "/d"}}) {
            QVERIFY2(!matching(rows, {{"kind", kind}, {"target", project + target}}).empty(),
                     (kind + target).c_str());
        }
        QVERIFY(!matching(rows, {{"kind", "read"}, {"verdict", "withheld"}}).empty());
        QVERIFY(!matching(rows, {{"kind", "connect"}, {"verdict", "denied"}}).empty());
        // Refused outside as well, by its permissions.
        QVERIFY(!matching(rows, {{"kind", "create"}, {"verdict", "failed"}, {"target", "/usr/x"}}).empty());
    }

    void writesOnlyKeysThatTheManualNames()
    {
        const SessionRunner& runner = m_world->runner();
        const std::string manual = readFile(REVET_MANUAL);
        const std::string section
            = manual.substr(manual.find(".SH LISTINGS AS JSON"),
                            manual.find(".SH EXIT STATUS") - manual.find(".SH LISTINGS AS JSON"));
        for (const std::vector<std::string>& command :
             std::vector<std::vector<std::string>>{{"ps", "--all"},
                                                   {"log", m_session},
                                                   {"log", m_session, "--verify"},
                                                   {"files", m_session},
                                                   {"net", m_session},
                                                   {"tree", m_session},
                                                   {"profile", "list"},
                                                   {"profile", "show", "base"},
                                                   {"prune", "--older-than", "1s", "--dry-run"}}) {
            const auto rows = runner.list(command);
            QVERIFY2(!rows.empty() || command.front() == "prune", command.front().c_str());
            for (const nlohmann::json& row : rows) {
                for (const std::string& key : keysOf(row)) {
                    const QRegularExpression word(
                        QStringLiteral("\\b%1\\b").arg(QString::fromStdString(key)));
                    QVERIFY2(word.match(QString::fromStdString(section)).hasMatch(), key.c_str());
                }
            }
        }
    }

    void filtersTheLog()
    {
        const SessionRunner& runner = m_world->runner();
        const auto withheld = runner.list({"log", "--verdict", "withheld"});
        QVERIFY(!withheld.empty());
        QCOMPARE(matching(withheld, {{"verdict", "withheld"}}).size(), withheld.size());
        const auto renames = runner.list({"log", "first", "--kind", "rename", "--kind", "delete"});
        QCOMPARE(renames.size(), std::size_t{2});
        // Every process has its end, with how it ended, in the order of things.
        const auto ends = runner.list({"log", "first", "--kind", "exit"});
        const auto tree = runner.list({"tree", "first"});
        const auto isEnd = [](const nlohmann::json& row) { return row.at("replaced_by").is_null(); };
        QCOMPARE(static_cast<std::ptrdiff_t>(ends.size()), std::count_if(tree.begin(), tree.end(), isEnd));
        QCOMPARE(matching(ends, {{"detail", 4 << 8}}).size(), std::size_t{1});
        QCOMPARE(matching(ends, {{"detail", 3 << 8}}).size(), std::size_t{1});
        QCOMPARE(ends.back().value("detail", 0), 3 << 8);
        QVERIFY(runner.revet({"log", "first", "--kind", "exit"}).out.find("  exit 4  ") != std::string::npos);
        QCOMPARE(runner.list({"log", "--path", "./made", "--kind", "create"}).size(), std::size_t{1});
        QVERIFY(runner.list({"log", "--since", "2999-01-01T00:00:00Z"}).empty());
        QVERIFY(!runner.list({"log", "--since", "1h"}).empty());
    }

    void listsFilesDestinationsAndProcesses()
    {
        const SessionRunner& runner = m_world->runner();
        const auto files = runner.list({"files"});
        REVET_VERIFY_NONE(
            missing(files, {"schema", "session", "path", "reads", "writes", "verdict", "reach"}));
        QCOMPARE(matching(files, {{"path", (m_world->project() / "made").string()}}).size(), std::size_t{1});
        REVET_VERIFY_NONE(missing(files, {"created", "deleted", "refused", "changed", "seq"}));
        // Made and removed again, or a device: nothing of it is left but the directory.
        const auto changed = runner.list({"files", "--changed"});
        QCOMPARE(changed.size(), std::size_t{1});
        QCOMPARE(changed[0].value("path", ""), (m_world->project() / "d").string());
        const auto net = runner.list({"net", m_session});
        REVET_VERIFY_NONE(missing(net, {"schema", "session", "kind", "target", "refused", "verdict"}));
        QVERIFY(net[0].value("target", "").find("192.0.2.1") != std::string::npos);
        const auto tree = runner.list({"tree", m_session.substr(0, 4)});
        REVET_VERIFY_NONE(missing(tree,
                                  {"schema", "session", "process", "parent", "pid", "exe", "command",
                                   "started", "ended", "status"}));
        QVERIFY(!matching(tree, {{"status", 4}}).empty());
        QVERIFY(!matching(tree, {{"status", 3}}).empty());
    }

    void namesTheProgramThatDidIt()
    {
        const World world;
        const SessionRunner& runner = world.runner();
        QCOMPARE(runner.runScript("sandbox", "exec bash -c 'echo > evil; exec mkdir innocent'").status, 0);
        const auto events = runner.lastEvents();
        const auto evil = matching(events, {{"kind", "create"}, {"target", world.project() / "evil"}});
        const auto innocent
            = matching(events, {{"kind", "create"}, {"target", world.project() / "innocent"}});
        const auto exec = matching(events, {{"kind", "exec"}, {"pid", evil.at(0).value("pid", 0)}});
        QCOMPARE(evil.at(0).value("pid", 0), innocent.at(0).value("pid", -1));
        QVERIFY(evil[0].value("command", "").starts_with("bash -c"));
        QVERIFY(evil[0].value("exe", "").ends_with("/bash"));
        QCOMPARE(innocent[0].value("command", ""), "mkdir innocent");
        QVERIFY(innocent[0].value("exe", "").ends_with("/mkdir"));
        QVERIFY(exec.back().value("target", "").ends_with("/mkdir")); // by what ran until then
        QVERIFY(exec.back().value("command", "").starts_with("bash -c"));
        const auto tree = runner.list({"tree"});
        const auto mkdir = matching(tree, {{"command", "mkdir innocent"}});
        const auto bash = matching(tree, {{"process", mkdir.at(0).value("parent", 0)}});
        QCOMPARE(bash.at(0).value("pid", 0), mkdir[0].value("pid", -1));
        QCOMPARE(bash[0].value("replaced_by", 0), mkdir[0].value("process", -1));
        QCOMPARE(mkdir[0].value("status", -1), 0);
    }

    void showsProjectsAndProfiles()
    {
        const SessionRunner& runner = m_world->runner();
        QCOMPARE(runner.revet({"project", "set", "tier=container"}).status, 0);
        const auto settings = runner.list({"project", "show"});
        REVET_VERIFY_NONE(missing(settings, {"schema", "project", "key", "value", "source"}));
        QCOMPARE(matching(settings, {{"key", "tier"}, {"value", "container"}}).size(), std::size_t{1});
        QCOMPARE(runner.revet({"project", "set", "tier=cloud"}).status, 2);
        QCOMPARE(runner.revet({"project", "set", "no-such=1"}).status, 2);
        const auto profiles = runner.list({"profile", "list"});
        REVET_VERIFY_NONE(missing(profiles, {"schema", "profile", "description"}));
        const std::string name = profiles.front().value("profile", "");
        REVET_VERIFY_NONE(missing(runner.list({"profile", "show", name}), {"schema", "profile", "visible"}));
        QCOMPARE(runner.revet({"profile", "show", "no-such"}).status, 3);
    }

    void exportsInEveryForm()
    {
        const SessionRunner& runner = m_world->runner();
        const Finished lines = runner.revet({"export", m_session});
        QCOMPARE(lines.status, 0);
        QVERIFY(std::count(lines.out.begin(), lines.out.end(), '\n')
                >= static_cast<long>(runner.list({"log", m_session}).size()));
        for (const std::string format : {"markdown", "html"}) {
            const Finished text = runner.revet({"export", m_session, "--format", format});
            QCOMPARE(text.status, 0);
            QVERIFY2(text.out.find("192.0.2.1") != std::string::npos, format.c_str());
        }
        QCOMPARE(runner.revet({"export", "--format", "pdf"}).status, 2);
    }

    void answersWithTheStatusesOfTheContract_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<int>("status");
        for (const char* const command : {"log", "files", "net", "tree", "export", "stop"}) {
            QTest::addRow("%s of what is not", command)
                << QStringLiteral("%1 zzzzzz").arg(QLatin1String(command)) << 3;
            QTest::addRow("%s with nonsense", command)
                << QStringLiteral("%1 --no-such-option").arg(QLatin1String(command)) << 2;
        }
        QTest::addRow("no such command") << QStringLiteral("frobnicate") << 2;
        QTest::addRow("nothing") << QString() << 0;
        QTest::addRow("kind") << QStringLiteral("log --kind nonsense") << 2;
        QTest::addRow("time") << QStringLiteral("log --since yesterday-ish") << 2;
        QTest::addRow("ps") << QStringLiteral("ps extra words") << 2;
        QTest::addRow("tier") << QStringLiteral("doctor --tier cloud") << 2;
        QTest::addRow("help") << QStringLiteral("log --help") << 0;
        QTest::addRow("version") << QStringLiteral("--version") << 0;
    }
    void answersWithTheStatusesOfTheContract()
    {
        QFETCH(QString, arguments);
        QFETCH(int, status);
        std::vector<std::string> words;
        for (const QString& word : arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            words.push_back(word.toStdString());
        }
        const Finished finished = m_world->runner().revet(words);
        QVERIFY2(finished.status == status, (std::to_string(finished.status) + finished.err).c_str());
        if (status != 0) {
            // One line: what, why, and what to do.
            QVERIFY2(finished.err.rfind("revet: ", 0) == 0, finished.err.c_str());
            QCOMPARE(std::count(finished.err.begin(), finished.err.end(), '\n'), 1L);
            QVERIFY(finished.out.empty());
        }
    }

    void asksWhichSessionWhereThereAreSeveral()
    {
        const World world;
        QCOMPARE(world.runner().revet({"log"}).status, 3);
        QCOMPARE(world.runner().run("sandbox", {"true"}).status, 0);
        QCOMPARE(world.runner().revet({"files"}).status, 0);
        QCOMPARE(world.runner().run("container", {"true"}).status, 0);
        QCOMPARE(world.runner().run("container", {"/bin/echo", "a\x1b[31m"}).status, 0);
        for (const char* const command : {"files", "tree", "net", "export"}) {
            const Finished finished = world.runner().revet({command});
            QCOMPARE(finished.status, 2);
            QVERIFY(finished.out.empty());
            QVERIFY2(finished.err.rfind("revet: choose a session: 3 ", 0) == 0, finished.err.c_str());
            QVERIFY2(isHarmless(finished.err), finished.err.c_str());
            // Each with what it ran, the newest first.
            const std::size_t newest = finished.err.find("/bin/echo");
            QVERIFY2(newest < finished.err.find("true"), finished.err.c_str());
            for (const auto& row : world.runner().list({"ps", "--all"})) {
                QVERIFY2(finished.err.find('\n' + row.value("session", "?") + ' ') != std::string::npos,
                         finished.err.c_str());
            }
        }
    }

    void meansTheLiveOneOfALabelThatIsUsedAgain()
    {
        const World world;
        QCOMPARE(world.runner().run("container", {"true"}, {"--name", "again"}).status, 0);
        const Finished started
            = world.runner().run("container", {"sleep", "300"}, {"--name", "again", "--detach"});
        QCOMPARE(started.status, 0);
        QCOMPARE(world.runner().revet({"files", "again"}).status, 2);
        const Finished stopped = world.runner().revet({"stop", "again", "--force"});
        QVERIFY2(stopped.status == 0, stopped.err.c_str());
        for (const auto& row : world.runner().list({"ps", "--all"})) {
            QVERIFY2(row.value("state", "") != "running", row.dump().c_str());
        }
    }

    void findsOneChangedByte()
    {
        const World world;
        QCOMPARE(world.runner().runScript("sandbox", "echo evidence > evidence-of-it").status, 0);
        const fs::path journal
            = world.home().dataHome() / "revet/sessions" / world.runner().lastSession() / "journal.db";
        // The record is closed a moment after the command's end; until then pages come from the log beside
        // it.
        QVERIFY(comesTrue(5000, [&] { return !fs::exists(journal.string() + "-wal"); }));
        const Finished before = world.runner().revet({"log", "--verify"});
        QVERIFY2(before.status == 0 && before.out.find("intact") != std::string::npos, before.err.c_str());
        std::string bytes = readFile(journal);
        const std::size_t at = bytes.find("evidence-of-it");
        QVERIFY(at != std::string::npos);
        bytes[at] = 'E';
        writeFile(journal, bytes);
        const Finished after = world.runner().revet({"log", "--verify"});
        QCOMPARE(after.status, 1);
        QVERIFY2(after.err.rfind("revet: verify", 0) == 0, after.err.c_str());
        QCOMPARE(world.runner().revet({"log", "--verify", "--json"}).status, 1);
    }

    void escapesHostileNamesInEveryListing_data() { addTierRows(); }
    void escapesHostileNamesInEveryListing()
    {
        const World world;
        std::vector<std::string> command{"/bin/sh", "-c",
                                         "echo x > \"$(printf 'raw\\377\\376')\"; for n; do echo x > \"$n\"; "
                                         "ln -s /bin/true \"./$n.run\"; \"./$n.run\" \"$n\"; done",
                                         "hostile"};
        command.insert(command.end(), kHostileNames.begin(), kHostileNames.end());
        QCOMPARE(world.runner().run(fetched("tier"), command, {"--name", "label\x1b[31m"}).status, 0);
        const std::string session = world.runner().lastSession();
        for (const std::vector<std::string>& listing :
             std::vector<std::vector<std::string>>{{"ps", "--all"},
                                                   {"log", session},
                                                   {"files", session},
                                                   {"tree", session},
                                                   {"export", session},
                                                   {"export", session, "--format", "markdown"},
                                                   {"export", session, "--format", "html"}}) {
            const Finished finished = world.runner().revet(listing);
            QCOMPARE(finished.status, 0);
            QVERIFY2(isHarmless(finished.out), (listing.front() + ": " + finished.out).c_str());
            QVERIFY(finished.out.find("\nsession forged") == std::string::npos);
        }
        const Finished page = world.runner().revet({"export", session, "--format", "html"});
        QVERIFY(page.out.find("<img") == std::string::npos);
        // Scripts get the bytes themselves.
        const auto broken = matching(world.runner().list({"files", session}), nlohmann::json::object());
        QVERIFY(std::any_of(broken.begin(), broken.end(),
                            [](const nlohmann::json& row) { return row.contains("path_bytes"); }));
    }

    void escapesWhatAnErrorQuotes()
    {
        const World world;
        for (const std::string text :
             {R"("a\u001b[31mb" = 1)", R"(tier = "a\u001b]0;b")", R"("\u202eb" = 1)"}) {
            writeFile(world.project() / ".revet.toml", text + '\n');
            for (const std::vector<std::string>& command :
                 std::vector<std::vector<std::string>>{{"run", "--", "true"}, {"project"}}) {
                const Finished finished = world.runner().revet(command);
                QVERIFY2(isHarmless(finished.err) && isHarmless(finished.out), finished.err.c_str());
            }
        }
    }

    void keepsToTheTerminalsWidthAndTheWishForNoColour()
    {
        REVET_NEEDS_PROGRAM("script");
        const SessionRunner& runner = m_world->runner();
        const auto onTerminal = [&](const std::string& command, const std::string& colour) {
            RunOptions options;
            options.environment = {{"TERM", "xterm"}, {"NO_COLOR", colour}};
            return runner
                .bare({"/usr/bin/script", "-qec",
                       "stty cols 72; " + SessionRunner::program("revet") + ' ' + command, "/dev/null"},
                      options)
                .out;
        };
        for (const std::string& command : std::vector<std::string>{
                 "log " + m_session, "files " + m_session, "tree " + m_session, "ps --all", "profile list"}) {
            const std::string plain = onTerminal(command, "1");
            QVERIFY2(plain.find('\x1b') == std::string::npos, plain.c_str());
            // A line of the log keeps 20 columns for its target, whatever stands beside it.
            const std::size_t limit = command.rfind("log", 0) == 0 ? 120 : 72;
            QVERIFY2(longestLine(plain) <= limit, (command + '\n' + plain).c_str());
        }
        QVERIFY(onTerminal("log " + m_session, "").find("\x1b[31m") != std::string::npos);
        QVERIFY(runner.revet({"log", m_session}).out.find('\x1b') == std::string::npos);
    }

    void removesOldRecords()
    {
        const World world;
        QCOMPARE(world.runner().run("sandbox", {"true"}).status, 0);
        QCOMPARE(world.runner().run("container", {"touch", "changed"}).status, 0);
        const std::string waiting = world.runner().lastSession();
        QTest::qWait(1100);
        QVERIFY(world.runner().list({"prune", "--dry-run"}).empty());
        QVERIFY(world.runner().list({"prune", "--dry-run", "--older-than", "30m"}).empty());
        const auto planned = world.runner().list({"prune", "--dry-run", "--older-than", "1s"});
        QCOMPARE(planned.size(), std::size_t{1});
        REVET_VERIFY_NONE(missing(planned, {"schema", "session", "bytes", "reason", "removed"}));
        QCOMPARE(world.runner().list({"prune", "--older-than", "1s"}).size(), std::size_t{1});
        const auto left = world.runner().list({"ps", "--all"});
        QCOMPARE(left.size(), std::size_t{1});
        QCOMPARE(left[0].value("session", ""), waiting);
    }

private:
    std::unique_ptr<World> m_world;
    std::string m_session;
};

QTEST_APPLESS_MAIN(ReadingTest)
#include "tst_reading.moc"
