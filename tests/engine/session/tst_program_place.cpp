// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/program_place.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <filesystem>

using namespace revet;
namespace fs = std::filesystem;

/// Whether the program that a profile gives a login to can be a box's own work.
class ProgramPlaceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsWhereAProgramIsFrom()
    {
        const test::TempHome world;
        const fs::path home = world.home();
        const fs::path project = world.project();
        const fs::path boxes = home / "of-boxes";
        const session::ProgramSearch search{"relative:" + (home / "none").string() + ':'
                                                + (home / "bin").string() + ':' + (project / "bin").string(),
                                            project.string(),
                                            home.string(),
                                            boxes.string(),
                                            {project.string()}};
        const auto make = [](const fs::path& file) {
            test::writeFile(file, "#!/bin/sh\n");
            fs::permissions(file, fs::perms::owner_all);
        };
        const auto isBeyond
            = [&search](const std::string& command) { return session::isBeyondBoxes(command, search); };
        QVERIFY(!isBeyond("claude")); // nowhere yet
        make(home / "bin/claude");
        QVERIFY(isBeyond("claude"));
        QVERIFY(isBeyond((home / "bin/claude").string()));
        make(project / "claude");
        QVERIFY(!isBeyond("./claude"));
        QVERIFY(!isBeyond((project / "claude").string()));
        make(project / "bin/agent");
        QVERIFY(!isBeyond("agent"));
        // By links out of the project and into it, of the file and of its directory.
        fs::create_symlink(home / "bin/claude", project / "link");
        QVERIFY(!isBeyond("./link"));
        fs::create_symlink(project / "claude", home / "bin/agent2");
        QVERIFY(!isBeyond("agent2"));
        fs::create_directory_symlink(home / "bin", project / "tools");
        QVERIFY(!isBeyond("tools/claude"));
        fs::create_directory_symlink(project / "bin", home / "aside");
        QVERIFY(!isBeyond((home / "aside/agent").string()));
        fs::create_symlink(home / "bin/claude", home / "bin/agent3");
        QVERIFY(isBeyond("agent3"));
        // In its own home a box finds another one first.
        make(boxes / "none/claude");
        QVERIFY(!isBeyond("claude"));
        // A directory of PATH that is the project's.
        make(project / "relative/agent3");
        QVERIFY(!isBeyond("agent3"));
    }
};

QTEST_APPLESS_MAIN(ProgramPlaceTest)
#include "tst_program_place.moc"
