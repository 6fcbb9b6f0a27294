// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/toolchains.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <sys/stat.h>

using namespace revet;
namespace fs = std::filesystem;

/// Which parts of a home a box sees for the sake of programs on PATH.
class ToolchainsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<test::TempHome>();
        m_places.data = home() / ".local/share/revet";
        m_places.config = home() / ".config/revet";
        m_places.cache = home() / ".cache/revet";
        m_places.runtime = home() / "run/revet";
        for (const char* const file : {".local/bin/tool",
                                       ".local/share/revet/catalogue.db",
                                       ".local/share/keyrings/login.keyring",
                                       ".cargo/bin/cargo",
                                       ".cargo/credentials.toml",
                                       ".cargo/lib/std",
                                       "Documents/tax.txt",
                                       ".config/app/run",
                                       ".config/gh/hosts.yml",
                                       "sdk/v1/bin/sdk",
                                       "sdk/v1/lib/sdk.jar",
                                       "sdk/v1/share/secret",
                                       "sdk/v1/etc/npmrc",
                                       "sdk/v1/src/main.c",
                                       "apps/bin/run",
                                       "apps/lib/a",
                                       "other/bin/script",
                                       "other/lib/main.rb",
                                       ".local/lib/node_modules/agent/cli.js",
                                       ".local/share/agent/versions/2.0",
                                       ".pyenv/shims/python",
                                       ".pyenv/versions/3/bin/python",
                                       "work/tool/bin/x",
                                       "work/plan.txt"}) {
            test::writeFile(home() / file, "x");
            const fs::path path = home() / file;
            const bool isProgram = path.parent_path().filename() == "bin" || path.filename() == "2.0"
                || path.extension() == ".js" || path.filename() == "run";
            ::chmod(path.c_str(), isProgram ? 0755 : 0644);
        }
        fs::create_directories(m_home->project() / "bin");
        fs::create_directories(home() / "links/bin");
    }

    void showsNoMoreThanProgramsNeed_data()
    {
        QTest::addColumn<QByteArray>("path"); // below the home
        QTest::addColumn<QByteArray>("visible");
        const auto row = [](const char* tag, const char* path, const char* visible) {
            QTest::newRow(tag) << QByteArray(path) << QByteArray(visible);
        };
        row("a shared bin stands alone", ".local/bin", ".local/bin");
        row("credentials beside a bin", ".cargo/bin", ".cargo/bin .cargo/lib");
        row("parts of an installation", "sdk/v1/bin", "sdk/v1/bin sdk/v1/lib sdk/v1/share");
        row("the home itself", "", "");
        row("a bin of the home", "bin", "");
        row("by dots", "sdk/../.local/bin", ".local/bin");
        row("Revet's own", ".local/share/revet", "");
        row("what holds Revet's own", ".local/share", "");
        row("what holds Revet's settings", ".config", "");
        row("a version manager", ".pyenv/shims", ".pyenv");
        row("a project's", "other/bin", "");
        row("a directory above a tool", "work/tool/bin", "work/tool/bin");
        row("what the table hides", ".config/gh", "");
        row("a link to what the table hides", "links/gh", "");
        row("a part that leads elsewhere", "astray/bin", "astray/bin");
        row("not there", "nowhere/bin", "");
    }
    void showsNoMoreThanProgramsNeed()
    {
        QFETCH(const QByteArray, path);
        QFETCH(const QByteArray, visible);
        fs::create_symlink("../.config/gh", home() / "links/gh");
        fs::create_directories(home() / "astray/bin");
        fs::create_symlink("../Documents", home() / "astray/lib");
        QCOMPARE(found((home() / path.toStdString()).string()), visible);
    }

    void neverShowsAllOfTheHome()
    {
        m_places.data = m_places.config = m_places.cache = m_places.runtime = "/elsewhere/revet";
        QCOMPARE(found(home().string()), QByteArray());
    }

    void followsALinkToAProgram_data()
    {
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<QByteArray>("visible");
        const auto row = [](const char* tag, const char* target, const char* visible) {
            QTest::newRow(tag) << QByteArray(target) << QByteArray(visible);
        };
        row("to an installation", "apps/bin/run", "apps/bin apps/lib links/bin");
        row("to a package", ".local/lib/node_modules/agent/cli.js", ".local/lib/node_modules links/bin");
        row("to a single program", ".local/share/agent/versions/2.0",
            ".local/share/agent/versions/2.0 links/bin");
        row("to a program in a settings directory", ".config/app/run", ".config/app/run links/bin");
        row("to a document", "Documents/tax.txt", "links/bin");
        row("to a directory", "Documents", "links/bin");
        row("to a secret", ".config/gh/hosts.yml", "links/bin");
        row("into another project", "other/bin/script", "links/bin other/bin/script");
        row("to nothing", "nowhere", "links/bin");
    }
    void followsALinkToAProgram()
    {
        QFETCH(const QByteArray, target);
        QFETCH(const QByteArray, visible);
        fs::create_symlink(home() / target.toStdString(), home() / "links/bin/link");
        QCOMPARE(found((home() / "links/bin").string()), visible);
    }

    void followsNoLinkThatABoxCouldHaveMade()
    {
        fs::create_symlink(home() / "apps/bin/run", m_home->project() / "bin/link");
        QCOMPARE(found((m_home->project() / "bin").string()), QByteArray());
        fs::create_symlink(home() / "apps/bin/run", home() / "other/bin/link");
        QCOMPARE(found((home() / "other/bin").string()), QByteArray());
        // Nor the project's own name for it.
        fs::create_symlink(m_home->project() / "bin", home() / "links/project");
        QCOMPARE(found((home() / "links/project").string()), QByteArray());
    }

    void masksSecretsWithinWhatAProfileShows()
    {
        m_profile.visible = {{"~/.cargo", "test"}, {"~/sdk", "test"}};
        QCOMPARE(found(""), QByteArray(".cargo sdk"));
        QCOMPARE(m_masked, QByteArray(".cargo/credentials.toml sdk/v1/etc/npmrc"));
    }

    void masksSecretsBehindALink()
    {
        fs::rename(home() / ".cargo", home() / "apps/cargo");
        fs::create_symlink("apps/cargo", home() / ".cargo");
        m_profile.visible = {{"~/.cargo", "test"}};
        QCOMPARE(found(""), QByteArray(".cargo apps/cargo"));
        QCOMPARE(m_masked, QByteArray(".cargo/credentials.toml apps/cargo/credentials.toml"));
    }

private:
    [[nodiscard]] fs::path home() const { return fs::canonical(m_home->home()); }
    [[nodiscard]] QByteArray relative(std::vector<std::string> paths) const
    {
        std::ranges::sort(paths);
        QByteArray text;
        for (const std::string& path : paths) {
            text += (text.isEmpty() ? "" : " ")
                + QByteArray::fromStdString(fs::path(path).lexically_relative(home()).string());
        }
        return text;
    }
    QByteArray found(const std::string& path)
    {
        const std::string top = home();
        const std::vector<std::string> changeable{fs::canonical(m_home->project()), top + "/other"};
        const auto hidden = [&] {
            return policy::HiddenTable::parse(
                "[[group]]\nname = \"test\"\nwhy = \"test\"\npaths = [\"~/.cargo/credentials.toml\", "
                "\"~/.config/gh\", \"~/sdk/*/etc/npmrc\", \"~/.local/share/keyrings\"]\n"
                "[project]\nwhy = \"test\"\npaths = []\n",
                {top, ""});
        };
        const auto result = findToolchains({path, top, m_places, m_profile, changeable, hidden});
        if (!result) {
            return QByteArray::fromStdString(toString(result.error()));
        }
        std::vector<std::string> visible;
        std::ranges::transform(result->visible, std::back_inserter(visible), &tiers::VisiblePath::host);
        m_masked = relative(result->masked);
        return relative(visible);
    }
    static Result<session::Toolchains> findToolchains(const session::ToolchainSearch& search)
    {
        return session::findToolchains(search);
    }

    std::unique_ptr<test::TempHome> m_home;
    Places m_places;
    policy::ResolvedProfile m_profile;
    QByteArray m_masked;
};

QTEST_GUILESS_MAIN(ToolchainsTest)
#include "tst_toolchains.moc"
