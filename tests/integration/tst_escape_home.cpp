// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <filesystem>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

/// What a home's owner runs without being asked, and what decides about the next box.
const std::vector<std::string> kPlaces{".bashrc",
                                       ".bash_profile",
                                       ".profile",
                                       ".zshenv",
                                       ".xprofile",
                                       ".pam_environment",
                                       ".inputrc",
                                       ".gitconfig",
                                       ".npmrc",
                                       ".ssh/config",
                                       ".ssh/rc",
                                       ".ssh/authorized_keys",
                                       ".cargo/config.toml",
                                       ".config/autostart/evil.desktop",
                                       ".config/environment.d/evil.conf",
                                       ".config/fish/config.fish",
                                       ".config/git/config",
                                       ".config/revet/config.toml",
                                       ".config/revet/profiles/evil.toml",
                                       ".config/systemd/user/evil.service",
                                       ".config/systemd/user/default.target.wants/evil.service",
                                       ".local/bin/git",
                                       ".local/share/applications/evil.desktop",
                                       ".local/share/dbus-1/services/evil.service",
                                       ".local/share/revet/catalogue.db",
                                       ".local/share/revet/sessions/evil/journal.db",
                                       ".local/share/systemd/user/evil.service",
                                       ".vscode/extensions/evil.js"};

/// By their paths, by other spellings of them, and through links that the box or the host made.
constexpr const char* kDeeds = R"sh(
ln -s "$HOME" own-link; ln -s ../.. up
for place in "$@"; do
    folder=`dirname "$place"`
    for way in "$HOME" "/proc/self/root$HOME" "$PWD/.." own-link host-link "/proc/1/root$HOME" /proc/self/cwd/..; do
        mkdir -p "$way/$folder"
        for name in "$way/$place" "$way/$place.new"; do echo evil | tee "$name"; done
        mv "$way/$place.new" "$way/$place"; ln -sf "$PWD/evil" "$way/$place"; ln -f evil "$way/$place"
    done
    link=link-`echo "$place" | tr / -`; ln -s "$HOME/$place" "$link"; echo evil | tee "$link"
done >/dev/null 2>&1
{ crontab evil; systemctl --user enable "$PWD/evil"; } 2>/dev/null
true
)sh";

} // namespace

/// SECURITY.md E055: nothing of a person's home comes to hold what a box wrote, directly, by a link or by
/// what is taken over from it.
class EscapeHomeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void writesNothingThatALoginRuns_data() { addTierRows("places", {"absent", "there"}); }
    void writesNothingThatALoginRuns()
    {
        const World world;
        const std::string tier = fetched("tier");
        const fs::path home = world.home().home();
        fs::create_directory_symlink(home, world.project() / "host-link");
        writeFile(world.project() / "evil", "evil\n");
        if (fetched("places") == "there") {
            for (const std::string& place : kPlaces) {
                if (!place.starts_with(".local/share/revet") && !place.starts_with(".config/revet")) {
                    writeFile(home / place, "the person's own\n");
                }
            }
        }
        const Snapshot before = outsideOf(world);
        std::vector<std::string> command{"/bin/sh", "-c", kDeeds, "sh"};
        command.insert(command.end(), kPlaces.begin(), kPlaces.end());
        QCOMPARE(world.runner().run(tier, command).status, 0);
        REVET_VERIFY_NONE(differences(before, outsideOf(world)));
        if (tier == "container") {
            // With everything that a person can say yes to.
            const Finished applied
                = world.runner().revet({"apply", world.runner().lastSession(), "--pinned"});
            QVERIFY2(applied.status == 0, text(applied).c_str());
            REVET_VERIFY_NONE(differences(before, outsideOf(world)));
        }
        const Finished next = world.runner().run(tier, {"/bin/echo", "alive"});
        QVERIFY2(next.out == "alive\n", next.err.c_str());
    }

    void writesItAllWithoutABox()
    {
        const World world;
        const Snapshot before = outsideOf(world);
        std::vector<std::string> command{"/bin/sh", "-c", kDeeds, "sh"};
        for (const std::string& place : kPlaces) {
            command.push_back(place);
        }
        writeFile(world.project() / "evil", "evil\n");
        QCOMPARE(world.runner().bare(command).status, 0);
        const std::string changed = differences(before, outsideOf(world));
        for (const std::string& place : kPlaces) {
            QVERIFY2(changed.find(place + '\n') != std::string::npos
                         || place.find("/revet/") != std::string::npos,
                     place.c_str());
        }
    }

    /// A collection of dotfiles is a project like any other, and what a login reads of it is pinned.
    void writesNoDotfilesOfAProjectThatIsAHome_data() { addTierRows(); }
    void writesNoDotfilesOfAProjectThatIsAHome()
    {
        const World world;
        const std::string tier = fetched("tier");
        world.makeRepository();
        std::vector<std::string> command{"/bin/sh", "-c",
                                         "for place; do mkdir -p $(dirname $place); echo evil >$place; done "
                                         "2>/dev/null; echo fine >README",
                                         "sh"};
        for (const std::string& place : kPlaces) {
            // Of these each key is judged when it is taken over.
            const bool isChecked = place == ".npmrc" || place == ".cargo/config.toml";
            if (!isChecked && place.find("/revet/") == std::string::npos) {
                command.push_back(place);
            }
        }
        QCOMPARE(world.runner().run(tier, command).status, 0);
        if (tier == "container") {
            QCOMPARE(world.runner().revet({"apply", world.runner().lastSession()}).status, 0);
        }
        QCOMPARE(readFile(world.project() / "README"), "fine\n");
        std::string written;
        for (std::size_t i = 4; i < command.size(); ++i) {
            written += fs::exists(world.project() / command[i]) ? command[i] + '\n' : std::string();
        }
        QVERIFY2(written.empty(), written.c_str());
    }

private:
    /// The home without the project and what Revet itself keeps.
    static Snapshot outsideOf(const World& world)
    {
        Snapshot all = snapshot(world.home().home());
        std::erase_if(all, [](const auto& entry) {
            return entry.first.starts_with("project") || entry.first == ".local"
                || entry.first == ".local/share" || entry.first.starts_with(".local/share/revet")
                || entry.first == ".config";
        });
        return all;
    }
};

QTEST_APPLESS_MAIN(EscapeHomeTest)
#include "tst_escape_home.moc"
