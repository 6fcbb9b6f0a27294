// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/store_name.h"
#include "engine/session/grantable_path.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

using namespace revet;
using namespace revet::test;
namespace fs = std::filesystem;

namespace {

QString ownStore()
{
    return QString::fromStdString(ownStoreName());
}

/// A home with secrets, and Revet's places in it.
struct Home
{
    Home()
    {
        for (const char* const directory : {".ssh", ".config/gh", ".config/chromium-x", ".config/mine",
                                            "notes/deep", "data", "cfg", "cache"}) {
            fs::create_directories(home / directory);
        }
        writeFile(home / "notes/plan", "p");
        writeFile(home / ".ssh/id", "key");
        fs::create_symlink("notes", home / "link");
        ::mkfifo((home / "pipe").c_str(), 0600);
        places.config = home / "cfg";
        places.data = home / "data";
        places.cache = home / "cache";
        places.runtime = home / "run";
    }
    [[nodiscard]] ErrorCode errorOf(const std::string& path) const
    {
        const auto examined = session::grantablePath(path, home.string(), places, hidden);
        return examined ? ErrorCode{} : examined.error().code;
    }
    TempHome temporary;
    fs::path home = temporary.home();
    Places places;
    policy::HiddenTable hidden
        = policy::HiddenTable::parse("[[group]]\nname = \"keys\"\nwhy = \"w\"\n"
                                     "paths = [\"~/.ssh\", \"~/.config/gh\", \"~/.config/absent\", "
                                     "\"~/.config/{chromium*,brave*}\", \"**/*.kdbx\"]\n"
                                     "[project]\nnames = []\n",
                                     {home.string(), {}})
              .value();
};

} // namespace

/// What a person may show to a box, and what by accident they may not.
class TestGrantablePath : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesFilesAndDirectories()
    {
        const Home home;
        struct stat status = {};
        for (const char* const path : {"notes", "notes/deep", "notes/plan", ".config/mine"}) {
            const std::string absolute = (home.home / path).string();
            const auto examined
                = session::grantablePath(absolute, home.home.string(), home.places, home.hidden);
            QVERIFY2(examined.has_value(), path);
            QCOMPARE(::stat(absolute.c_str(), &status), 0);
            QCOMPARE(examined->path, absolute);
            QVERIFY(examined->inode == status.st_ino && examined->device == status.st_dev);
        }
    }
    void refusesByName_data()
    {
        QTest::addColumn<QString>("path");
        QTest::newRow("the home") << QString();
        QTest::newRow("around the home") << QStringLiteral("..");
        QTest::newRow("a secret") << QStringLiteral(".ssh");
        QTest::newRow("in a secret") << QStringLiteral(".ssh/id");
        QTest::newRow("around secrets") << QStringLiteral(".config");
        QTest::newRow("by a pattern") << QStringLiteral(".config/chromium-x");
        QTest::newRow("by any depth") << QStringLiteral("notes/x.kdbx");
        QTest::newRow("Revet's data") << QStringLiteral("data");
        QTest::newRow("in Revet's configuration") << QStringLiteral("cfg/x");
        QTest::newRow("a link") << QStringLiteral("link");
        QTest::newRow("through a link") << QStringLiteral("link/plan");
        QTest::newRow("a pipe") << QStringLiteral("pipe");
    }
    void refusesByName()
    {
        const Home home;
        QFETCH(QString, path);
        const std::string absolute = path == QStringLiteral("..") ? home.home.parent_path().string()
            : path.isEmpty()                                      ? home.home.string()
                                                                  : (home.home / path.toStdString()).string();
        QVERIFY(home.errorOf(absolute) == ErrorCode::Refused);
    }
    void wantsAPlainName_data()
    {
        QTest::addColumn<QByteArray>("path");
        for (const char* const path : {"", "relative", "/a/../b", "/a/", "//a", "/a//b", "/./a"}) {
            QTest::newRow(path) << QByteArray(path);
        }
        QTest::newRow("zero") << QByteArray("/a\0b", 4);
        QTest::newRow("long") << QByteArray("/").append(QByteArray(5000, 'x'));
    }
    void wantsAPlainName()
    {
        const Home home;
        QFETCH(QByteArray, path);
        QVERIFY(home.errorOf(path.toStdString()) == ErrorCode::InvalidArgument);
    }
    void refusesByOtherNames_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("Revet's data, linked to") << QStringLiteral("disk/share") << true;
        QTest::newRow("in it") << QStringLiteral("disk/share/sessions") << true;
        QTest::newRow("around it") << QStringLiteral("disk") << true;
        QTest::newRow("keys, linked to") << QStringLiteral("dotfiles/keys") << true;
        QTest::newRow("in them") << QStringLiteral("dotfiles/keys/id") << true;
        QTest::newRow("around them") << QStringLiteral("dotfiles") << true;
        QTest::newRow("beside them") << QStringLiteral("dotfiles/other") << false;
        QTest::newRow("undo's store") << QStringLiteral("notes/%1").arg(ownStore()) << true;
        QTest::newRow("in undo's store") << QStringLiteral("notes/%1/x").arg(ownStore()) << true;
    }
    void refusesByOtherNames()
    {
        Home home;
        for (const char* const directory : {"disk/share/sessions", "dotfiles/keys", "dotfiles/other"}) {
            fs::create_directories(home.home / directory);
        }
        fs::create_directories(home.home / "notes" / ownStore().toStdString() / "x");
        writeFile(home.home / "dotfiles/keys/id", "key");
        fs::create_symlink("../dotfiles/keys", home.home / ".config/absent");
        fs::create_symlink("disk/share", home.home / "linked");
        home.places.data = home.home / "linked";
        QFETCH(QString, path);
        QFETCH(bool, isRefused);
        QCOMPARE(home.errorOf((home.home / path.toStdString()).string()) == ErrorCode::Refused, isRefused);
    }
    void refusesWhatIsMounted()
    {
        const Home home;
        for (const char* const path : {"/proc", "/proc/self", "/proc/1", "/sys/kernel", "/dev/pts"}) {
            QVERIFY2(home.errorOf(path) == ErrorCode::Refused, path);
        }
        // A file system of its own, where undo may keep something; not what lies below its top.
        QVERIFY(home.errorOf("/dev/shm") == ErrorCode::Refused);
        const fs::path below = "/dev/shm/revet-test-" + std::to_string(::getpid());
        fs::create_directory(below);
        QVERIFY(home.errorOf(below.string()) == ErrorCode{});
        fs::remove(below);
    }
    void letsNothingBeWrittenThatRunsLater_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("a shell's") << QStringLiteral(".bashrc") << true;
        QTest::newRow("the desktop's") << QStringLiteral(".config/autostart") << true;
        QTest::newRow("around it") << QStringLiteral(".config") << true;
        QTest::newRow("a project's") << QStringLiteral("notes/.vscode") << true;
        QTest::newRow("a project's file") << QStringLiteral("notes/.envrc") << true;
        QTest::newRow("a repository") << QStringLiteral("notes/.git") << true;
        QTest::newRow("hooks") << QStringLiteral("notes/.git/hooks") << true;
        QTest::newRow("a work tree") << QStringLiteral("work") << true;
        QTest::newRow("ordinary") << QStringLiteral("notes/deep") << false;
        QTest::newRow("of that name, no home's") << QStringLiteral("notes/.config") << false;
    }
    void letsNothingBeWrittenThatRunsLater()
    {
        const Home home;
        fs::create_directories(home.home / "work/.git");
        const auto table = policy::RunLaterTable::parse(
            "dependency_directories = []\n[[entry]]\ngroup = \"g\"\nclass = \"pinned\"\nwhy = \"w\"\n"
            "paths = [\"/.bashrc\", \"/.config/autostart/**\", \".vscode/**\", \".envrc\"]\n");
        QVERIFY(table.has_value());
        QFETCH(QString, path);
        QFETCH(bool, isRefused);
        const auto checked
            = session::checkWritable((home.home / path.toStdString()).string(), home.home.string(), *table);
        QCOMPARE(!checked, isRefused);
    }
    void saysWhatIsNotThere()
    {
        const Home home;
        QVERIFY(home.errorOf((home.home / "none").string()) == ErrorCode::NotFound);
        QVERIFY(home.errorOf((home.home / "notes/plan/x").string()) == ErrorCode::NotFound);
        QVERIFY(home.errorOf("/") == ErrorCode::Refused);
    }
};

QTEST_APPLESS_MAIN(TestGrantablePath)
#include "tst_grantable_path.moc"
