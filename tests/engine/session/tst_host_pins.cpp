// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/host_pins.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace revet;
using namespace revet::test;

namespace {

namespace fs = std::filesystem;

std::string joined(std::vector<std::string> paths)
{
    std::sort(paths.begin(), paths.end());
    std::string text;
    for (const std::string& path : paths) {
        text += (text.empty() ? "" : " ") + path;
    }
    return text;
}

} // namespace

class HostPinsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pinsWhatTheConfigurationNames_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("pinned");
        QTest::addColumn<QString>("anywhere");
        QTest::addColumn<QString>("inGitdirs");
        const auto row
            = [](const char* config, const char* pinned, const char* anywhere, const char* inGitdirs) {
                  QTest::newRow(config) << QString::fromLatin1(config) << QString::fromLatin1(pinned)
                                        << QString::fromLatin1(anywhere) << QString::fromLatin1(inGitdirs);
              };
        row("[core]\nbare = false\n[remote \"o\"]\nurl = ../a/b\nfetch = +refs/heads/*:refs/remotes/o/*\n",
            "", "", "");
        row("[core]\nhooksPath = githooks\n", "githooks", "githooks", "githooks");
        row("[core]\nhooksPath = ./x/../githooks/\n", "githooks", "githooks", "githooks");
        row("[core]\nhooksPath = ../githooks\n", "", "githooks", "githooks");
        row("[core]\nhooksPath = PROJECT/hooks\n", "hooks", "", "");
        row("[core]\nhooksPath = .git/own\n", "", "", "own");
        row("[core]\nhooksPath = .git/hooks\n", "", "", "");
        row("[core]\nhooksPath = .\n", "", "", "");
        row("[include]\npath = ../tools/inc\n", "tools/inc", "tools/inc", "tools/inc");
        row("[include]\npath = ../have.inc\n", "have.inc sub/more", "have.inc sub/more", "have.inc sub/more");
        row("[core]\nfsmonitor = true\n", "", "", "");
        row("[core]\nfsmonitor = \\\"$PWD/tools/fsm\\\" -x\n", "tools/fsm", "tools/fsm", "tools/fsm");
        row("[core]\nfsmonitor = PROJECT/tools/fsm\n", "tools/fsm", "tools/fsm", "tools/fsm");
        row("[core]\nfsmonitor = /elsewhere/tools/fsm\n", "", "", "");
        row("[gpg]\nprogram = my tools/gpg\n", "my tools/gpg tools/gpg", "my tools/gpg tools/gpg",
            "my tools/gpg tools/gpg");
        row("[core]\npager = less\n", "", "", "");
        row("[core]\npager = sh top.sh\n", "top.sh", "top.sh", "");
        row("[core]\npager = top.sh\n", "top.sh", "top.sh", "");
        row("[core]\npager = cd src && less inner.sh\n", "src/inner.sh", "src/inner.sh", "src/inner.sh");
        row("[alias]\nx = !git log -- src ./src\n", "", "", "");
        row("[alias]\nx = !cat .git/HEAD .git/info/exclude\n", "", "", "");
        row("[commit]\ntemplate = ./top.sh\n", "top.sh", "top.sh", "");
        row("[commit]\ntemplate = ./absent\n", "", "", "");
        row("[odd\nx]\nhooksPath = githooks\n", "githooks", "githooks", "githooks"); // git reads none of it
    }
    void pinsWhatTheConfigurationNames()
    {
        const TempHome home;
        const fs::path project = home.project();
        std::string config = fetchedText("config");
        if (const std::size_t at = config.find("PROJECT"); at != std::string::npos) {
            config.replace(at, 7, project.string());
        }
        for (const char* const directory : {".git/objects", ".git/refs"}) {
            fs::create_directories(project / directory);
        }
        writeFile(project / ".git/config", config);
        writeFile(project / "have.inc", "[include]\npath = sub/more\n");
        writeFile(project / "top.sh", "");
        writeFile(project / "src/inner.sh", "");
        const std::vector<std::string> roots{project.string()};
        const auto pins = session::hostPins(session::GitState::of(roots), policy::RunLaterTable(), roots,
                                            home.home().string(), {});
        QVERIFY(pins.has_value());
        QCOMPARE(joined(pins->pinned), fetchedText("pinned"));
        QCOMPARE(joined(pins->anywhere), fetchedText("anywhere"));
        QCOMPARE(joined(pins->inGitdirs), fetchedText("inGitdirs"));
    }

    void refusesMoreThanCanBeCompared()
    {
        const TempHome home;
        fs::create_directories(home.project() / ".git/objects");
        fs::create_directories(home.project() / ".git/refs");
        std::string config = "[core]\n";
        for (int i = 0; i < 2000; ++i) {
            config += "pager = a/b" + std::to_string(i) + "\n";
        }
        writeFile(home.project() / ".git/config", config);
        const std::vector<std::string> roots{home.project().string()};
        const auto pins = session::hostPins(session::GitState::of(roots), policy::RunLaterTable(), roots,
                                            home.home().string(), {});
        QVERIFY(!pins.has_value());
        QVERIFY(pins.error().code == ErrorCode::LimitExceeded);
    }

private:
    static std::string fetchedText(const char* column)
    {
        return (*static_cast<QString*>(QTest::qData(column, qMetaTypeId<QString>()))).toStdString();
    }
};

QTEST_APPLESS_MAIN(HostPinsTest)
#include "tst_host_pins.moc"
