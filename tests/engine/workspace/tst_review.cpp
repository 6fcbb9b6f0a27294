// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/review.h"
#include "tests/engine/policy/resource_text.h"
#include "tests/engine/workspace/hand_made_layer.h"

#include <algorithm>

using namespace revet;
using namespace revet::workspace;
using namespace revet::workspace::test;
using revet::test::writeFile;
namespace fs = std::filesystem;

namespace {

/// What is not ordinary: "path: pinned (entry) [key, key]".
std::string told(const HandMadeLayer& layer)
{
    static const auto table = policy::RunLaterTable::parse(resourceText("tables/run-later.toml"));
    LayerChanges source = layer.source();
    const auto items = review(source, HandMadeLayer::opened(layer.lower()).get(), *table);
    if (!items) {
        return toString(items.error());
    }
    std::string text;
    for (const ReviewItem& item : *items) {
        if (!item.runLater.cls) {
            continue;
        }
        text += item.change.path + ": " + std::string(toString(*item.runLater.cls));
        text += item.runLater.isHeld() ? ", held" : "";
        for (const std::string& key : item.runLater.keys) {
            text += " [" + key + ']';
        }
        text += '\n';
    }
    return text;
}

} // namespace

class TestReview : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asksNothingOfOrdinaryWork()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "package.json", R"({"version":"1","scripts":{"test":"jest"}})");
        writeFile(layer.upper() / "package.json", R"({"version":"2","scripts":{"test":"jest"}})");
        writeFile(layer.upper() / "src/main.c", "int main() {}\n");
        QCOMPARE(told(layer), std::string("package.json: checked\n"));
    }

    void holdsWhatRunsLater()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "package.json", R"({"scripts":{"test":"jest"}})");
        writeFile(layer.upper() / "package.json", R"({"scripts":{"test":"evil"}})");
        writeFile(layer.upper() / ".vscode/tasks.json", "{}");
        writeFile(layer.upper() / "node_modules/x/index.js", "x");
        fs::create_symlink("elsewhere", layer.upper() / ".husky");
        QCOMPARE(told(layer),
                 std::string(".husky: pinned, held\n.vscode/tasks.json: pinned, held\n"
                             "node_modules/x: shown\nnode_modules/x/index.js: shown\n"
                             "package.json: checked, held [scripts.test]\n"));
    }

    void judgesAFileThatMovedByBothNames()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "harmless.txt", "evil:\n\trm -rf\n");
        writeFile(layer.upper() / "Makefile", "evil:\n\trm -rf\n");
        layer.whiteOut("harmless.txt");
        writeFile(layer.lower() / "sub/Makefile", "all: x\n");
        writeFile(layer.upper() / "other/Makefile", "all: x\n");
        layer.whiteOut("sub/Makefile");
        QCOMPARE(told(layer),
                 std::string("Makefile: checked, held [the whole file]\nother/Makefile: checked\n"));
    }

    void judgesAFileThatMovedAndWasEditedAsNew()
    {
        const HandMadeLayer layer;
        const std::string rest = "\t# a comment\n\t# another one\n\t# and a third one\n";
        writeFile(layer.lower() / "sub/Makefile", "all: x\n" + rest);
        writeFile(layer.upper() / "other/Makefile", "all: y\n" + rest);
        layer.whiteOut("sub/Makefile");
        LayerChanges source = layer.source();
        QCOMPARE(workspace::test::told(paired(source)),
                 std::string("A other/; R sub/Makefile -> other/Makefile*"));
        QCOMPARE(told(layer), std::string("other/Makefile: checked, held [the whole file]\n"));
    }

    void takesARenameOutOfARepositoryForTwoChanges()
    {
        const HandMadeLayer layer;
        for (const char* const file : {"HEAD", "refs/heads/main", "objects/x"}) {
            writeFile(layer.lower() / "bare" / file, std::string("content of ") + file);
        }
        writeFile(layer.lower() / ".git/refs/heads/topic", "an id");
        layer.whiteOut("bare/refs/heads/main");
        layer.whiteOut(".git/refs/heads/topic");
        writeFile(layer.upper() / "bare/HEAD", "ref: refs/heads/other\n"); // shows what the directory is
        writeFile(layer.upper() / "taken", "content of refs/heads/main");
        writeFile(layer.upper() / "stolen", "an id");
        const auto table = policy::RunLaterTable::parse(resourceText("tables/run-later.toml"));
        LayerChanges source = layer.source();
        const auto reviewed = review(source, HandMadeLayer::opened(layer.lower()).get(), *table);
        REVET_VERIFY(reviewed);
        std::string text;
        for (const ReviewItem& item : *reviewed) {
            text += item.change.path + (item.isInRepository ? " of git" : "")
                + (item.change.kind == Change::Kind::Renamed ? " renamed\n" : "\n");
        }
        QCOMPARE(text,
                 std::string(".git/refs/heads/topic of git\nbare/HEAD of git\nbare/refs/heads/main of "
                             "git\nstolen\ntaken\n"));
    }

    void judgesGitByItsOwnRules()
    {
        const HandMadeLayer layer;
        const std::string config = "[core]\n\tbare = false\n";
        writeFile(layer.lower() / ".git/config", config);
        writeFile(layer.upper() / ".git/config", config + "[user]\n\tname = me\n");
        writeFile(layer.upper() / ".git/objects/aa/bb", "x");
        writeFile(layer.upper() / ".git/index", "x");
        writeFile(layer.upper() / ".git/hooks/pre-commit.sample", "x");
        QCOMPARE(told(layer), std::string());
        writeFile(layer.upper() / ".git/config", config + "[core]\n\tfsmonitor = evil\n");
        writeFile(layer.upper() / ".git/hooks/pre-commit", "x");
        writeFile(layer.upper() / "sub/.git", "gitdir: /tmp/evil\n");
        writeFile(layer.upper() / "module/.git", "gitdir: ../.git/modules/module\n");
        writeFile(layer.upper() / ".git/modules/module/config", "[core]\n\tworktree = ../../../module\n");
        writeFile(layer.upper() / ".git/modules/bad/config", "[core]\n\tworktree = ../../../../evil\n");
        fs::create_symlink("/tmp", layer.upper() / ".git/info");
        const std::string text = told(layer);
        for (const char* const line :
             {".git/hooks/pre-commit: pinned, held\n", "sub/.git: pinned, held\n",
              ".git/info: pinned, held\n", ".git/config: pinned, held [core.fsmonitor",
              ".git/modules/bad/config: pinned, held ["}) {
            QVERIFY2(text.find(line) != std::string::npos, (line + (" is missing in\n" + text)).c_str());
        }
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), 5L);
    }

    void findsRepositoriesByTheirShape()
    {
        const HandMadeLayer layer;
        fs::create_directories(layer.lower() / "half/objects");
        for (const char* const directory : {"bare.git", "half"}) {
            writeFile(layer.upper() / directory / "HEAD", "ref: refs/heads/main\n");
            writeFile(layer.upper() / directory / "refs/x", "");
            writeFile(layer.upper() / directory / "objects/x", "");
            writeFile(layer.upper() / directory / "hooks/post-checkout", "x");
        }
        writeFile(layer.upper() / "innocent/hooks/x", "x");
        const std::string text = told(layer);
        QVERIFY2(text.find("bare.git/hooks/post-checkout: pinned, held") != std::string::npos, text.c_str());
        QVERIFY2(text.find("half/hooks/post-checkout: pinned, held") != std::string::npos, text.c_str());
        QVERIFY2(text.find("innocent") == std::string::npos, text.c_str());
    }

    void knowsARepositoryByItsShapeWhateverChangesInIt()
    {
        const HandMadeLayer layer;
        for (const char* const file : {"HEAD", "refs/x", "objects/x"}) {
            writeFile(layer.lower() / "bare" / file, "x");
        }
        writeFile(layer.upper() / "bare/hooks/update", "x");
        QCOMPARE(told(layer), std::string("bare/hooks/update: pinned, held\n"));
    }

    void letsNothingMakeARepositoryOfWhatLiesThere()
    {
        for (const std::string lying :
             {"hooks/post-checkout", "config", "info/attributes", "objects/info/x"}) {
            const HandMadeLayer layer;
            writeFile(layer.lower() / "lib" / lying, "x");
            for (const char* const file : {"HEAD", "refs/x", "objects/x", "index"}) {
                writeFile(layer.upper() / "lib" / file, "x");
            }
            // All of the shape, so that the next session finds no half of it.
            const std::string objects = lying.starts_with("objects") ? "" : "lib/objects: pinned, held\n";
            QCOMPARE(told(layer),
                     "lib/HEAD: pinned, held\n" + objects
                         + "lib/objects/x: pinned, held\nlib/refs: pinned, held\nlib/refs/x: pinned, held\n");
        }
    }

    void holdsAPointerToWhatIsNoRepositoryByName()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "lib/HEAD", "x");
        for (const auto& [path, target] :
             std::vector<std::pair<std::string, std::string>>{{"a", "../lib"},
                                                              {"b", "../.git/objects/lib"},
                                                              {"c", "../.git/modules/x/../../../lib"},
                                                              {"d", "../.git/modules"},
                                                              {"e", "../.git/modules/x/objects/y"},
                                                              {"f", "../.git/modules/x/"},
                                                              {"fine", "../.git/modules/x"},
                                                              {"third/fine", "../../.git/modules/third/fine"},
                                                              {"tree", "../.git/worktrees/x"}}) {
            writeFile(layer.upper() / path / ".git", "gitdir: " + target + '\n');
        }
        QCOMPARE(told(layer),
                 std::string("a/.git: pinned, held\nb/.git: pinned, held\nc/.git: pinned, held\n"
                             "d/.git: pinned, held\ne/.git: pinned, held\nf/.git: pinned, held\n"));
    }

    void takesTheRootForARepositoryWhereItIsOne()
    {
        const HandMadeLayer layer; // as the repository of a linked work tree is
        fs::create_directories(layer.lower() / "objects");
        fs::create_directories(layer.lower() / "refs");
        writeFile(layer.lower() / "HEAD", "ref: refs/heads/main\n");
        writeFile(layer.upper() / "refs/heads/x", "x");
        writeFile(layer.upper() / "hooks/pre-push", "x");
        QCOMPARE(told(layer), std::string("hooks/pre-push: pinned, held\n"));
    }

    void countsForTheLastLine()
    {
        const HandMadeLayer layer;
        const auto table = policy::RunLaterTable::parse(resourceText("tables/run-later.toml"));
        for (const char* const path : {"a", "d/b", ".envrc", ".git/index"}) {
            writeFile(layer.upper() / path, "x");
        }
        const ChangeCount count = countChanges(*layer.source().changes(), *table);
        QCOMPARE(count.files, std::size_t{3});
        QCOMPARE(count.directories, std::size_t{1});
        QCOMPARE(count.held, std::size_t{1});
        QVERIFY(count.hasRepositoryChanges);
    }
};

QTEST_APPLESS_MAIN(TestReview)
#include "tst_review.moc"
