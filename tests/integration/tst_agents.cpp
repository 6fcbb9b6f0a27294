// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <set>

using namespace revet::test;

/// Agents as npm installs them, unchanged, each with its profile, doing a task for a model that this machine
/// plays: `npm install --prefix DIR node@22 @anthropic-ai/claude-code @openai/codex`, and REVET_AGENTS=DIR.
/// In front of the scripts: moc takes raw strings for ordinary ones.
class AgentsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void doesATask_data();
    void doesATask();
    void isUsedOnATerminal_data();
    void isUsedOnATerminal();
};

namespace {

/// Plays the model at closed.test, and a registry of npm's at far.test.
constexpr const char* kServices = R"(
mkdir "$TMPDIR/far"; cd "$TMPDIR/far"
model=$0; services=$1; shift
python3 "$model" 93.184.216.36 80 "$@" >asked 2>&1 & model=$!
until curl -so /dev/null http://93.184.216.36/; do kill -0 $model || exit 1; sleep 0.1; done
python3 "$services" far.test "$PWD" 93.184.216.40 2606:4700::40 -- npm
kill $model
)";
/// Reading, editing, checking, installing, committing; what nobody has listed; what it must not have.
const std::vector<std::string> kTask{
    "cat notes",
    "echo 'by the agent' >>notes",
    "sh check.sh",
    "npm install --silent toy && node -p 'require(\"toy\")'",
    "git commit -qm edited notes && git log -1 --format=%s",
    "curl -s http://other.test",
    "cat ~/.ssh/id_ed25519 2>/dev/null || echo no key",
    "echo x 2>/dev/null >.git/hooks/pre-commit || echo no hook",
};

/// What a person does: what the agent's own files need, and then either the task or the terminal.
constexpr const char* kBegin = R"(
agents=$1; agent=$2; shift 2
export PATH=$agents/node_modules/.bin:/usr/bin:/bin
export ANTHROPIC_BASE_URL=http://closed.test ANTHROPIC_API_KEY=key OPENAI_API_KEY=key
case $agent in
claude)
    profile=claude settings=.claude/.claude.json
    contents='{"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": {"approved": ["key"]},
        "projects": {"'$PWD'": {"hasTrustDialogAccepted": true}}}'
    set -- claude; once='-p'; prompt='bypass permissions on'; ;;
codex)
    # It takes no address from its environment.
    profile=mock settings=.codex/config.toml
    contents='model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://closed.test/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
[projects."'$PWD'"]
trust_level = "trusted"'
    set -- codex; once='exec'; prompt='mock default'; ;;
esac
contents=$contents "$revet" run --tier "$tier" --profile $agent --env contents -- \
    sh -c 'echo "$contents" >~/'$settings || exit 1
)";
constexpr const char* kDoTask = R"(
start --on-ask 5m --profile $profile --bind-ro $agents -- "$@" $once 'do it'
it=$(ask); yes $it --scope process >&2
finish; cat box.err >&2
echo "asks: `"$revet" asks --all --json | valuesOf target`"
)";
constexpr const char* kOnTerminal = R"(
interrupt=`printf '\003'`
python3 $terminal "$prompt" "$interrupt" again "$interrupt" -- "$revet" run --tier "$tier" --profile $profile --bind-ro $agents -- "$@"
echo "status $?"
echo "asks: `"$revet" asks --all --json | valuesOf target`"
)";

Finished run(const World& world, const std::string& script)
{
    world.makeRepository();
    writeFile(world.project() / "notes", "notes\n");
    writeFile(world.project() / "check.sh", "grep -q 'by the agent' notes && echo checked\n");
    writeFile(world.project() / "package.json", "{}");
    world.prepare("git add . && git commit -qm notes");
    writeFile(world.home().home() / ".npmrc", "registry=http://far.test/npm/\n");
    writeFile(world.home().home() / ".ssh/id_ed25519", "key");
    writeFile(world.home().home() / ".config/revet/profiles/mock.toml", "model_hosts = ['closed.test']\n");
    std::vector<std::string> services{"/bin/sh", "-c", kServices, REVET_AGENT_DIRECTORY "/model_api.py",
                                      REVET_CLIENT_DIRECTORY "/services.py"};
    services.insert(services.end(), kTask.begin(), kTask.end());
    return scriptOnInternet(world, kBegin + ("terminal=" REVET_AGENT_DIRECTORY "/on_terminal.py\n" + script),
                            {std::filesystem::canonical(std::getenv("REVET_AGENTS")), fetched("agent")},
                            services);
}

/// Where it went but for itself, its model, the registry, what its profile denies, and `asked`; a line each.
std::string othersThan(const World& world, const std::string& asked)
{
    std::set<std::string> others;
    for (const nlohmann::json& event : matching(world.runner().lastEvents(), {{"kind", "connect"}})) {
        const std::string what = event.value("target", "") + ' ' + event.value("verdict", "") + ' '
            + event.value("reach", "") + ' ' + event.value("rule", "");
        if (!what.starts_with("127.0.0.1:") && !what.starts_with("closed.test:80 permitted none")
            && !what.starts_with("far.test:80 permitted") && (asked.empty() || !what.starts_with(asked))
            && what.find("denied none denied: ") == std::string::npos) {
            others.insert(what + '\n');
        }
    }
    return std::accumulate(others.begin(), others.end(), std::string());
}

} // namespace

void AgentsTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    if (std::getenv("REVET_AGENTS") == nullptr) {
        QSKIP("REVET_AGENTS names no directory with agents in it");
    }
}

void AgentsTest::doesATask_data()
{
    addTierRows("agent", {"claude", "codex"});
}
void AgentsTest::doesATask()
{
    const World world;
    const Finished finished = run(world, kDoTask);
    const std::string all = text(finished);
    for (const char* const line :
         {"status 0: ", "notes\n", "checked\n", "a toy\n", "edited\n", "this is 93.184.216.35", "no key\n",
          "no hook", "\nasks: other.test:80\n"}) {
        const bool isOfTier = std::string_view(line) != "no hook" || fetched("tier") == "sandbox";
        QVERIFY2(!isOfTier || finished.out.find(line) != std::string::npos, (line + ('\n' + all)).c_str());
    }
    if (fetched("agent") == "codex") { // by the file in the box's /etc, since nothing else says so
        QVERIFY2(all.find("approval: never\nsandbox: danger-full-access\n") != std::string::npos,
                 all.c_str());
    }
    QCOMPARE(readFile(world.project() / "notes"),
             fetched("tier") == "sandbox" ? "notes\nby the agent\n" : "notes\n");
    REVET_VERIFY_NONE(othersThan(world, "other.test:80 "));
}

void AgentsTest::isUsedOnATerminal_data()
{
    addTierRows("agent", {"claude", "codex"});
}
void AgentsTest::isUsedOnATerminal()
{
    const World world;
    const Finished finished = run(world, kOnTerminal);
    QVERIFY2(finished.out.find("\nstatus 0\nasks: \n") != std::string::npos, text(finished).c_str());
    REVET_VERIFY_NONE(othersThan(world, {}));
}

QTEST_GUILESS_MAIN(AgentsTest)
#include "tst_agents.moc"
