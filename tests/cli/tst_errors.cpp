// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> wordsOf(const std::string& line)
{
    std::vector<std::string> words;
    for (const QString& word : QString::fromStdString(line).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        words.push_back(word.toStdString());
    }
    return words;
}

/// Runs argv[1:] under a seccomp filter that permits everything.
constexpr const char* kFiltered = R"(
import ctypes, os, struct, sys
permit = ctypes.create_string_buffer(struct.pack('HBBI', 6, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', 1, ctypes.addressof(permit)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
)";

/// Why an error is not what the contract says; empty when it is.
std::string whatIsAmiss(const Finished& finished, int status, const std::string& text)
{
    const bool isOneLine = std::count(finished.err.begin(), finished.err.end(), '\n') == 1;
    const bool isRight = finished.status == status && finished.err.rfind("revet: ", 0) == 0 && isOneLine
        && finished.err.find(text) != std::string::npos;
    return isRight ? "" : std::to_string(finished.status) + ": " + finished.err;
}

} // namespace

/// What goes wrong is said in one line: what, why, and what to do.
class ErrorsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        REVET_NEEDS_PROGRAM("python3");
    }

    void saysWhenItStoppedNothing()
    {
        const World world;
        QCOMPARE(world.runner().run("container", {"sleep", "300"}, {"--name", "it", "--detach"}).status, 0);
        // Whoever runs under a filter may be a box, and is hung up on.
        const Finished stranger = world.runner().bare(
            {"/usr/bin/python3", "-c", kFiltered, SessionRunner::program("revet"), "stop", "it"});
        QCOMPARE(whatIsAmiss(stranger, 5, "it hung up and still runs"), std::string());
        QCOMPARE(world.runner().list({"ps"}).size(), std::size_t{1});
        QCOMPARE(world.runner().revet({"stop", "it"}).status, 0);
    }

    void helpsWithWhatWasMistyped_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* line, int status, const char* text) {
            QTest::newRow(line) << QString::fromLatin1(line) << status << QString::fromLatin1(text);
        };
        row("rnu -- true", 2, "did you mean 'run'?");
        row("--josn", 2, "unknown option '--josn'");
        row("run --teir sandbox -- true", 125, "did you mean '--tier'?");
        row("run --tier sandbx -- true", 125, "the tiers are host, sandbox,");
        row("log --verdict deny", 2, "the verdicts are permitted, contained, withheld,");
        row("log --kind reads", 2, "the kinds are session, exec,");
        row("project sett tier=sandbox", 2, "did you mean 'set'?");
        row("profile shw", 2, "did you mean 'show'?");
        row("project trust", 3, "there is nothing to trust");
        row("run --bind-ro /no/such -- true", 125, "name a path that exists");
        row("run --unhide /etc/passwd -- true", 125, "it is not in the project");
        row("run --tier vm -- true", 125, "use the tier vm: not built in this version; ");
        row("log zzzzzz", 3, "`revet ps --all` lists all sessions");
        row("files", 3, "`revet run -- COMMAND` starts one");
        row("stop", 3, "find a session that runs in");
    }
    void helpsWithWhatWasMistyped()
    {
        QFETCH(int, status);
        const World world;
        REVET_VERIFY_NONE(
            whatIsAmiss(world.runner().revet(wordsOf(fetched("line"))), status, fetched("text")));
    }

    void saysWhyACommandCannotBeExecuted_data() { addTierRows(); }
    void saysWhyACommandCannotBeExecuted()
    {
        const World world;
        const fs::path elsewhere = world.home().root() / "elsewhere";
        writeFile(elsewhere / "tool", "#!/bin/sh\n");
        fs::permissions(elsewhere / "tool", fs::perms::owner_all);
        writeFile(world.project() / "text", "text");
        const auto run = [&](const std::string& command) {
            RunOptions options;
            options.environment = {{"PATH", "/usr/bin:/bin:" + elsewhere.string()}};
            return world.runner().run(fetched("tier"), {command}, {}, options);
        };
        REVET_VERIFY_NONE(whatIsAmiss(run("no-such"), 127, "check its name"));
        REVET_VERIFY_NONE(whatIsAmiss(run("./no-such"), 127, "check its path"));
        REVET_VERIFY_NONE(whatIsAmiss(run("tool"), 127, (elsewhere / "tool").string()));
        REVET_VERIFY_NONE(whatIsAmiss(run("./text"), 126, "make it executable"));
        REVET_VERIFY_NONE(whatIsAmiss(run("/usr"), 126, "it is a directory"));
    }

    void namesTheDirectoryThatItCannotUse_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("status");
        QTest::addRow("run") << QStringLiteral("run -- true") << 125;
        QTest::addRow("ps") << QStringLiteral("ps") << 1;
    }
    void namesTheDirectoryThatItCannotUse()
    {
        QFETCH(int, status);
        const World world;
        const fs::path closed = world.home().root() / "closed";
        fs::create_directory(closed);
        fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
        RunOptions options;
        options.environment = {{"XDG_DATA_HOME", closed.string()}};
        REVET_VERIFY_NONE(whatIsAmiss(world.runner().revet(wordsOf(fetched("line")), options), status,
                                      closed.string() + "/revet: Permission denied; "));
        fs::permissions(closed, fs::perms::owner_all);
        fs::create_directory(closed / "revet");
        ::chmod((closed / "revet").c_str(), 0755);
        const int refused = status == 1 ? 5 : status;
        REVET_VERIFY_NONE(
            whatIsAmiss(world.runner().revet(wordsOf(fetched("line")), options), refused, "mode 0700"));
    }

    void refusesWhatHoldsTheHome()
    {
        const World world;
        const auto in = [&](const fs::path& directory) {
            RunOptions options;
            options.directory = directory;
            return world.runner().revet({"run", "--", "true"}, options);
        };
        REVET_VERIFY_NONE(whatIsAmiss(in("/"), 125, "choose a directory of your work"));
        REVET_VERIFY_NONE(whatIsAmiss(in(world.home().home()), 125, "it holds your home directory"));
    }

    void takesTheDirectoryItselfBelowARepositoryOfDotfiles()
    {
        const World world;
        fs::create_directory(world.home().home() / ".git");
        const Finished finished = world.runner().run("sandbox", {"true"});
        QVERIFY2(finished.status == 0, finished.err.c_str());
        QCOMPARE(world.runner().list({"ps", "--all"}).front().value("project", ""), world.project().string());
    }

    void saysThatTheCurrentDirectoryHasGone()
    {
        const World world;
        const std::string revet = SessionRunner::program("revet");
        for (const auto& [line, status] : std::vector<std::pair<std::string, int>>{
                 {"run -- true", 125}, {"log", 3}, {"files", 3}, {"project", 2}}) {
            const Finished finished = world.runner().bare(
                {"/bin/bash", "-c", "mkdir gone; cd gone; rmdir ../gone; " + revet + ' ' + line});
            REVET_VERIFY_NONE(whatIsAmiss(finished, status, "find the current directory: "));
        }
    }

    void refusesToStartOnADiskThatIsNearlyFull_data()
    {
        QTest::addColumn<int>("kilobytes");
        QTest::addColumn<int>("status");
        for (const int kilobytes : {64, 200, 400, 600, 2000, 15'000}) {
            QTest::addRow("%d KiB", kilobytes) << kilobytes << 125;
        }
        QTest::newRow("room enough") << 64'000 << 0;
    }
    void refusesToStartOnADiskThatIsNearlyFull()
    {
        QFETCH(int, kilobytes);
        QFETCH(int, status);
        constexpr const char* kScript
            = "mkdir data; mount -t tmpfs -o size=$2k tmpfs data || { echo cannot mount >&2; exit 0; }; "
              "export XDG_DATA_HOME=$PWD/data; cd project; \"$1\" run --tier sandbox -- true";
        const World world;
        const Finished finished = world.runner().bare(
            {"/usr/bin/unshare", "--user", "--map-current-user", "--mount", "--keep-caps", "/bin/bash", "-c",
             kScript, "bash", SessionRunner::program("revet"), std::to_string(kilobytes)},
            {.directory = world.home().home()});
        if (finished.err.find("cannot mount") != std::string::npos) {
            QSKIP("no file system can be mounted here");
        }
        const bool tells = finished.err.find("the disk is full") != std::string::npos
            || finished.err.find("No space left on device") != std::string::npos;
        QVERIFY2(finished.status == status && tells == (status != 0)
                     && finished.err.find("something outside") == std::string::npos,
                 (std::to_string(finished.status) + finished.err).c_str());
    }
};

QTEST_APPLESS_MAIN(ErrorsTest)
#include "tst_errors.moc"
