// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <sstream>

using namespace revet::test;

namespace {

/// Deeds whose plant git cannot fire alone; that they are refused is all there is to see.
constexpr std::array<std::string_view, 2> kSilent{"info-attributes", "objects-alternates"};
/// Deeds of which a part is ordinary work and is let through; the payload must come to nothing all the same.
constexpr std::array<std::string_view, 2> kDefused{"config-late-write", "config-late-mapping"};

/// Files that are judged when they are closed: the writer is told nothing, the repository never gets them.
constexpr std::array<std::string_view, 3> kJudgedWhenClosed{"config-worktree", "objects-alternates",
                                                            "embedded-bare-late"};
/// Deeds that a layer cannot do: a second name for a lower file, two lower directories exchanged (EXDEV).
constexpr std::array<std::string_view, 3> kNotInALayer{"config-hard-link", "hooks-exchange",
                                                       "repository-exchanged"};

template<std::size_t Count>
bool isOneOf(const std::array<std::string_view, Count>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> deeds()
{
    const World world;
    std::istringstream list(world.bareDeed("plant_hook", {"list"}).out);
    std::vector<std::string> names;
    for (std::string name; std::getline(list, name);) {
        names.push_back(name);
    }
    return names;
}

/// What a person and their tools do later, in the repository and in everything that looks like one below it.
void useGitOnTheHost(const World& world)
{
    const std::string script
        = "for d in . */; do (cd \"$d\" && git status; echo later > later; git add later; git diff HEAD; "
          "git -c user.name=T -c user.email=t@example.org commit -q --allow-empty -m later); done";
    static_cast<void>(world.runner().bare({"/bin/sh", "-c", script}));
}

} // namespace

/// SECURITY.md E003 and E065: nothing that a box leaves in a repository runs when the host uses git.
class EscapeGitTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        REVET_NEEDS_PROGRAM("git");
    }

    void firesWithoutABox_data()
    {
        QTest::addColumn<QString>("deed");
        for (const std::string& deed : deeds()) {
            if (!isOneOf(kSilent, deed)) {
                QTest::newRow(deed.c_str()) << QString::fromStdString(deed);
            }
        }
    }
    void firesWithoutABox()
    {
        const World world;
        world.makeRepository();
        const std::filesystem::path canary = world.home().home() / "fired";
        QCOMPARE(world.bareDeed("plant_hook", {fetched("deed"), canary}).status, 0);
        useGitOnTheHost(world);
        QVERIFY(std::filesystem::exists(canary));
    }

    void plantsNothingThatTheHostsGitRuns_data() { addTierRows("deed", deeds()); }
    void plantsNothingThatTheHostsGitRuns()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::string deed = fetched("deed");
        world.makeRepository();
        const std::filesystem::path canary = world.home().home() / "fired";
        const Snapshot before = snapshot(world.project());

        const Finished finished = world.deed(tier, "plant_hook", {deed, canary});
        if (tier == "container") {
            QVERIFY2(finished.status == (isOneOf(kNotInALayer, deed) ? 1 : 0),
                     (finished.out + finished.err).c_str());
            QCOMPARE(differences(before, snapshot(world.project())), "");
            std::vector<std::string> verdicts{"contained"};
            if (isOneOf(kNotInALayer, deed)) {
                verdicts.emplace_back("failed"); // of the parts that a layer can do, or of the one it cannot
            }
            REVET_VERIFY_NONE(missingEvent(world, {.verdicts = verdicts, .target = world.project()}));
        } else if (isOneOf(kDefused, deed)) {
            QCOMPARE(finished.status, 0);
        } else {
            const int wanted = isOneOf(kJudgedWhenClosed, deed) ? 0 : 1;
            QVERIFY2(finished.status == wanted, (finished.out + finished.err).c_str());
            QVERIFY(!std::filesystem::exists(world.project() / ".git/config.worktree"));
            QVERIFY(!std::filesystem::exists(world.project() / ".git/objects/info/alternates"));
            REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"denied"}, .target = world.project()}));
        }
        useGitOnTheHost(world);
        QVERIFY(!std::filesystem::exists(canary));
    }

    void keepsTheConfigurationFromBeingEmptied_data()
    {
        QTest::addColumn<QString>("script");
        QTest::newRow("by a rename") << QStringLiteral(": > empty; mv -f empty .git/config");
        QTest::newRow("by a lock file")
            << QStringLiteral(": > .git/config.lock; mv -f .git/config.lock .git/config");
        QTest::newRow("by an open") << QStringLiteral(": > .git/config");
        QTest::newRow("by truncate") << QStringLiteral("truncate -s 0 .git/config");
        QTest::newRow("by a removal") << QStringLiteral("rm -f .git/config");
    }
    void keepsTheConfigurationFromBeingEmptied()
    {
        const World world;
        world.makeRepository();
        const std::string before = readFile(world.project() / ".git/config");
        static_cast<void>(world.runner().runScript("sandbox", fetched("script")));
        QCOMPARE(readFile(world.project() / ".git/config"), before);
        REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"denied"}, .target = ".git/config"}));
    }

    void tellsWhatAnUnfinishedRebaseWouldRun_data()
    {
        QTest::addColumn<QString>("repository");
        QTest::newRow("the project") << QStringLiteral(".");
        QTest::newRow("a nested repository") << QStringLiteral("deep/nested");
        QTest::newRow("a linked worktree") << QStringLiteral("linked");
        QTest::newRow("a submodule") << QStringLiteral("sub");
    }
    void tellsWhatAnUnfinishedRebaseWouldRun()
    {
        const World world;
        const std::string repository = fetched("repository");
        world.makeRepository();
        world.prepare("git clone -q . deep/nested; git worktree add -q linked; "
                      "git -c protocol.file.allow=always submodule -q add \"$PWD/deep/nested\" sub; "
                      "git -c user.name=T -c user.email=t@example.org commit -q -m sub");
        const std::string canary = world.home().home() / "fired";
        const std::string rebase = "cd " + repository + "; GIT_SEQUENCE_EDITOR='printf \"break\\nexec touch "
            + canary + "\\n\" >' git -c user.name=T -c user.email=t@example.org rebase -q -i --root";

        const Finished finished = world.runner().runScript("sandbox", rebase);
        QVERIFY2(finished.status == 0, finished.err.c_str());
        QVERIFY2(finished.err.find("an unfinished rebase would run 'touch " + canary) != std::string::npos,
                 finished.err.c_str());
        const auto rows = world.runner().lastEvents();
        QVERIFY(std::any_of(rows.begin(), rows.end(), [&](const nlohmann::json& row) {
            return row.value("rule", "").find("would run: touch " + canary) != std::string::npos
                && row.value("target", "").ends_with("/rebase-merge/git-rebase-todo");
        }));
        // What was there before is the person's own.
        const Finished next = world.runner().run("sandbox", {"/bin/true"});
        QVERIFY2(next.err.find("rebase") == std::string::npos, next.err.c_str());
        // And this is what they are warned of.
        QVERIFY(!std::filesystem::exists(canary));
        world.prepare("cd " + repository + "; git rebase --continue");
        QVERIFY(std::filesystem::exists(canary));
    }

    void tellsWhichStrategyAnUnfinishedRebaseWouldRun()
    {
        const World world;
        world.makeRepository();
        const Finished finished = world.runner().runScript(
            "sandbox", "mkdir .git/rebase-merge; echo x/evil > .git/rebase-merge/strategy");
        QVERIFY2(finished.err.find("would run git-merge-x/evil") != std::string::npos, finished.err.c_str());
    }

    void leadsNoWorkTreeOut()
    {
        const World world;
        world.makeRepository();
        world.prepare("git clone -q . ../lib; git -c protocol.file.allow=always submodule -q add "
                      "\"$PWD/../lib\" host; rm -rf w");
        static_cast<void>(world.runner().runScript(
            "sandbox",
            "mkdir w; git config core.worktree ../w; rm -rf w; ln -s \"$HOME\" w; rm -rf host; ln -s / host; "
            "mkdir d; ln -s / d/host; mv d/host host"));
        QVERIFY(readFile(world.project() / ".git/config").find("worktree") == std::string::npos);
        QVERIFY(!std::filesystem::is_symlink(world.project() / "host"));
    }

    void addsAndUpdatesSubmodulesInTheBox()
    {
        const World world;
        world.makeRepository();
        const Finished finished = world.runner().runScript(
            "sandbox",
            "set -e; git clone -q . lib; git -c protocol.file.allow=always submodule -q add \"$PWD/lib\" "
            "a/sub; "
            "git -c user.name=T -c user.email=t@example.org commit -q -m sub; "
            "git -c protocol.file.allow=always submodule -q update --init; git -C a/sub status -s; "
            "git worktree add -q linked; git -C linked status -s; git worktree remove linked; "
            "git submodule -q deinit -f a/sub; git -c protocol.file.allow=always submodule -q update --init");
        QVERIFY2(finished.status == 0, finished.err.c_str());
        QVERIFY(std::filesystem::exists(world.project() / "a/sub/.git"));
    }

    void finishesARebaseWithCommandsInTheBox()
    {
        const World world;
        world.makeRepository();
        const Finished finished = world.runner().runScript(
            "sandbox",
            "git -c user.name=T -c user.email=t@example.org rebase -q --root -x 'echo ran >> ran'; cat ran");
        QVERIFY2(finished.status == 0 && finished.out == "ran\n", finished.err.c_str());
        QVERIFY2(finished.err.find("rebase") == std::string::npos, finished.err.c_str());
    }

    void tellsWhatChangedInRepositories_data() { addTierRows(); }
    void tellsWhatChangedInRepositories()
    {
        const World world;
        const std::string tier = fetched("tier");
        world.makeRepository();
        const Finished finished
            = world.runner().runScript(tier, "git config user.name Somebody; git init -q inner; git status");
        QVERIFY2(finished.status == 0, finished.err.c_str());
        const std::vector<std::pair<std::string, std::string>> wanted{
            {world.project() / ".git/config", "git: changed since the start"},
            {world.project() / "inner/.git", "git: a repository that is new since the start"}};
        const auto rows = world.runner().lastEvents();
        for (const auto& [target, rule] : wanted) {
            const nlohmann::json pattern{{"kind", "session"}, {"target", target}, {"rule", rule}};
            QCOMPARE(matching(rows, pattern).size(), std::size_t{tier == "sandbox" ? 1U : 0U});
        }
    }

    void keepsAProtectedFileWhenItsParentsAreMoved_data()
    {
        addTierRows("path", {".git/hooks/pre-commit", ".vscode/tasks.json", ".github/workflows/build.yml"});
    }
    void keepsAProtectedFileWhenItsParentsAreMoved()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::string path = fetched("path");
        world.makeRepository();
        writeFile(world.project() / path, "original\n");

        const Finished finished = world.deed(tier, "rename_parent", {path});
        QVERIFY2(!finished.timedOut && finished.status <= 1, finished.err.c_str());
        // A repository may be moved as a whole, and is protected where it goes by its shape.
        std::filesystem::path kept = world.project() / path;
        for (const std::string aside : {".git-aside", ".git-aside2"}) {
            const std::filesystem::path moved = world.project() / aside / "hooks/pre-commit";
            if (path.rfind(".git/", 0) == 0 && std::filesystem::exists(moved)) {
                QVERIFY(!std::filesystem::exists(kept));
                kept = moved;
            }
        }
        QVERIFY(std::filesystem::exists(kept));
        QCOMPARE(readFile(kept), "original\n");
        REVET_VERIFY_NONE(missingEvent(
            world,
            {.verdicts = {tier == "container" ? "contained" : "denied"}, .target = path.substr(0, 4)}));
    }
};

QTEST_APPLESS_MAIN(EscapeGitTest)
#include "tst_escape_git.moc"
