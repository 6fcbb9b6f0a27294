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
