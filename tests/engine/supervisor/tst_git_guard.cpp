// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/supervisor/broker_bench.h"

#include <QTest>

using namespace revet;
using namespace revet::test;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
constexpr std::string_view kEvil = "[core]\n\tfsmonitor = /tmp/evil\n";

/// A repository as the host has it.
void makeRepository(const fs::path& gitdir)
{
    writeFile(gitdir / "HEAD", "ref: refs/heads/main\n");
    writeFile(gitdir / "config", kConfig);
    writeFile(gitdir / "hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    writeFile(gitdir / "hooks/pre-push.sample", "sample");
    fs::create_directories(gitdir / "objects/info");
    fs::create_directories(gitdir / "refs/heads");
    fs::create_directories(gitdir / "info");
}

} // namespace

class TestGitGuard : public QObject
{
    Q_OBJECT

private:
    /// As git changes its configuration: a lock, then a rename.
    static int configure(BrokerBench& bench, const std::string& config, std::string_view content)
    {
        const int error = bench.write(config + ".lock", content, O_CREAT | O_EXCL);
        return error != 0 ? error
                          : bench.error(twoPaths(Operation::Rename, at(config + ".lock"), at(config)));
    }
    static void makeDirectories(BrokerBench& bench, std::initializer_list<const char*> paths)
    {
        for (const char* path : paths) {
            QCOMPARE(bench.error(withMode(Operation::MakeDirectory, at(path), 0777)), 0);
        }
    }
    static void expectRefusal(BrokerBench& bench, const Call& made)
    {
        static_cast<void>(bench.facts.take());
        const Seen seen = bench.run(made);
        const std::string what = made.path.path + " -> " + made.second.path;
        QVERIFY2(seen.error == EACCES && !seen.wasLeftToKernel, what.c_str());
        const auto facts = bench.facts.take();
        QVERIFY2(facts.size() == 1 && facts[0].verdict == Verdict::Denied
                     && facts[0].rule.starts_with("git: "),
                 what.c_str());
    }

private Q_SLOTS:
    void refusesDeedsOnProtectedEntries()
    {
        for (const std::string gitdir : {".git", "sub/.git", ".git/modules/lib", "bare.repo"}) {
            BrokerBench bench;
            makeRepository(bench.project() / gitdir);
            writeFile(bench.project() / "evil", kEvil);
            fs::create_directory(bench.project() / "dir");
            writeFile(bench.project() / "dir/pre-commit", "evil");
            fs::create_symlink(gitdir + "/hooks", bench.project() / "alias");
            const auto in = [&](const std::string& name) { return at(gitdir + '/' + name); };
            const std::vector<Call> deeds = {
                opening(in("config"), O_WRONLY | O_APPEND),
                opening(in("config"), O_WRONLY | O_CREAT | O_TRUNC, 0666),
                opening(in("config"), O_RDONLY | O_TRUNC),
                opening(in("hooks/pre-commit"), O_RDWR),
                opening(in("hooks/post-commit"), O_WRONLY | O_CREAT, 0777),
                opening(at("alias/post-commit"), O_WRONLY | O_CREAT, 0777),
                opening(in("info/attributes"), O_WRONLY | O_CREAT, 0666),
                opening(in("commondir"), O_WRONLY | O_CREAT | O_EXCL, 0666),
                call(Operation::Remove, in("config")),
                call(Operation::Remove, in("hooks/pre-commit")),
                withMode(Operation::ChangeMode, in("hooks/pre-commit"), 0777),
                twoPaths(Operation::Rename, in("hooks/pre-push.sample"), in("hooks/pre-push")),
                twoPaths(Operation::Rename, in("config"), at("c")),
                twoPaths(Operation::Rename, at("evil"), in("config")),
                twoPaths(Operation::Rename, at("evil"), in("config"), RENAME_EXCHANGE),
                twoPaths(Operation::Rename, at("evil"), in("hooks/post-merge")),
                twoPaths(Operation::Rename, in("hooks"), at("h")),
                twoPaths(Operation::Rename, at("dir"), in("hooks"), RENAME_EXCHANGE),
                twoPaths(Operation::MakeLink, in("config"), at("c")),
                twoPaths(Operation::MakeLink, in("hooks/pre-commit"), at("c")),
                twoPaths(Operation::MakeLink, at("evil"), in("hooks/x")),
                symlinking("/tmp/x", in("hooks/x")),
                symlinking("/tmp/x", in("config.worktree")),
                symlinking("../../dir", in("modules")),
                withMode(Operation::MakeNode, in("hooks/x"), S_IFREG | 0777),
            };
            for (const Call& deed : deeds) {
                // commondir is not refused, but judged when it is closed: it must not stay.
                if (deed.path.path.ends_with("commondir")) {
                    static_cast<void>(bench.write(deed.path.path, "../../dir", O_CREAT));
                    bench.settle();
                    QVERIFY(!fs::exists(bench.project() / gitdir / "commondir"));
                    continue;
                }
                expectRefusal(bench, deed);
            }
            QCOMPARE(readFile(bench.project() / gitdir / "config"), std::string(kConfig));
            QVERIFY(!fs::exists(bench.project() / gitdir / "hooks/pre-push"));
            QVERIFY(fs::exists(bench.project() / gitdir / "hooks/pre-commit"));
        }
    }

    void judgesConfigByKeyAndInstallsAFreshInode()
    {
        BrokerBench bench;
        makeRepository(bench.project() / ".git");
        const std::string harmless = std::string(kConfig) + "[user]\n\tname = A\n";
        const Seen kept = bench.run(opening(at(".git/config.lock"), O_CREAT | O_EXCL | O_RDWR, 0666));
        QVERIFY(::write(kept.descriptor.get(), harmless.data(), harmless.size()) > 0);
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at(".git/config.lock"), at(".git/config"))), 0);
        QCOMPARE(readFile(bench.project() / ".git/config"), harmless);
        QVERIFY(!fs::exists(bench.project() / ".git/config.lock"));
        // Whoever still holds the lock file holds nothing that git reads.
        QVERIFY(::write(kept.descriptor.get(), kEvil.data(), kEvil.size()) > 0);
        QCOMPARE(readFile(bench.project() / ".git/config"), harmless);

        QCOMPARE(bench.write(".git/config.lock", std::string(kConfig) + std::string(kEvil)), 0);
        expectRefusal(bench, twoPaths(Operation::Rename, at(".git/config.lock"), at(".git/config")));
        QCOMPARE(readFile(bench.project() / ".git/config"), harmless);
        QCOMPARE(bench.error(call(Operation::Remove, at(".git/config.lock"))), 0);
        // What the host has set may stay.
        writeFile(bench.project() / ".git/config", kEvil);
        QCOMPARE(configure(bench, ".git/config", std::string(kEvil) + "[user]\n\tname = A\n"), 0);
    }

    void makesANewRepositoryAndRemovesItAgain()
    {
        BrokerBench bench;
        makeDirectories(bench,
                        {"n", "n/.git", "n/.git/hooks", "n/.git/info", "n/.git/objects", "n/.git/refs"});
        QCOMPARE(bench.write("n/.git/hooks/pre-commit.sample", "sample"), 0);
        QCOMPARE(bench.write("n/.git/info/exclude", "x"), 0);
        QCOMPARE(bench.write("n/.git/HEAD.lock", "ref: refs/heads/main\n"), 0);
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("n/.git/HEAD.lock"), at("n/.git/HEAD"))), 0);
        QCOMPARE(configure(bench, "n/.git/config", kConfig), 0);
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, at("n/.git/config"), 0744)), 0);
        QCOMPARE(bench.error(symlinking("testing", at("n/.git/tAbCdEf"))), 0);
        expectRefusal(bench, opening(at("n/.git/hooks/pre-commit"), O_WRONLY | O_CREAT, 0777));
        QCOMPARE(bench.error(call(Operation::Remove, at("n/.git/config"))), 0);
        QCOMPARE(bench.error(call(Operation::Remove, at("n/.git/hooks/pre-commit.sample"))), 0);
    }

    void letsNoLinkTakeTheWorkTreeOfASubmodule()
    {
        BrokerBench bench;
        makeRepository(bench.project() / ".git");
        makeRepository(bench.project() / ".git/modules/lib");
        fs::create_directories(bench.project() / "libs/lib");
        fs::create_directories(bench.project() / "w");
        fs::create_directory_symlink("w", bench.project() / "alias");
        const auto with
            = [](const std::string& tree) { return std::string(kConfig) + "\tworktree = " + tree + "\n"; };
        const auto isRefused = [&](const std::string& gitdir, const std::string& tree) {
            const int error = configure(bench, gitdir + "/config", with(tree));
            fs::remove(bench.project() / gitdir / "config.lock");
            return error == EACCES;
        };
        QVERIFY(isRefused(".git", "../w"));
        QVERIFY(isRefused(".git/modules/lib", "../../../alias"));
        QVERIFY(isRefused(".git/modules/lib", "../../../missing"));
        QVERIFY(isRefused(".git/modules/lib", "../../../.."));
        QCOMPARE(configure(bench, ".git/modules/lib/config", with("../../../libs/lib")), 0);

        makeDirectories(bench, {"n"});
        QCOMPARE(bench.error(symlinking("/", at("n/lib"))), 0);
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("libs"), at("old"))), 0);
        expectRefusal(bench, twoPaths(Operation::Rename, at("n"), at("libs")));
        expectRefusal(bench, symlinking("n", at("libs")));
        makeDirectories(bench, {"libs"});
        expectRefusal(bench, symlinking("/", at("libs/lib")));
        expectRefusal(bench, twoPaths(Operation::Rename, at("n/lib"), at("libs/lib")));
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("old/lib"), at("libs/lib"))), 0);
        QCOMPARE(bench.error(symlinking("/", at("libs/lib/link"))), 0);
    }

    void judgesAFirstConfigThatIsWrittenInPlace()
    {
        BrokerBench bench;
        makeDirectories(bench, {".git", "m", "m/.git"});
        QCOMPARE(bench.write(".git/config", kConfig), 0);
        bench.settle();
        QCOMPARE(readFile(bench.project() / ".git/config"), std::string(kConfig));
        QCOMPARE(bench.write("m/.git/config", kEvil), 0);
        bench.settle();
        QVERIFY(!fs::exists(bench.project() / "m/.git/config"));
        QVERIFY(bench.facts.take().back().verdict == Verdict::Denied);
    }

    void waitsForTheLastWriterOfAGitFile()
    {
        BrokerBench bench;
        makeRepository(bench.project() / ".git");
        fs::create_directories(bench.project() / ".git/worktrees/w");
        makeDirectories(bench, {"w"});
        const std::string good = "gitdir: " + (bench.project() / ".git/worktrees/w").string() + "\n";
        {
            const Seen seen = bench.run(opening(at("w/.git"), O_CREAT | O_TRUNC | O_RDWR, 0666));
            QCOMPARE(seen.error, 0);
            QVERIFY(::write(seen.descriptor.get(), good.data(), good.size()) > 0);
            bench.settle();
            QCOMPARE(readFile(bench.project() / "w/.git"), std::string());
        }
        bench.settle();
        QCOMPARE(readFile(bench.project() / "w/.git"), good);
        QCOMPARE(bench.write(".git/worktrees/w/commondir", "../..\n"), 0);
        bench.settle();
        QCOMPARE(readFile(bench.project() / ".git/worktrees/w/commondir"), std::string("../..\n"));
        // git worktree remove.
        QCOMPARE(bench.error(call(Operation::Remove, at(".git/worktrees/w/commondir"))), 0);
        QCOMPARE(bench.error(call(Operation::Remove, at("w/.git"))), 0);
    }

    void refusesAGitFileThatLeadsOut()
    {
        BrokerBench bench;
        fs::create_directory(bench.outside() / "evil");
        fs::create_directory_symlink(bench.outside() / "evil", bench.project() / "link");
        for (const std::string& target : {std::string("../../evil"), (bench.outside() / "evil").string(),
                                          std::string("link"), std::string("../link/x"), std::string()}) {
            makeDirectories(bench, {"s"});
            QCOMPARE(bench.write("s/.git", "gitdir: " + target + "\n"), 0);
            bench.settle();
            QVERIFY2(!fs::exists(bench.project() / "s/.git"), target.c_str());
            fs::remove_all(bench.project() / "s");
        }
        QCOMPARE(bench.write("x", "gitdir: ../evil\n"), 0);
        expectRefusal(bench, twoPaths(Operation::Rename, at("x"), at(".git")));
        expectRefusal(bench, symlinking("../evil", at(".git")));
    }

    void refusesRepositoriesByShapeThatWouldRunSomething()
    {
        BrokerBench bench;
        makeDirectories(bench, {"b", "b/objects", "b/hooks", "refs"});
        QCOMPARE(bench.write("b/config", kEvil), 0);
        QCOMPARE(bench.write("b/HEAD", "ref: refs/heads/main\n"), 0);
        expectRefusal(bench, withMode(Operation::MakeDirectory, at("b/refs"), 0777));
        expectRefusal(bench, twoPaths(Operation::Rename, at("refs"), at("b/refs")));
        expectRefusal(bench, symlinking("../refs", at("b/refs")));

        const Seen kept = bench.run(opening(at("b/config"), O_WRONLY | O_TRUNC));
        makeDirectories(bench, {"b/refs"});
        // The descriptor from before leads to an inode that is no longer there.
        QVERIFY(::write(kept.descriptor.get(), kEvil.data(), kEvil.size()) > 0);
        QCOMPARE(readFile(bench.project() / "b/config"), std::string());
        expectRefusal(bench, opening(at("b/config"), O_WRONLY));

        makeDirectories(bench, {"c", "c/objects", "c/hooks"});
        QCOMPARE(bench.write("c/HEAD", "x"), 0);
        QCOMPARE(bench.write("c/hooks/post-commit", "evil"), 0);
        expectRefusal(bench, withMode(Operation::MakeDirectory, at("c/refs"), 0777));
    }

    void looksThroughDirectoriesThatGetAMeaning()
    {
        BrokerBench bench;
        makeDirectories(bench, {"n", "n/g", "n/g/hooks", "h", ".git"});
        QCOMPARE(bench.write("n/g/config", kEvil), 0);
        QCOMPARE(bench.write("h/pre-commit", "evil"), 0);
        expectRefusal(bench, twoPaths(Operation::Rename, at("n/g"), at("n/.git")));
        expectRefusal(bench, twoPaths(Operation::Rename, at("h"), at(".git/hooks")));

        const Seen kept = bench.run(opening(at("n/g/config"), O_WRONLY | O_TRUNC));
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("n/g"), at("n/.git"))), 0);
        QVERIFY(::write(kept.descriptor.get(), kEvil.data(), kEvil.size()) > 0);
        QCOMPARE(readFile(bench.project() / "n/.git/config"), std::string());
    }

    void movesARepositoryAsAWholeButKeepsItsProtection()
    {
        BrokerBench bench;
        makeRepository(bench.project() / ".git");
        makeRepository(bench.project() / "sub/.git");
        fs::create_directories(bench.project() / ".git/modules");
        // git submodule absorbgitdirs, with the host's own hook in it.
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("sub/.git"), at(".git/modules/sub"))), 0);
        expectRefusal(bench, opening(at(".git/modules/sub/hooks/x"), O_WRONLY | O_CREAT, 0777));
        // A renamed repository is one still, by its shape.
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at(".git"), at(".git2"))), 0);
        expectRefusal(bench, opening(at(".git2/config"), O_WRONLY));
        expectRefusal(bench, opening(at(".git2/hooks/x"), O_WRONLY | O_CREAT, 0777));
        makeDirectories(bench, {".git", ".git/hooks"});
        expectRefusal(bench, opening(at(".git/hooks/pre-commit"), O_WRONLY | O_CREAT, 0777));
    }

    void losesNoProtectionWithTheShape()
    {
        BrokerBench bench;
        makeRepository(bench.project() / "b");
        QCOMPARE(bench.error(call(Operation::Remove, at("b/HEAD"))), 0);
        expectRefusal(bench, opening(at("b/config"), O_WRONLY));
        expectRefusal(bench, opening(at("b/hooks/x"), O_WRONLY | O_CREAT, 0777));
    }

    void letsNoDirectoryTakeItsConfigurationFromElsewhere()
    {
        BrokerBench bench;
        makeDirectories(bench, {"r", "c", "c/objects", "c/refs"});
        QCOMPARE(bench.write("r/HEAD", "ref: refs/heads/main\n"), 0);
        expectRefusal(bench, opening(at("r/commondir"), O_WRONLY | O_CREAT, 0666));
        QCOMPARE(bench.write("x", "../c\n"), 0);
        expectRefusal(bench, twoPaths(Operation::Rename, at("x"), at("r/commondir")));
        expectRefusal(bench, symlinking("../x", at("r/commondir")));
        QVERIFY(configure(bench, "c/config", kEvil) != 0);
        makeDirectories(bench, {"c/hooks"});
        expectRefusal(bench, opening(at("c/hooks/pre-commit"), O_WRONLY | O_CREAT, 0777));
    }

    void judgesAlternates()
    {
        BrokerBench bench;
        makeRepository(bench.project() / ".git");
        fs::create_directories(bench.project() / "other/objects");
        fs::create_directories(bench.outside() / "evil/objects");
        const std::string alternates = ".git/objects/info/alternates";
        QCOMPARE(configure(bench, alternates, "../../other/objects\n"), 0);
        QCOMPARE(bench.write(alternates + ".lock", (bench.outside() / "evil/objects").string() + "\n"), 0);
        expectRefusal(bench, twoPaths(Operation::Rename, at(alternates + ".lock"), at(alternates)));
        QCOMPARE(readFile(bench.project() / alternates), std::string("../../other/objects\n"));
    }

    void writesThroughNoHardLinkToTheOutside()
    {
        BrokerBench bench;
        writeFile(bench.outside() / "outside", "theirs");
        writeFile(bench.project() / "own", "own");
        fs::create_hard_link(bench.outside() / "outside", bench.project() / "h");
        fs::permissions(bench.project() / "h", fs::perms(0640));
        QCOMPARE(bench.write("h", "PWNED", O_APPEND), 0);
        QCOMPARE(readFile(bench.outside() / "outside"), std::string("theirs"));
        QCOMPARE(readFile(bench.project() / "h"), std::string("theirsPWNED"));
        QCOMPARE(fs::status(bench.project() / "h").permissions(), fs::perms(0640));

        fs::create_hard_link(bench.outside() / "outside", bench.project() / "t");
        Call truncating = call(Operation::Truncate, at("t"));
        QCOMPARE(bench.error(truncating), 0);
        fs::create_hard_link(bench.outside() / "outside", bench.project() / "m");
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, at("m"), 0777)), 0);
        QCOMPARE(readFile(bench.outside() / "outside"), std::string("theirs"));
        QCOMPARE(fs::status(bench.outside() / "outside").permissions(), fs::perms(0640));

        // A hook of the host under another name.
        makeRepository(bench.project() / ".git");
        fs::create_hard_link(bench.project() / ".git/hooks/pre-commit", bench.project() / "x");
        QCOMPARE(bench.write("x", "evil"), 0);
        QCOMPARE(readFile(bench.project() / ".git/hooks/pre-commit"), std::string("#!/bin/sh\nexit 0\n"));

        // Links that the box made itself are one file.
        QCOMPARE(bench.error(twoPaths(Operation::MakeLink, at("own"), at("own2"))), 0);
        QCOMPARE(bench.write("own2", "both"), 0);
        QCOMPARE(readFile(bench.project() / "own"), std::string("both"));
    }

    void protectsACommonDirectoryThatIsARootItself()
    {
        BrokerBench bench;
        makeRepository(bench.outside() / "main/.git");
        makeRepository(bench.outside() / "bare");
        for (const char* name : {"main/.git", "bare"}) {
            const fs::path gitdir = bench.outside() / name;
            bench.addRoot(gitdir);
            expectRefusal(bench, opening(at(gitdir / "hooks/x"), O_WRONLY | O_CREAT, 0777));
            expectRefusal(bench, opening(at(gitdir / "config"), O_WRONLY));
            QCOMPARE(bench.write(gitdir / "index", "x"), 0);
        }
    }
};

QTEST_APPLESS_MAIN(TestGitGuard)
#include "tst_git_guard.moc"
