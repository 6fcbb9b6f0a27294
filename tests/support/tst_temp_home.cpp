// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <filesystem>
#include <memory>

#include <sys/stat.h>

namespace revet::test {

namespace fs = std::filesystem;

class TempHomeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsTheRuntimeDirectoryPrivate()
    {
        const TempHome home;
        QCOMPARE(static_cast<int>(fs::status(home.runtimeDirectory()).permissions()), 0700);
    }

    void pointsEveryDirectoryOfTheUserIntoItself()
    {
        const TempHome home;
        for (const auto& [name, value] : home.environment()) {
            if (name == "HOME" || name.starts_with("XDG_")) {
                QVERIFY2(value.starts_with(home.root().string()), name.c_str());
                QVERIFY2(fs::is_directory(value), name.c_str());
            }
        }
    }

    void readsBackWhatItWrote()
    {
        const TempHome home;
        const std::string bytes("a\0b\xff\n", 5);
        writeFile(home.project() / "sub/file", bytes);
        QCOMPARE(readFile(home.project() / "sub/file"), bytes);
    }

    void leavesNothingBehindWhateverTheModes()
    {
        auto home = std::make_unique<TempHome>();
        const fs::path root = home->root();
        writeFile(home->project() / "closed/inner/file", "x");
        fs::permissions(home->project() / "closed/inner", fs::perms::none);
        fs::permissions(home->project() / "closed", fs::perms::none);
        home.reset();
        QVERIFY(!fs::exists(root));
    }

    void removesLinksWithoutFollowingThem()
    {
        const TempHome outside;
        writeFile(outside.project() / "kept", "x");
        fs::permissions(outside.project(), fs::perms::owner_read | fs::perms::owner_exec);
        auto home = std::make_unique<TempHome>();
        fs::create_directory_symlink(outside.project(), home->project() / "link");
        home.reset();
        QCOMPARE(readFile(outside.project() / "kept"), "x");
        QCOMPARE(static_cast<int>(fs::status(outside.project()).permissions()), 0500);
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::TempHomeTest)
#include "tst_temp_home.moc"
