// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/decided_world.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/tree_snapshot.h"

#include <QTest>

#include <filesystem>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

/// What the rows share. `fires` is a command that leaves a trace, and `secret` a commit of another repository
/// of the person's, which no box sees; a box may still know its hash.
constexpr const char* kTools = R"(
fires=": > $HOME/fired; false"
plant() { printf '#!/bin/sh\n: > "$HOME/fired"\n' > "$1"; chmod +x "$1"; }
# A bare repository that runs something, where it is told to be.
bare() { git init -q --bare "$1"; git -C "$1" config core.fsmonitor "$fires"; git -C "$1" config core.bare false
    git -C "$1" config core.worktree .; for hook in post-checkout reference-transaction post-index-change; do plant "$1/hooks/$hook"; done; }
)";

} // namespace

/// SECURITY.md E052: repositories that lead elsewhere, be it the person's own project that holds them or what
/// a box left. Reading, deciding and taking back run nothing, read nothing from elsewhere and change nothing
/// there.
class DecideGitElsewhereTest : public QObject, protected DecidedWorld
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_LAYERS(); }
    void init()
    {
        beginRepository();
        m_world->prepare(
            "mkdir ~/elsewhere; cd ~/elsewhere; git init -q -b main; git config user.name T; git config "
            "user.email t@example.org; echo SECRET > secret; git add secret; git commit -qm SECRET; "
            "git rev-parse HEAD > ~/known");
        m_known = withoutEnd(readFile(m_world->home().home() / "known"));
        m_elsewhere = snapshotOf(m_world->home().home() / "elsewhere");
    }
    void cleanup() { m_world.reset(); }

    void leadsNowhere_data()
    {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("box");
        QTest::addColumn<QString>("live"); // what shows that it would fire, were git to run there
        const auto row = [](const char* name, const char* host, const char* box, const char* live = "") {
            QTest::newRow(name) << QString::fromLatin1(host) << QString::fromLatin1(box)
                                << QString::fromLatin1(live);
        };
        row("a hidden repository of the project's", "bare sub.git; mkdir d; bare d/other",
            "echo new > sub.git/new", "git -C sub.git status");
        row("a hidden repository of the box's", "", "bare sub.git; mkdir d; bare d/other; echo x > d/x");
        row("submodules that run something",
            "printf '[submodule \"../../x\"]\\n\\tpath = sub\\n\\turl = --upload-pack=:\\n\\tupdate = "
            "!touch fired\\n[submodule \"s\\r\"]\\n\\tpath = \"s\\r\"\\n\\turl = ext::sh\\n' > .gitmodules; "
            "git config submodule.x.update '!: > ~/fired'; git config protocol.ext.allow always; mkdir -p "
            ".git/modules; bare .git/modules/x; mkdir sub; echo 'gitdir: ../.git/modules/x' > sub/.git",
            "echo x > sub/x", "git -C sub status");
        row("submodules of the box's", "",
            "mkdir -p .git/modules sub; bare .git/modules/x; echo 'gitdir: ../.git/modules/x' > sub/.git; "
            "printf '[submodule \"../../x\"]\\n\\tpath = sub\\n\\turl = ext::sh\\n' > .gitmodules; echo x > "
            "sub/x");
        row("filters and monitors of the project's",
            "git config core.fsmonitor \"$fires\"; git config filter.x.clean \"$fires\"; git config "
            "filter.x.smudge "
            "\"$fires\"; git config diff.x.textconv \"$fires\"; git config merge.x.driver \"$fires\"; git "
            "config "
            "diff.external \"$fires\"; git config core.pager \"$fires\"; echo '* filter=x diff=x merge=x' > "
            ".gitattributes; "
            "plant .git/hooks/post-checkout; plant .git/hooks/reference-transaction; plant "
            ".git/hooks/post-index-change",
            "echo x >> tracked; git -c core.fsmonitor= -c filter.x.clean= commit -qam x; echo x >> tracked",
            "git status");
        row("objects of another repository", "",
            "mkdir -p .git/objects/info; echo \"$HOME/elsewhere/.git/objects\" > "
            ".git/objects/info/alternates; "
            "echo $KNOWN > .git/refs/heads/evil; echo x > x");
        row("objects of another repository, by a relative path", "",
            "echo ../../../elsewhere/.git/objects > .git/objects/info/alternates; echo $KNOWN > "
            ".git/refs/heads/evil; "
            "echo x > x");
        row("objects through a link", "",
            "rm -rf .git/objects/pack; ln -s \"$HOME/elsewhere/.git/objects\" .git/objects/pack; "
            "ln -s \"$HOME/elsewhere/.git/objects/`echo $KNOWN | cut -c1-2`\" .git/objects/; "
            "echo $KNOWN > .git/refs/heads/evil; echo x > x");
        row("another repository's work tree", "",
            "mkdir w; echo \"gitdir: $HOME/elsewhere/.git\" > w/.git; echo x > w/secret");
        row("another repository's work tree, by a relative path", "",
            "mkdir w; echo 'gitdir: ../../elsewhere/.git' > w/.git; echo x > w/secret");
        row("another repository as the common one", "",
            "mkdir -p .git/worktrees/w w; cp .git/HEAD .git/worktrees/w; echo ../../../../elsewhere/.git > "
            ".git/worktrees/w/commondir; echo \"$PWD/w/.git\" > .git/worktrees/w/gitdir; echo \"gitdir: "
            "$PWD/.git/worktrees/w\" > w/.git; echo x > w/secret");
        row("a work tree elsewhere", "", "git config core.worktree ../../elsewhere; echo x > x");
        row("a repository of links", "",
            "mkdir l; ln -s \"$HOME/elsewhere/.git\" l/.git; mkdir m; for f in HEAD objects refs config; do "
            "ln -s "
            "\"$HOME/elsewhere/.git/$f\" m/$f; done; echo x > l/secret");
    }
    void leadsNowhere()
    {
        m_world->prepare(kTools + fetched("host"));
        const fs::path fired = m_world->home().home() / "fired";
        if (!fetched("live").empty()) {
            static_cast<void>(m_world->runner().bare({"sh", "-c", kTools + fetched("live")}));
            QVERIFY2(fs::exists(fired), "it does nothing without Revet either");
        }
        fs::remove(fired);
        for (const char* const tier : {"sandbox", "container"}) {
            const Finished ran = m_world->runner().run(
                tier, {"sh", "-c", kTools + ("set -e; KNOWN=" + m_known + ';') + fetched("box")});
            QVERIFY2(tier == std::string("sandbox") || ran.status == 0,
                     ran.err.c_str()); // a layer takes it all
            m_id = m_world->runner().lastSession();
            std::string said;
            for (const std::vector<std::string>& command : {std::vector<std::string>{"log"},
                                                            {"files"},
                                                            {"diff"},
                                                            {"diff", "--stat"},
                                                            {"diff", "--json"},
                                                            {"apply"},
                                                            {"apply", "--pinned"},
                                                            {"diff"},
                                                            {"undo"}}) {
                std::vector<std::string> words = command;
                words.insert(words.begin() + 1, m_id);
                said += text(revet(words));
                QVERIFY2(!fs::exists(fired), (command[0] + '\n' + said).c_str());
            }
            QVERIFY2(said.find("SECRET") == std::string::npos, said.c_str());
            QCOMPARE(treeDifferences(m_elsewhere, snapshotOf(m_world->home().home() / "elsewhere")),
                     std::string());
            QCOMPARE(m_world->runner()
                         .bare({"sh", "-c",
                                "test -e .git/objects/" + m_known.substr(0, 2) + '/' + m_known.substr(2)
                                    + " || echo none"})
                         .out,
                     "none\n");
        }
    }

private:
    std::string m_known;
    TreeSnapshot m_elsewhere;
};

QTEST_APPLESS_MAIN(DecideGitElsewhereTest)
#include "tst_decide_git_elsewhere.moc"
