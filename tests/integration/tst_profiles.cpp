// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <filesystem>

using namespace revet::test;

namespace {

/// Prints what a GET of each URL says, or how it failed.
constexpr const char* kFetch = "for url in $URLS; do curl -s -m 20 $url || echo \"$url $?\"; echo; done";

} // namespace

/// Profiles in real boxes: which are taken, and what each part of one does.
class ProfilesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        for (const char* const program : {"python3", "curl", "ip", "setpriv", "unshare", "script"}) {
            REVET_NEEDS_PROGRAM(program);
        }
    }

    void namesWhatItChose_data() { addTierRows(); }
    void namesWhatItChose()
    {
        const World world;
        world.makeRepository();
        writeFile(world.project() / "Cargo.toml", "");
        writeProgram(world, "claude", "true");
        const std::string revet = SessionRunner::program("revet") + " run --tier " + fetched("tier");
        const auto onTerminal = [&](const std::string& command) {
            const Finished finished
                = world.runner().bare({"script", "-qec", revet + " -- " + command, "/dev/null"});
            return finished.out;
        };
        // What a box could have made gets no login by its name.
        const std::string own = onTerminal("./claude");
        QVERIFY2(own.find("(cargo, git)") != std::string::npos, own.c_str());
        QVERIFY2(
            own.find("profile claude is not used: a box could have put ./claude there; --profile claude ")
                != std::string::npos,
            own.c_str());
        std::filesystem::create_directory(world.home().home() / "tools");
        std::filesystem::rename(world.project() / "claude", world.home().home() / "tools/claude");
        const std::string lines = onTerminal("../tools/claude");
        QVERIFY2(lines.find("(cargo, claude, git)") != std::string::npos, lines.c_str());
        QVERIFY2(lines.find("api.anthropic.com (its model)") != std::string::npos, lines.c_str());
        const std::string others = onTerminal("/bin/true");
        QVERIFY2(others.find("(cargo, git)") != std::string::npos, others.c_str());
        QVERIFY2(others.find("anthropic") == std::string::npos, others.c_str());
    }

    /// SECURITY.md E042: a command's name opens nothing by itself.
    void isChosenByNoNameThatABoxCanGive_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<bool>("isChosen");
        const auto row = [](const char* command, bool isChosen) {
            QTest::newRow(command) << QString::fromLatin1(command) << isChosen;
        };
        row("~/tools/agent", true);
        row("agent", true);
        row("sh -c agent", false);
        row("env X= agent", false);
        row("timeout 9 agent", false);
        row("./agent", false);
        row("sub/agent", false);
        row("~/tools/../project/agent", false);
        row("/proc/self/cwd/agent", false);
        row("/proc/self/root$PWD/agent", false);
        row("./link", false); // to the agent, today
        row("tools/agent", false); // a link to its directory
        row("~/given/agent", false);
        row("--path :$PATH agent", false);
        row("--path node_modules/.bin:$PATH agent", false);
        row("--path $PWD/sub:$PATH agent", false);
        row("agent\\ -x", false);
        row("AGENT", false);
    }
    void isChosenByNoNameThatABoxCanGive()
    {
        QFETCH(const bool, isChosen);
        const World world;
        writeProfile(world, "mine", "exe = 'agent'\nhosts = ['allowed.test']\n");
        world.prepare("mkdir -p sub node_modules/.bin ~/tools ~/given; "
                      "for d in . sub node_modules/.bin ~/tools ~/given; do printf '#!/bin/sh\\n' >$d/agent; "
                      "chmod +x $d/agent; done; ln -s ~/tools/agent link; ln -s ~/tools tools");
        std::string command = fetched("command");
        std::string path = "~/tools:$PATH";
        if (const std::string option = "--path "; command.starts_with(option)) {
            const std::size_t end = command.find(' ', option.size());
            path = command.substr(option.size(), end - option.size());
            path.replace(path.find("$PATH"), 5, "~/tools:$PATH");
            command.erase(0, end + 1);
        }
        const Finished finished = world.runner().bare(
            {"sh", "-c",
             "export PATH=" + path + "; exec script -qec \"" + SessionRunner::program("revet")
                 + " run --tier sandbox --bind-rw ~/given -- $0\" /dev/null",
             command});
        const bool wasChosen = finished.out.find("(mine)") != std::string::npos;
        QVERIFY2(wasChosen == isChosen, finished.out.c_str());
        QCOMPARE(finished.out.find("allowed.test") != std::string::npos, isChosen);
    }

    void holdsAnAgentByItsManagedSettings_data() { addTierRows(); }
    void holdsAnAgentByItsManagedSettings()
    {
        const World world;
        writeFile(world.home().home() / ".claude/.credentials.json", "of the host");
        writeProgram(world, "claude", R"(
cat /etc/claude-code/managed-settings.json
for deed in 'echo {} >/etc/claude-code/managed-settings.json' 'rm -r /etc/claude-code' \
            'mv /etc/claude-code /etc/other' 'touch /etc/claude-code/more'; do
    (eval "$deed") 2>/dev/null && echo "done: $deed"
done
echo "$CLAUDE_CONFIG_DIR $DISABLE_AUTOUPDATER $ANTHROPIC_API_KEY ${OPENAI_API_KEY-none}"
ls -A ~/.claude
echo hello >~/.claude/history
)");
        RunOptions options;
        options.environment = {{"ANTHROPIC_API_KEY", "k1"}, {"OPENAI_API_KEY", "k2"}};
        const std::string home = world.home().home().string();
        const Finished unproven = world.runner().run(fetched("tier"), {"./claude"}, {}, options);
        QVERIFY2(unproven.out.find("k1") == std::string::npos, unproven.out.c_str());
        const Finished finished
            = world.runner().run(fetched("tier"), {"./claude"}, {"--profile", "claude"}, options);
        QVERIFY2(finished.out.find("\"defaultMode\": \"bypassPermissions\"") != std::string::npos,
                 (finished.out + finished.err).c_str());
        QVERIFY2(finished.out.find("done:") == std::string::npos, finished.out.c_str());
        // Its own key and no other; nothing of what the host's agent knows.
        QVERIFY2(finished.out.ends_with(home + "/.claude 1 k1 none\n"), finished.out.c_str());
        QCOMPARE(readFile(world.home().home() / ".claude/.credentials.json"), "of the host");
        QVERIFY(!std::filesystem::exists(world.home().home() / ".claude/history"));
    }

    void keepsAnAgentsStateForItsUser_data() { addTierRows(); }
    void keepsAnAgentsStateForItsUser()
    {
        const World world;
        const auto run = [&](const std::string& project, const std::vector<std::string>& extra,
                             const std::string& script) {
            RunOptions options;
            options.directory = world.home().home() / project;
            std::filesystem::create_directories(options.directory);
            return world.runner().runScript(fetched("tier"), script, extra, options).out;
        };
        const std::vector<std::string> claude{"--profile", "claude"};
        run("one", claude, "mkdir ~/.claude/projects; echo kept >~/.claude/projects/x");
        QCOMPARE(run("two", claude, "cat ~/.claude/projects/x; mv ~/.claude/projects/x ~/.claude/y"),
                 "kept\n");
        QCOMPARE(run("one", claude, "cat ~/.claude/y"), "kept\n");
        // No agent, no agent's login.
        QCOMPARE(run("two", {}, "cat ~/.claude/y 2>/dev/null || echo nothing"), "nothing\n");
        QCOMPARE(
            run("two", {"--profile", "codex"}, "ls -A ~/.codex; cat ~/.claude/y 2>/dev/null || echo nothing"),
            "nothing\n");
    }

    void givesItsCommandsArguments()
    {
        const World world;
        writeProfile(world, "mine", "exe = 'mine'\narguments = ['--quiet', '-x']\n[set]\nKIND='~/of'\n");
        writeProgram(world, "mine", "echo \"$KIND: $*\"");
        writeProgram(world, "other", "echo \"$KIND: $*\"");
        const std::string of = world.home().home().string() + "/of: ";
        QCOMPARE(world.runner().run("sandbox", {"./mine", "a"}).out, of + "--quiet -x a\n");
        QCOMPARE(world.runner().run("sandbox", {"./mine", "a", "-x"}).out, of + "--quiet a -x\n");
        QCOMPARE(world.runner().run("sandbox", {"./other", "a"}, {"--profile", "mine"}).out, of + "a\n");
        // The person's word for a variable comes first.
        QCOMPARE(world.runner().run("sandbox", {"./mine"}, {"--env", "KIND=own"}).out, "own: --quiet -x\n");
    }

    void reachesWhatAProfileAllows_data() { addTierRows(); }
    void reachesWhatAProfileAllows()
    {
        const World world;
        writeProfile(world, "mine",
                     "hosts = ['allowed.test']\nmodel_hosts = ['$MODEL_URL']\ndeny_hosts = ['other.test']\n");
        const Finished finished = inInternetWith(
            world,
            {"MODEL_URL=http://key@six.test:80/v1",
             "URLS=http://allowed.test http://six.test http://other.test http://www.allowed.test"},
            {"--profile", "mine", "--env", "URLS"}, kFetch);
        QCOMPARE(finished.out,
                 "this is 93.184.216.34\nthis is 2606:4700::1\nhttp://other.test 7\n\n"
                 "http://www.allowed.test 7\n\nasked outside: \n");
        const auto events = world.runner().lastEvents();
        const auto ruleOf = [&events](const char* target) {
            const auto rows = matching(events, {{"kind", "connect"}, {"target", target}});
            return rows.empty() ? std::string("no row")
                                : rows[0].value("rule", "") + ' ' + rows[0].value("reach", "");
        };
        QCOMPARE(ruleOf("allowed.test:80"), "allowed.test beyond");
        QCOMPARE(ruleOf("six.test:80"), "six.test:80 none"); // an agent's own model is not counted
        QCOMPARE(ruleOf("other.test:80"), "denied: other.test none");
        // Nobody is there to be asked, so it is kept as missed.
        QVERIFY2(ruleOf("www.allowed.test:80").starts_with("ask "), ruleOf("www.allowed.test:80").c_str());
    }

    void hearsAPersonBeforeAProfile()
    {
        const World world;
        writeProfile(world, "mine", "hosts = ['allowed.test']\ndeny_hosts = ['other.test', '10.0.0.0/8']\n");
        const std::vector<std::string> urls{"URLS=http://allowed.test http://other.test http://10.7.7.7"};
        const std::vector<std::string> mine{"--tier", "sandbox", "--profile", "mine", "--env", "URLS"};
        std::vector<std::string> more = mine;
        more.insert(more.end(), {"--allow-host", "other.test", "--allow-host", "10.7.7.0/24"});
        QCOMPARE(inInternetWith(world, urls, more, kFetch).out,
                 "this is 93.184.216.34\nthis is 93.184.216.35\nthis is 10.7.7.7\nasked outside: \n");
        QCOMPARE(world.runner().revet({"project", "set", "deny_hosts+=allowed.test:80"}).status, 0);
        QCOMPARE(inInternetWith(world, urls, more, kFetch).out,
                 "http://allowed.test 7\n\nthis is 93.184.216.35\nthis is 10.7.7.7\nasked outside: \n");
        QTRY_COMPARE(usesOf(world, "allowed.test:80"), "project 1"); // after the session's last line
        // Whole, and by the same person: a mistake.
        const Finished refused
            = world.runner().run("sandbox", {"/bin/true"}, {"--allow-host", "allowed.test:80"});
        QCOMPARE(refused.status, 125);
        QVERIFY2(refused.err.find("it is denied as well") != std::string::npos, refused.err.c_str());
        // A repository can deny without anybody's trust, but stops no session by it.
        writeFile(world.project() / ".revet.toml",
                  "deny_hosts = ['other.test']\nallow_hosts = ['closed.test']\n");
        QCOMPARE(inInternetWith(world, urls, more, kFetch).out,
                 "http://allowed.test 7\n\nhttp://other.test 7\n\nthis is 10.7.7.7\nasked outside: \n");
    }

    void takesRegistriesFromTheUsersConfiguration()
    {
        const World world;
        writeFile(world.project() / "package.json", "{}");
        writeFile(world.project() / ".npmrc", "registry=http://other.test/\n"); // a box's own word, maybe
        writeFile(world.home().home() / ".npmrc",
                  "//allowed.test/:_authToken=word\nregistry=http://me:word@allowed.test/npm/\n");
        const Finished finished = inInternetWith(
            world, {"URLS=http://allowed.test http://other.test"}, {"--tier", "sandbox", "--env", "URLS"},
            std::string("echo $npm_config_registry; cat ~/.npmrc 2>/dev/null; ") + kFetch);
        QCOMPARE(finished.out,
                 "http://allowed.test/npm/\nthis is 93.184.216.34\nhttp://other.test 7\n\nasked outside: \n");
    }

private:
    /// Of a host in the settings, by `revet project`.
    static std::string usesOf(const World& world, const std::string& host)
    {
        const auto rows = matching(world.runner().list({"project"}), {{"value", host}});
        return rows.empty() || !rows[0].contains("hits") || !rows[0].contains("last_use")
            ? std::string("none")
            : rows[0].value("source", "") + ' ' + std::to_string(rows[0].value("hits", 0));
    }
    static void writeProfile(const World& world, const std::string& name, const std::string& text)
    {
        writeFile(world.home().home() / ".config/revet/profiles" / (name + ".toml"), text);
    }
    static void writeProgram(const World& world, const std::string& name, const std::string& script)
    {
        const auto file = world.project() / name;
        writeFile(file, "#!/bin/bash\n" + script + "\n");
        std::filesystem::permissions(file, std::filesystem::perms::owner_exec,
                                     std::filesystem::perm_options::add);
    }
    /// With variables of the caller's.
    static Finished inInternetWith(const World& world, std::vector<std::string> variables,
                                   const std::vector<std::string>& options, const std::string& script)
    {
        variables.insert(variables.begin(), "env");
        variables.insert(variables.end(), {SessionRunner::program("revet"), "run"});
        if (QTest::currentDataTag() != nullptr) {
            variables.insert(variables.end(), {"--tier", fetched("tier")});
        }
        variables.insert(variables.end(), options.begin(), options.end());
        variables.insert(variables.end(), {"--", "/bin/sh", "-c", script});
        return onInternet(world, variables);
    }
};

QTEST_GUILESS_MAIN(ProfilesTest)
#include "tst_profiles.moc"
