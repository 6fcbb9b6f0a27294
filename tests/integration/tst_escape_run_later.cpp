// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <filesystem>

using namespace revet::test;

/// SECURITY.md E010 and E012: files that make the host run code cannot come to be, and names that share their
/// inode with a file elsewhere do not reach it.
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
