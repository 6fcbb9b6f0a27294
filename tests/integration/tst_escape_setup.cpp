// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QProcess>
#include <QTest>

#include <filesystem>

using namespace revet::test;

/// SECURITY.md E014, E066, E070: how a box comes to be, against a hostile project and on a machine that
/// cannot.
class EscapeSetupTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void runsNoProgramOfTheProjectOnTheHost_data() { addTierRows(); }
    void runsNoProgramOfTheProjectOnTheHost()
    {
        const World world;
        const std::string canary = world.home().home() / "fired";
        for (const char* const name :
             {"git", "sh", "bash", "env", "ip", "nft", "newuidmap", "newgidmap", "mount", "revet-session",
              "revet-launch", "fusermount", "python3", "node"}) {
            const std::filesystem::path fake = world.project() / "node_modules/.bin" / name;
            writeFile(fake, "#!/bin/dash\ntouch '" + canary + "'\n");
            std::filesystem::permissions(fake, std::filesystem::perms(0755));
        }
        const std::string planted = world.project() / "node_modules/.bin";
        RunOptions options;
        options.environment = {{"PATH", planted + ":" + world.home().environment().at("PATH")},
                               {"LD_LIBRARY_PATH", planted},
                               {"GCONV_PATH", planted},
                               {"GIT_EXEC_PATH", planted}};
        const Finished finished = world.runner().run(fetched("tier"), {"/bin/echo", "inside"}, {}, options);
        QVERIFY2(finished.out == "inside\n", finished.err.c_str());
        QVERIFY(!std::filesystem::exists(canary));
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"exec"}, .target = "echo"}));
    }

    void startsInAProjectFullOfLinksThatLeadOut_data() { addTierRows(); }
    void startsInAProjectFullOfLinksThatLeadOut()
    {
        const World world;
        const std::filesystem::path outside = world.home().home() / "outside";
        writeFile(outside / "file", "precious\n");
        for (const char* const name : {".git", ".vscode", ".claude", ".env", "node_modules", ".venv",
                                       ".revet.toml", "tmp", "proc", "dev", "old"}) {
            std::filesystem::create_symlink(outside, world.project() / name);
        }
        std::filesystem::create_symlink(outside / "file", world.project() / ".envrc");
        const Snapshot before = snapshot(outside);
        // It may refuse; it may not touch what the links lead to.
        const Finished finished = world.runner().runScript(
            fetched("tier"),
            "echo x > .git/config; echo x > .envrc; echo x > node_modules/y; rm -f .env; true");
        QVERIFY2(finished.status == 0 || finished.status == 125, finished.err.c_str());
        QCOMPARE(differences(before, snapshot(outside)), "");
    }

    void isNotLedOutWhileItStarts_data() { addTierRows(); }
    void isNotLedOutWhileItStarts()
    {
        const World world;
        const std::string tier = fetched("tier");
        world.makeRepository();
        const std::filesystem::path outside = world.home().home() / "outside";
        writeFile(outside / "file", "precious\n");
        const Snapshot before = snapshot(outside);
        // A directory that Revet looks into at the start: untracked secrets would be masked in it.
        writeFile(world.project() / "race/.env", "TOKEN=1\n");
        QProcess race;
        race.start(QString::fromStdString(world.victim("setup_race")),
                   {QString::fromStdString(world.project() / "race"), QString::fromStdString(outside),
                    QStringLiteral("8000")});
        QVERIFY(race.waitForStarted());
        constexpr int kStarts = 12;
        for (int start = 0; start < kStarts; ++start) {
            const Finished finished = world.runner().runScript(
                tier, "for i in 1 2 3 4 5 6 7 8 9; do echo x > race/file-$i; done; true");
            QVERIFY2(finished.status == 0 || finished.status == 125, finished.err.c_str());
        }
        race.kill();
        race.waitForFinished();
        QCOMPARE(differences(before, snapshot(outside)), "");
    }

    void startsWhateverAnEarlierBoxLeftInItsHome_data()
    {
        addTierRows("obstacle", {"ln -s /etc", "ln -s nowhere", "touch", "mkdir", "mkfifo"});
    }
    void startsWhateverAnEarlierBoxLeftInItsHome()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::filesystem::path shown = world.home().home() / "shown";
        writeFile(shown / "directory/file", "of the host\n");
        for (const char* const name : {"shown/directory", "shown/directory/file"}) {
            const std::string path = world.home().home() / name;
            const Finished left = world.runner().runScript(
                tier,
                "chmod -R u+rwx $HOME/shown; rm -rf $HOME/shown; mkdir -p \"$(dirname '" + path + "')\"; "
                    + fetched("obstacle") + " '" + path + "'");
            QVERIFY2(left.status == 0, left.err.c_str());
            const Finished finished = world.runner().runScript(
                tier, "cat '" + (shown / "directory/file").string() + "'", {"--bind-ro", path});
            QVERIFY2(finished.out == "of the host\n", finished.err.c_str());
        }
    }

    void refusesPlacesThatAreNoProject_data()
    {
        addTierRows("place", {"/", "HOME/../..", "HOME", "HOME/..", "DATA"});
    }
    void refusesPlacesThatAreNoProject()
    {
        const World world;
        std::string place = fetched("place");
        if (place.rfind("HOME", 0) == 0) {
            place = world.home().home().string() + place.substr(4);
        } else if (place == "DATA") {
            place = world.home().dataHome();
        }
        const Finished finished
            = world.runner().run(fetched("tier"), {"/bin/echo", "inside"}, {"--project", place});
        QCOMPARE(finished.status, 125);
        QVERIFY(finished.out.empty());
        QVERIFY2(finished.err.rfind("revet: ", 0) == 0, finished.err.c_str());
    }

    void doesNotRunWithoutItsNamespaces_data() { addTierRows(); }
    void doesNotRunWithoutItsNamespaces()
    {
        REVET_NEEDS_PROGRAM("bwrap");
        const World world;
        const std::string marker = world.project() / "ran";
        // A world in which no user namespace can be made, as on a machine where they are switched off.
        const Finished finished
            = world.runner().bare({"/usr/bin/bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/",
                                   "/", "--", SessionRunner::program("revet"), "run", "--tier",
                                   fetched("tier"), "--", "/usr/bin/touch", marker});
        QCOMPARE(finished.status, 125);
        QVERIFY(!std::filesystem::exists(marker));
        QVERIFY2(finished.err.rfind("revet: ", 0) == 0 && finished.err.find("namespace") != std::string::npos,
                 finished.err.c_str());
        // No weaker tier as the way out.
        QVERIFY(finished.err.find("--tier host") == std::string::npos);
    }

    void doesNotRunInATierThatIsNotBuilt_data()
    {
        QTest::addColumn<QString>("tier");
        for (const char* const tier : {"host", "vm", "remote", "airgap"}) {
            QTest::newRow(tier) << QString::fromLatin1(tier);
        }
    }
    void doesNotRunInATierThatIsNotBuilt()
    {
        const World world;
        const Finished finished = world.runner().run(fetched("tier"), {"/bin/echo", "ran"});
        QVERIFY(finished.status != 0);
        QVERIFY(finished.out.empty());
        QVERIFY2(finished.err.find("not built") != std::string::npos, finished.err.c_str());
    }

    void showsNoPlaceOfItsOwn_data() { addTierRows(); }
    void showsNoPlaceOfItsOwn()
    {
        const World world;
        static_cast<void>(world.runner().run(fetched("tier"), {"/bin/true"}));
        const Finished finished = world.runner().runScript(
            fetched("tier"),
            "find / -xdev \\( -name 'journal.db*' -o -name catalogue.db -o -name '*.sock' \\) 2>/dev/null; "
            "ls $HOME/.local/share/revet $HOME/.config/revet 2>/dev/null; cat /proc/self/mountinfo | grep -c "
            "shared:");
        QCOMPARE(finished.out, "0\n");
    }
};

QTEST_APPLESS_MAIN(EscapeSetupTest)
#include "tst_escape_setup.moc"
