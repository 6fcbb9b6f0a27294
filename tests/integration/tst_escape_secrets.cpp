// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/asking.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <array>
#include <filesystem>

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace revet::test;

namespace {

constexpr const char* kKeyName = "revet-test-canary";
constexpr const char* kSecret = "SECRET-CANARY";

/// Where secrets lie in a home.
constexpr std::array<const char*, 20> kSecretPlaces{".ssh/id_ed25519",
                                                    ".ssh/config",
                                                    ".aws/credentials",
                                                    ".config/gcloud/credentials.db",
                                                    ".azure/accessTokens.json",
                                                    ".kube/config",
                                                    ".docker/config.json",
                                                    ".netrc",
                                                    ".npmrc",
                                                    ".pypirc",
                                                    ".cargo/credentials.toml",
                                                    ".git-credentials",
                                                    ".gnupg/private-keys-v1.d/key",
                                                    ".bash_history",
                                                    ".config/gh/hosts.yml",
                                                    ".mozilla/firefox/default/logins.json",
                                                    ".local/share/keyrings/login.keyring",
                                                    ".config/rclone/rclone.conf",
                                                    ".pgpass",
                                                    "other-project/.env"};

/// A key in the user's keyring, as login managers and programs keep them; gone with this object.
class HostKey
{
public:
    HostKey()
        : m_key(::syscall(SYS_add_key, "user", kKeyName, kSecret, std::string_view(kSecret).size(),
                          KEY_SPEC_USER_KEYRING))
    {
    }
    ~HostKey() { ::syscall(SYS_keyctl, KEYCTL_UNLINK, m_key, KEY_SPEC_USER_KEYRING); }
    HostKey(const HostKey&) = delete;
    HostKey& operator=(const HostKey&) = delete;
    HostKey(HostKey&&) = delete;
    HostKey& operator=(HostKey&&) = delete;
    [[nodiscard]] bool exists() const { return m_key > 0; }

private:
    long m_key;
};

} // namespace

/// SECURITY.md E004, E005, E009 and keyrings: what the host knows does not cross.
class EscapeSecretsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    /// A PATH as people have it, and links that an earlier box left in the project's part of it.
    void showsNoMoreOfTheHomeThanProgramsNeed_data() { addTierRows(); }
    void showsNoMoreOfTheHomeThanProgramsNeed()
    {
        const World world;
        const std::filesystem::path home = world.home().home();
        for (const char* const file :
             {".local/share/keyrings/login.keyring", ".cargo/credentials.toml", "Documents/tax.txt",
              "other-project/src/plan", ".config/app/state", "tool/src/plan", "tool/etc/npmrc"}) {
            writeFile(home / file, kSecret);
        }
        writeFile(home / ".cargo/config.toml", "jobs = 2\ntoken = \"" + std::string(kSecret) + "\"\n");
        world.prepare("mkdir -p ~/.local/bin ~/.cargo/bin ~/tool/bin .venv/bin && touch Cargo.toml");
        RunOptions options;
        options.environment["PATH"] = home.string() + "/.local/bin:" + home.string() + "/.cargo/bin:"
            + home.string() + "/tool/bin:" + world.project().string() + "/.venv/bin:/usr/bin:/bin";
        const std::string plant
            = "cd .venv/bin; for t in Documents/tax.txt other-project/src/plan .config/app/state "
              ".local/share/revet/catalogue.db; do ln -s ~/$t $(basename $t); done";
        QCOMPARE(world.runner().run(fetched("tier"), {"/bin/sh", "-c", plant}, {}, options).status, 0);
        if (fetched("tier") == "container") {
            QCOMPARE(world.runner().revet({"apply"}).status, 0);
        }
        const Finished look = world.runner().run(fetched("tier"),
                                                 {"/bin/sh", "-c",
                                                  "find ~ -type f -exec cat {} + ; cat .venv/bin/*; ls -A "
                                                  "~/.local/share; cat ~/.cargo/config.toml"},
                                                 {}, options);
        QVERIFY2(look.out.find(kSecret) == std::string::npos, look.out.c_str());
        QVERIFY2(look.out.find("revet") == std::string::npos, look.out.c_str());
        QVERIFY2(look.out.find("jobs = 2") != std::string::npos, text(look).c_str());
    }

    void showsNoHiddenFileInTheNextSession_data()
    {
        QTest::addColumn<QString>("tier");
        QTest::addColumn<QByteArray>("deed");
        for (const char* const tier : {"sandbox", "container"}) {
            const QString name = QString::fromLatin1(tier);
            QTest::addRow("%s: tracked", tier)
                << name << QByteArray("git init -q . && git add -f .env conf/.env");
            QTest::addRow("%s: moved", tier) << name << QByteArray("! mv .env notes && ! mv -T notes .env");
            QTest::addRow("%s: its directory", tier) << name << QByteArray("mv conf build || true");
            QTest::addRow("%s: linked", tier) << name << QByteArray("! ln .env notes");
            QTest::addRow("%s: removed", tier) << name << QByteArray("! rm -f .env");
            QTest::addRow("%s: exchanged", tier)
                << name << QByteArray("echo > x; mv -f x .env; ! test -e notes");
        }
    }
    void showsNoHiddenFileInTheNextSession()
    {
        QFETCH(const QByteArray, deed);
        const World world;
        writeFile(world.project() / ".env", kSecret);
        writeFile(world.project() / "conf/.env", kSecret);
        const SessionRunner& runner = world.runner();
        const Finished first = runner.runScript(fetched("tier").c_str(), deed.toStdString());
        QVERIFY2(deed.contains("mv") || first.status == 0, first.err.c_str());
        QCOMPARE(readFile(world.project() / ".env"), std::string(kSecret));
        QCOMPARE(readFile(world.project() / "conf/.env"), std::string(kSecret));
        const std::string look = "find . -type f -exec cat {} +";
        for (const char* const tier : {"sandbox", "container"}) {
            const Finished second = runner.runScript(tier, look);
            QVERIFY2(second.out.find(kSecret) == std::string::npos, tier);
        }
        const Finished shown = runner.runScript("sandbox", look, {"--unhide", ".env"});
        QVERIFY(shown.out.find(kSecret) != std::string::npos);
    }

    void hidesAgainWhatTheHostReplaces_data() { addTierRows(); }
    void hidesAgainWhatTheHostReplaces()
    {
        const World world;
        writeFile(world.project() / ".env", kSecret);
        writeFile(world.project() / "conf/.env", kSecret);
        // An editor that saves; files that go and come; a directory in the place of one.
        const Finished finished
            = steering(world,
                       "box; hides() { go 'while grep -rqs SECRET .env conf; do sleep 0.02; done'; }; hides\n"
                       "echo SECRET >new; mv new .env; hides\n"
                       "rm .env conf/.env; hides; echo SECRET >.env; echo SECRET >conf/.env; hides\n"
                       "rm .env; mkdir .env; echo SECRET >.env/x; hides; end; cat .env/x\n");
        REVET_VERIFY_NONE(unlessHolds(finished, {"= 0\n= 0\n= 0\n= 0\n= 0\n", "SECRET\n"}));
        const bool isDirect = fetched("tier") == "sandbox"; // a layer shows what it has found first
        QCOMPARE(missingEvent(world, {.kinds = {"session"}, .verdicts = {"withheld"}, .target = "conf/.env"}),
                 "");
        const auto again
            = matching(world.runner().lastEvents(),
                       {{"rule", "hidden table: the host has put another file there, hidden again"}});
        QCOMPARE(again.empty(), !isDirect);
    }

    /// What was hidden is remembered by a project's path, which the person may change.
    void showsNoHiddenFileInAProjectThatMoved()
    {
        const World world;
        writeFile(world.project() / ".env", kSecret);
        world.makeRepository();
        const Finished first
            = world.runner().runScript("sandbox", "git add -f .env && git commit -qm x && cat .env");
        QVERIFY2(first.status == 0 && first.out.empty(), text(first).c_str());
        std::filesystem::rename(world.project(), world.home().home() / "moved");
        RunOptions moved;
        moved.directory = world.home().home() / "moved";
        const Finished second = world.runner().runScript("sandbox", "cat .env tracked", {}, moved);
        QCOMPARE(second.out, std::string("text\n"));
    }

    void passesNoVariableOfTheCaller_data() { addTierRows(); }
    void passesNoVariableOfTheCaller()
    {
        const World world;
        const std::vector<std::string> names{"CANARY_TOKEN",
                                             "AWS_SECRET_ACCESS_KEY",
                                             "SSH_AUTH_SOCK",
                                             "DOCKER_HOST",
                                             "DBUS_SESSION_BUS_ADDRESS",
                                             "OPENAI_API_KEY",
                                             "GIT_ASKPASS",
                                             "KUBECONFIG",
                                             "LD_PRELOAD_CANARY",
                                             "XDG_RUNTIME_DIR_CANARY"};
        RunOptions options;
        for (const std::string& name : names) {
            options.environment[name] = kSecret;
        }
        QCOMPARE(world.bareDeed("leak_env", names, options).status, 0);
        const Finished finished = world.deed(fetched("tier"), "leak_env", names, {}, options);
        QVERIFY2(finished.status == 1, (finished.out + finished.err).c_str());
        QVERIFY2(finished.out.find("environ self OK") != std::string::npos, finished.out.c_str());
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"exec"}, .target = "leak_env"}));
        for (const auto& event : world.runner().lastEvents()) {
            QVERIFY(event.dump().find(kSecret) == std::string::npos);
        }
    }

    void passesAVariableThatIsAskedFor_data() { addTierRows(); }
    void passesAVariableThatIsAskedFor()
    {
        const World world;
        RunOptions options;
        options.environment["FROM_CALLER"] = "one";
        const Finished finished
            = world.runner().run(fetched("tier"), {"/bin/sh", "-c", "echo $FROM_CALLER $GIVEN"},
                                 {"--env", "FROM_CALLER", "--env", "GIVEN=two"}, options);
        QCOMPARE(finished.out, "one two\n");
    }

    void inheritsNoDescriptorBeyondTheStandardOnes_data() { addTierRows(); }
    void inheritsNoDescriptorBeyondTheStandardOnes()
    {
        const World world;
        const std::string victim = world.victim("list_fds");
        const Finished bare
            = world.runner().bare({"/bin/sh", "-c", "exec 7</etc/hostname 8</tmp; exec " + victim});
        QCOMPARE(bare.status, 0);
        const Finished finished
            = world.runner().bare({"/bin/sh", "-c",
                                   "exec 7</etc/hostname 8</tmp; exec " + SessionRunner::program("revet")
                                       + " run --tier " + fetched("tier") + " -- " + victim});
        QVERIFY2(finished.status == 1, (finished.out + finished.err).c_str());
        QVERIFY(finished.out.find("directory") == std::string::npos);
        REVET_VERIFY_NONE(missingEvent(world, {.kinds = {"exec"}, .target = "list_fds"}));
    }

    void readsNoSecretOfTheHome_data() { addTierRows(); }
    void readsNoSecretOfTheHome()
    {
        const World world;
        const std::string home = world.home().home();
        std::vector<std::string> direct;
        std::vector<std::string> paths;
        for (const char* const place : kSecretPlaces) {
            writeFile(world.home().home() / place, kSecret);
            direct.push_back(home + '/' + place);
            for (const std::string prefix : {"", "/proc/self/root", "/proc/self/cwd/../../..", "/proc/1/root",
                                             "/proc/self/task/1/root", "/usr/..", "/."}) {
                const bool isRelativeAlias = prefix.find("cwd") != std::string::npos;
                paths.push_back(prefix
                                + (isRelativeAlias ? "/home/" + std::string(place) : home + '/' + place));
            }
        }
        const Finished finished = world.deed(fetched("tier"), "read_path", paths);
        QVERIFY2(finished.status == 1, finished.out.c_str());
        QVERIFY(finished.out.find(kSecret) == std::string::npos);
        REVET_VERIFY_NONE(otherThan(finished, {"ENOENT", "EACCES"}));
        REVET_VERIFY_NONE(missingEvents(world, {.kinds = {"read"}, .verdicts = {"withheld"}}, direct));
    }

    void readsNoSecretOfTheMachine_data() { addTierRows(); }
    void readsNoSecretOfTheMachine()
    {
        const World world;
        const Finished finished = world.deed(fetched("tier"), "read_path",
                                             {"/etc/shadow", "/etc/ssh/ssh_host_ed25519_key",
                                              "/etc/ssl/private/ssl-cert-snakeoil.key", "/root/.bashrc",
                                              "/var/log/dpkg.log", "/proc/kcore", "/dev/kmsg", "/dev/mem",
                                              "/sys/kernel/debug", "/proc/1/environ", "/etc/machine-id"});
        REVET_VERIFY_NONE(otherThan(finished, {"ENOENT", "EACCES", "EPERM"}));
    }

    void findsNoKeyOfTheHostsKeyrings_data() { addTierRows(); }
    void findsNoKeyOfTheHostsKeyrings()
    {
        const World world;
        const HostKey key;
        if (!key.exists()) {
            QSKIP("the kernel has no keyrings, or the user's quota is used up");
        }
        const Finished bare = world.bareDeed("try_keyring", {kKeyName});
        QVERIFY(bare.out.find(kSecret) != std::string::npos);
        const Finished finished = world.deed(fetched("tier"), "try_keyring", {kKeyName});
        QVERIFY2(finished.out.find(kSecret) == std::string::npos, finished.out.c_str());
        QVERIFY(finished.out.find("listed") == std::string::npos);
        const Results results = resultsOf(finished);
        for (const char* const attempt : {"search session", "search user", "search user-session", "add"}) {
            QCOMPARE(results.at(attempt), "EPERM");
        }
        REVET_VERIFY_NONE(
            missingEvents(world, {.kinds = {"syscall"}, .verdicts = {"denied"}}, {"keyctl", "add_key"}));
    }
};

QTEST_APPLESS_MAIN(EscapeSecretsTest)
#include "tst_escape_secrets.moc"
