// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <chrono>
#include <filesystem>
#include <map>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

/// A script of workloads/ and the programs that it needs.
const std::map<std::string, std::vector<std::string>> kWorkloads{
    {"archives", {"tar", "rsync", "zip", "unzip"}},
    {"cmake-ninja", {"cmake", "ninja", "g++"}},
    {"gdb", {"gdb", "gcc"}},
    {"git-basics", {"git"}},
    {"git-remotes", {"git"}},
    {"inotify", {"node"}},
    {"jvm", {"java", "javac"}},
    {"mktemp", {"mktemp"}},
    {"node-http", {"node"}},
    {"npm", {"npm", "node"}},
    {"postgresql", {"psql"}},
    {"python", {"python3", "pytest"}},
    {"renames", {"python3", "perl"}},
    {"sqlite-wal", {"sqlite3", "python3"}},
    {"terminal", {"vim", "htop", "script"}},
    {"zsh", {"zsh"}},
};

std::vector<std::string> names()
{
    std::vector<std::string> result;
    for (const auto& [name, programs] : kWorkloads) {
        result.push_back(name);
    }
    return result;
}

void copyScripts(const World& world)
{
    fs::create_directory(world.project() / "workloads");
    fs::create_directory(world.project() / "work");
    for (const fs::directory_entry& script : fs::directory_iterator(REVET_WORKLOAD_DIRECTORY)) {
        fs::copy_file(script.path(), world.project() / "workloads" / script.path().filename());
    }
}

RunOptions inWork(const World& world)
{
    RunOptions options;
    options.directory = world.project() / "work";
    options.timeout = std::chrono::minutes(5);
    return options;
}

/// The same for both tiers, so it runs once.
const Finished& bareResult(const std::string& name)
{
    static std::map<std::string, Finished> known;
    const auto found = known.find(name);
    if (found != known.end()) {
        return found->second;
    }
    const World world;
    copyScripts(world);
    return known[name] = world.runner().bare({world.project() / "workloads" / (name + ".sh")}, inWork(world));
}

} // namespace

/// What people run gives the same result in a box as without one, with no flag.
class WorkloadsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void givesTheSameResultInABox_data() { addTierRows("workload", names()); }
    void givesTheSameResultInABox()
    {
        const std::string name = fetched("workload");
        for (const std::string& program : kWorkloads.at(name)) {
            REVET_NEEDS_PROGRAM(program);
        }
        const Finished& bare = bareResult(name);
        QVERIFY2(bare.status == 0 && !bare.out.empty(), (bare.out + bare.err).c_str());

        const World world;
        copyScripts(world);
        const Finished box
            = world.runner().run(fetched("tier"), {world.project() / "workloads" / (name + ".sh")},
                                 {"--project", world.project()}, inWork(world));
        QVERIFY2(box.status == 0, (box.out + box.err).c_str());
        QCOMPARE(box.out, bare.out);
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"exec"}, .target = name}));
        QCOMPARE(fs::is_empty(world.project() / "work"), fetched("tier") == "container");
    }

    void renamesDirectoriesThatWereThereBefore_data() { addTierRows(); }
    void renamesDirectoriesThatWereThereBefore()
    {
        const World world;
        const std::string tier = fetched("tier");
        constexpr int kCount = 300;
        for (int number = 0; number < kCount; ++number) {
            writeFile(world.project() / ("old" + std::to_string(number)) / "file", "text");
            fs::create_directory(world.project() / ("old" + std::to_string(number)) / "sub");
        }
        RunOptions options;
        options.timeout = std::chrono::minutes(3);
        const Finished finished
            = world.deed(tier, "rename_storm", {"old", "new", std::to_string(kCount)}, {}, options);
        QCOMPARE(finished.out, "arrived 300 OK\n");
        QCOMPARE(fs::exists(world.project() / "new299/file"), tier == "sandbox");
        QCOMPARE(fs::exists(world.project() / "old0/file"), tier == "container");
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"rename"}, .target = "new299"}));
    }

    void runsSeveralSessionsInOneProjectAtOnce_data() { addTierRows(); }
    void runsSeveralSessionsInOneProjectAtOnce()
    {
        const World world;
        const std::string revet = SessionRunner::program("revet");
        const Finished finished
            = world.runner().bare({"/bin/sh", "-c",
                                   "seq 8 | xargs -P 4 -I{} " + revet + " run --tier " + fetched("tier")
                                       + " -- sh -c 'echo {} > out-{}; cat out-{}' 2>/dev/null | sort"},
                                  {.timeout = std::chrono::minutes(2)});
        QCOMPARE(finished.out, "1\n2\n3\n4\n5\n6\n7\n8\n");
    }

    void bisectsWithASessionPerStep_data() { addTierRows(); }
    void bisectsWithASessionPerStep()
    {
        const World world;
        world.makeRepository();
        world.prepare("for n in 1 2 3 4 5 6 7 8; do echo $n > tracked; git commit -qam c$n; done");
        const std::string revet = SessionRunner::program("revet");
        const Finished finished = world.runner().bare(
            {"/bin/sh", "-c",
             "git bisect start HEAD HEAD~7 >/dev/null && git bisect run " + revet + " run --tier "
                 + fetched("tier")
                 + " -- sh -c 'test $(cat tracked) -lt 5 2>/dev/null || exit 1' >/dev/null 2>&1; "
                 + "git show -s --format=%s refs/bisect/bad"},
            {.timeout = std::chrono::minutes(2)});
        QCOMPARE(finished.out, "c5\n");
    }
};

QTEST_APPLESS_MAIN(WorkloadsTest)
#include "tst_workloads.moc"
