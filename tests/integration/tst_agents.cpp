// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <cstdlib>
#include <filesystem>
#include <set>

using namespace revet::test;

namespace {

/// Plays the model at closed.test while the rest of the line runs.
constexpr const char* kWithModel = R"(
python3 "$0" 93.184.216.36 80 "$1" >"$TMPDIR/asked" 2>&1 & model=$!
until curl -so /dev/null http://93.184.216.36/; do sleep 0.1; done
shift
"$@" </dev/null
status=$?
kill $model
exit $status
)";
constexpr const char* kTask
    = "cat notes; echo 'by the agent' >>notes; curl -s -m 5 http://other.test || echo refused $?; "
      "cat ~/.ssh/id_ed25519 2>/dev/null || echo no key; "
      "echo x 2>/dev/null >.git/hooks/pre-commit || echo no hook";

} // namespace

/// Agents as npm installs them, unchanged, each with its profile, doing a task for a model that this machine
/// plays: `npm install --prefix DIR node@22 @anthropic-ai/claude-code @openai/codex`, and REVET_AGENTS=DIR.
class AgentsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        if (std::getenv("REVET_AGENTS") == nullptr) {
            QSKIP("REVET_AGENTS names no directory with agents in it");
        }
    }

    void doesATask_data() { addTierRows("agent", {"claude", "codex"}); }
    void doesATask()
    {
        const World world;
        world.makeRepository();
        writeFile(world.project() / "notes", "notes\n");
        writeFile(world.home().home() / ".ssh/id_ed25519", "key");
        const Finished finished = run(world);
        const std::string all = finished.out + finished.err;
        QVERIFY2(finished.status == 0, all.c_str());
        for (const char* const line : {"notes\n", "refused 7\n", "no key\n", "no hook"}) {
            const bool isOfTier = std::string_view(line) != "no hook" || fetched("tier") == "sandbox";
            QVERIFY2(!isOfTier || finished.out.find(line) != std::string::npos, all.c_str());
        }
        if (fetched("agent") == "codex") { // by the file in the box's /etc, since nothing else says so
            QVERIFY2(all.find("approval: never\nsandbox: danger-full-access\n") != std::string::npos,
                     all.c_str());
        }
        QCOMPARE(readFile(world.project() / "notes"),
                 fetched("tier") == "sandbox" ? "notes\nby the agent\n" : "notes\n");
        // Its model, what it was told to try, and what its profile denies: it reaches for nothing else.
        std::set<std::string> others;
        for (const nlohmann::json& event : matching(world.runner().lastEvents(), {{"kind", "connect"}})) {
            const std::string what = event.value("target", "") + ' ' + event.value("verdict", "") + ' '
                + event.value("reach", "") + ' ' + event.value("rule", "");
            if (!what.starts_with("closed.test:80 permitted none")
                && !what.starts_with("other.test:80 denied")
                && what.find("denied none denied: ") == std::string::npos) {
                others.insert(what);
            }
        }
        std::string told;
        for (const std::string& other : others) {
            told += other + '\n';
        }
        QCOMPARE(told, "");
    }

private:
    static Finished run(const World& world)
    {
        const std::string agents = std::filesystem::canonical(std::getenv("REVET_AGENTS"));
        std::vector<std::string> words{"sh",
                                       "-c",
                                       kWithModel,
                                       REVET_MODEL_API,
                                       kTask,
                                       "env",
                                       "PATH=" + agents + "/node_modules/.bin:/usr/bin:/bin"};
        const bool isClaude = fetched("agent") == "claude";
        if (isClaude) {
            words.insert(words.end(), {"ANTHROPIC_BASE_URL=http://closed.test", "ANTHROPIC_API_KEY=key"});
        } else {
            // It takes no address from its environment.
            const auto profile = world.home().home() / ".config/revet/profiles/mock.toml";
            writeFile(profile, "model_hosts = ['closed.test']\n");
            words.emplace_back("OPENAI_API_KEY=key");
        }
        words.insert(
            words.end(),
            {SessionRunner::program("revet"), "run", "--tier", fetched("tier"), "--bind-ro", agents});
        if (isClaude) {
            words.insert(words.end(), {"--", "claude", "-p", "do it"});
        } else {
            words.insert(words.end(),
                         {"--profile", "mock", "--", "codex", "-m", "mock", "-c", "model_provider=mock", "-c",
                          "model_providers.mock={name=\"mock\",base_url=\"http://closed.test/v1\","
                          "env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}",
                          "exec", "do it"});
        }
        return onInternet(world, words);
    }
};

QTEST_GUILESS_MAIN(AgentsTest)
#include "tst_agents.moc"
