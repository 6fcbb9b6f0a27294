// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <filesystem>

using namespace revet::test;

/// SECURITY.md E010, E011 and E012: files that make the host run code cannot come to be, links lead nobody
/// into files that a box wrote elsewhere, and names that share their inode with a file elsewhere do not reach
/// it.
class EscapeRunLaterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void makesNoPinnedFileThatWasMissing_data()
    {
        addTierRows("path",
                    {".claude/settings.json", ".codex/config.toml", ".envrc", ".vscode/tasks.json",
                     ".github/workflows/build.yml", ".devcontainer/devcontainer.json",
                     "deep/er/.vscode/tasks.json"});
    }
    void makesNoPinnedFileThatWasMissing()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::string path = fetched("path");

        const Finished finished = world.deed(tier, "create_missing", {"all", path});
        QVERIFY(!std::filesystem::exists(std::filesystem::symlink_status(world.project() / path)));
        if (tier == "container") {
            QCOMPARE(differences({}, snapshot(world.project())), "");
            REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"contained"}, .target = path}));
        } else {
            // An exchange finds nothing to exchange with; a name without a parent cannot come by its parent.
            REVET_VERIFY_NONE(otherThan(finished, {"EACCES", "EROFS", "ENOENT", "EOPNOTSUPP"}));
            REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"denied"}, .target = path}));
        }
    }

    /// The project lies in a directory of the private home, as most do in one of the home.
    void movesNothingAboveTheProject()
    {
        const World world;
        RunOptions options;
        options.directory = world.home().home() / "src/deep/project";
        std::filesystem::create_directories(options.directory);
        for (const char* const name : {".envrc", "ordinary"}) {
            const Finished finished
                = world.deed("sandbox", "move_above", {name}, {"--bind-ro", world.project()}, options);
            REVET_VERIFY_NONE(otherThan(finished, {"EBUSY", "EROFS"}));
        }
        QVERIFY(!std::filesystem::exists(options.directory / ".envrc"));
        QVERIFY(std::filesystem::exists(options.directory / "ordinary"));
        QVERIFY(std::filesystem::is_directory(world.home().home() / "src/deep"));
    }

    void makesNoPinnedFileThroughALinkedParent_data() { addTierRows(); }
    void makesNoPinnedFileThroughALinkedParent()
    {
        const World world;
        const std::string tier = fetched("tier");
        std::filesystem::create_directory(world.project() / ".vscode");
        std::filesystem::create_symlink(".vscode", world.project() / "looks-harmless");

        const Finished finished = world.deed(tier, "create_missing", {"open", "looks-harmless/tasks.json"});
        QCOMPARE(finished.status, tier == "container" ? 0 : 1);
        QVERIFY(!std::filesystem::exists(world.project() / ".vscode/tasks.json"));
        REVET_VERIFY_NONE(missingEvent(
            world, {.verdicts = {tier == "container" ? "contained" : "denied"}, .target = "tasks.json"}));
    }

    void replacesNoPinnedDirectoryAsAWhole_data()
    {
        QTest::addColumn<QString>("script");
        const std::string plant = "echo evil > $D/x; chmod +x $D/x; ";
        const auto row = [&plant](const char* name, const std::string& before, const std::string& after) {
            QTest::newRow(name) << QString::fromStdString(before + plant + after);
        };
        row("out through a gitdir", "mkdir -p .git/n/_; D=.git/n/_; ",
            "mv .husky .git/old; mv .git/n .husky");
        row("in through a gitdir", "mkdir -p .git/n; D=.git/n; ", "mv .git/n .vscode");
        row("through a short name", "mkdir -p git~1/n; D=git~1/n; ",
            "mv .husky git~1/old; mv git~1/n .husky");
        row("nested", "mkdir -p .git/n/.github/workflows; D=.git/n/.github/workflows; ",
            "mv .git/n/.github .github; mv .git/n/.github/workflows .github/workflows");
        row("dependencies renamed", "mkdir -p vendor/.vscode; D=vendor/.vscode; ", "mv vendor foo");
        row("modules renamed", "mkdir -p a/node_modules/.vscode; D=a/node_modules/.vscode; ",
            "mv a/node_modules a/n");
    }
    void replacesNoPinnedDirectoryAsAWhole()
    {
        const World world;
        world.makeRepository();
        writeFile(world.project() / ".husky/_/pre-commit", "host\n");
        static_cast<void>(world.runner().runScript("sandbox", fetched("script")));
        QCOMPARE(readFile(world.project() / ".husky/_/pre-commit"), "host\n");
        for (const char* const made : {".husky/_/x", ".vscode", "foo", "a/n", ".github/workflows"}) {
            QVERIFY2(!std::filesystem::exists(world.project() / made), made);
        }
        REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"denied"}, .target = world.project()}));
    }

    void changesNothingThatTheHostsConfigurationRuns_data()
    {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("path");
        const auto row = [](const char* name, const char* host, const char* path) {
            QTest::newRow(name) << QString::fromLatin1(host) << QString::fromLatin1(path);
        };
        row("hooks", "git config core.hooksPath scripts/hooks", "scripts/hooks/pre-commit");
        row("hooks by the user", "git config --global core.hooksPath my-hooks", "my-hooks/pre-commit");
        row("an include", "git config include.path ../shared.gitconfig", "shared.gitconfig");
        row("named by an include", "git config include.path ../team; git config -f team core.hooksPath h",
            "h/pre-push");
        row("a monitor", "git config core.fsmonitor tools/monitor", "tools/monitor");
        row("a filter", "mkdir tools; echo > tools/clean; git config filter.x.clean \"tools/clean %f\"",
            "tools/clean");
        row("a linked hook", "ln -s ../../scripts/pre-push .git/hooks/pre-push", "scripts/pre-push");
        row("linked hooks", "rm -rf .git/hooks; ln -s ../scripts .git/hooks", "scripts/post-commit");
        row("a linked .envrc", "mkdir envs; ln -s mid .envrc; ln -s envs/dev mid", "envs/dev");
        row("a linked folder", "mkdir vs; ln -s vs .vscode", "vs/tasks.json");
        row("a nested repository", "git init -q deep/nested", "deep/nested/.pre-commit-config.yaml");
    }
    void changesNothingThatTheHostsConfigurationRuns()
    {
        const World world;
        world.makeRepository();
        world.prepare(fetched("host"));
        const std::string path = fetched("path");
        const bool wasThere = std::filesystem::exists(world.project() / path);
        const std::string script = "mkdir -p $(dirname " + path + "); echo evil > " + path
            + "; mkdir fresh; echo evil > fresh/" + std::filesystem::path(path).filename().string()
            + "; mv fresh/* " + path + "; rm -f $(dirname " + path + ") && mv fresh $(dirname " + path
            + "); echo ordinary > ordinary";
        static_cast<void>(world.runner().runScript("sandbox", script));
        QCOMPARE(std::filesystem::exists(world.project() / path), wasThere);
        QVERIFY(!wasThere || readFile(world.project() / path).find("evil") == std::string::npos);
        QVERIFY(std::filesystem::exists(world.project() / "ordinary"));
        // The file itself, or the directory that should have held it.
        REVET_VERIFY_NONE(missingEvent(world, {.verdicts = {"denied"}}));
    }

    void leavesCheckedAndShownFilesFree_data() { addTierRows(); }
    void leavesCheckedAndShownFilesFree()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::vector<std::string> names{
            "package.json",   "Makefile", "CMakeLists.txt", "thing_test.go", "node_modules/a/index.js",
            ".venv/bin/tool", "setup.py"};
        std::string script;
        for (const std::string& name : names) {
            script += "mkdir -p $(dirname " + name + ") && echo text > " + name + " && ";
        }
        const Finished finished = world.runner().runScript(tier, script + "true");
        QVERIFY2(finished.status == 0, finished.err.c_str());
        for (const std::string& name : names) {
            QCOMPARE(std::filesystem::exists(world.project() / name), tier == "sandbox");
        }
        REVET_VERIFY_NONE(missingEvents(
            world, {.kinds = {"create"}, .verdicts = {tier == "container" ? "contained" : "permitted"}},
            names));
    }

    void leadsNobodyIntoWhatABoxWroteElsewhere_data() { addTierRows("place", {"home", "cache", "layer"}); }
    void leadsNobodyIntoWhatABoxWroteElsewhere()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::string place = fetched("place");
        if (place == "layer" && tier != "container") {
            QSKIP("only a container has a layer");
        }
        writeFile(world.project() / "package.json", "{}\n");
        std::filesystem::create_directory(world.home().home() / ".npm");
        const std::map<std::string, std::string> written{
            {"home", "$HOME/trap"}, {"cache", "$HOME/.npm/trap"}, {"layer", "trap"}};
        const Finished wrote = world.runner().runScript(tier, "echo x > \"" + written.at(place) + '"');
        QVERIFY2(wrote.status == 0, wrote.err.c_str());

        const std::filesystem::path data = world.home().dataHome() / "revet";
        const std::map<std::string, std::filesystem::path> hosts{
            {"home", data / "projects/1/closed/home"},
            {"cache", data / "projects/1/caches/~%.npm/closed/upper"},
            {"layer", data / "sessions" / world.runner().lastSession() / "layer/closed/upper"}};
        // A box knows the place of its home from /proc/self/mountinfo, and can work out the others.
        const Finished linked = world.runner().runScript(
            "sandbox",
            "ln -s '" + hosts.at(place).string() + "' direct && ln -s \"$(realpath -ms --relative-to=. '"
                + hosts.at(place).string() + "')\" relative; ls -d direct relative; test -L direct");
        QVERIFY2(linked.status == 0, linked.err.c_str());
        std::error_code error;
        for (const char* const link : {"direct", "relative"}) {
            QVERIFY(std::filesystem::is_symlink(world.project() / link));
            QVERIFY(!std::filesystem::exists(world.project() / link / "trap", error));
            QVERIFY(error == std::errc::permission_denied);
        }
        // It is there, and this is what keeps everybody out.
        std::filesystem::permissions(hosts.at(place).parent_path(), std::filesystem::perms::owner_all);
        for (const char* const link : {"direct", "relative"}) {
            QVERIFY(std::filesystem::exists(world.project() / link / "trap"));
        }
        // The next session makes good for one that was killed before it had closed it; not while the one
        // before still has the cache.
        bool isOpen = place != "layer";
        for (int i = 0; i < 50 && isOpen; ++i) {
            QCOMPARE(world.runner().run(tier, {"/bin/true"}).status, 0);
            isOpen = std::filesystem::exists(world.project() / "direct/trap", error);
        }
        QVERIFY(!isOpen);
    }

    void doesNotWriteThroughAHardLinkThatLeadsOutside_data() { addTierRows(); }
    void doesNotWriteThroughAHardLinkThatLeadsOutside()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::filesystem::path outside = world.home().home() / "outside.txt";
        writeFile(outside, "precious\n");
        std::filesystem::create_hard_link(outside, world.project() / "linked");
        std::filesystem::permissions(outside, std::filesystem::perms(0644));

        const Finished finished = world.deed(tier, "hard_link_through", {"linked", outside});
        QVERIFY2(!finished.out.empty(), finished.err.c_str());
        QCOMPARE(readFile(outside), "precious\n");
        QCOMPARE(std::filesystem::status(outside).permissions(), std::filesystem::perms(0644));
        const Results results = resultsOf(finished);
        QCOMPARE(results.at("new-link"), "ENOENT");
        QCOMPARE(results.at("new-link-follow"), "ENOENT");
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"write", "chmod"}, .target = "linked"}));
    }
};

QTEST_APPLESS_MAIN(EscapeRunLaterTest)
#include "tst_escape_run_later.moc"
