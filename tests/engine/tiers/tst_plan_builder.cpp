// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/plan_builder.h"
#include "engine/tiers/system_view.h"
#include "tests/support/golden_file.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>

using namespace revet;

namespace {

/// A line about what only some machines have: it need not be there, but where it is it must be known.
constexpr std::string_view kOptional = "? ";

bool dependsOnTheMachine(const launcher::Step& step)
{
    using launcher::StepKind;
    const bool isTop = step.target.find('/', 1) == std::string::npos;
    switch (step.kind) {
    case StepKind::Symlink:
        return isTop; // /bin and its like
    case StepKind::Bind:
        return step.target.starts_with("/etc/") || step.target.ends_with("/store")
            || (isTop && step.target != "/usr");
    default: // NOLINT(clang-diagnostic-switch-enum): the others come from the specification
        return false;
    }
}

std::string dump(const launcher::Plan& plan, const std::string& home)
{
    std::string text;
    const auto add = [&](std::string_view who, const std::vector<launcher::Step>& steps) {
        for (const launcher::Step& step : steps) {
            text += std::string(dependsOnTheMachine(step) ? kOptional : "") + std::string(who) + ": "
                + launcher::describe(step) + '\n';
        }
    };
    add("keeper", plan.outer);
    add("init", plan.init);
    add("command", plan.command);
    for (std::size_t at = 0; (at = text.find(home, at)) != std::string::npos;) {
        text.replace(at, home.size(), "HOME");
    }
    return text;
}

/// The lines that every machine has, in order, and the others.
std::pair<std::string, std::set<std::string>> sorted(const std::string& text)
{
    std::pair<std::string, std::set<std::string>> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kOptional)) {
            result.second.insert(line);
        } else {
            result.first += line + '\n';
        }
    }
    return result;
}

tiers::BoxSpec specification(Tier tier, const std::string& home)
{
    tiers::BoxSpec spec;
    spec.tier = tier;
    spec.project = home + "/project";
    spec.layer = home + "/data/layer";
    spec.sideRoots = {home + "/main/.git"};
    spec.masked = {home + "/project/.env"};
    spec.emptyFile = home + "/data/empty/file";
    spec.emptyDirectory = home + "/data/empty/directory";
    spec.home = home;
    spec.privateHome = home + "/data/home";
    spec.visible = {{home + "/.cargo/bin", {}, tiers::VisiblePath::Access::ReadOnly},
                    {home + "/shared", {}, tiers::VisiblePath::Access::ReadWrite}};
    spec.caches = {{home + "/.cache/pip", home + "/data/caches/0"}};
    spec.uid = 1000;
    spec.gid = 1000;
    spec.userName = "someone";
    spec.gitConfig = "[user]\n";
    spec.removeAtEnd = {home + "/run/control.sock"};
    return spec;
}

} // namespace

/// The plans of both tiers, step by step: a wall that goes missing shows as a line that does.
class PlanBuilderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void buildsTheGoldenPlan_data()
    {
        QTest::addColumn<int>("tier");
        QTest::newRow("sandbox") << static_cast<int>(Tier::Sandbox);
        QTest::newRow("container") << static_cast<int>(Tier::Container);
    }
    void buildsTheGoldenPlan()
    {
        QFETCH(const int, tier);
        const std::string home = "/home/someone";
        const auto plan = tiers::buildPlan(specification(static_cast<Tier>(tier), home));
        QVERIFY2(plan.has_value(), plan ? "" : toString(plan.error()).c_str());
        const std::string name = "plan-" + std::string(QTest::currentDataTag()) + ".txt";
        const std::string now = dump(*plan, home);
        const auto [wanted, known] = sorted(test::readGolden(name));
        const auto [fixed, optional] = sorted(now);
        std::string unknown;
        for (const std::string& line : optional) {
            unknown += known.contains(line) ? "" : line + '\n';
        }
        if (test::updatesGolden()) {
            std::string text = fixed;
            std::set<std::string> all = known;
            all.insert(optional.begin(), optional.end());
            for (const std::string& line : all) {
                text += line + '\n';
            }
            QCOMPARE(test::differenceFromGolden(name, text), "");
            return;
        }
        QCOMPARE(fixed, wanted);
        QVERIFY2(unknown.empty(), ("not in the golden plan:\n" + unknown).c_str());
    }

    void hasAGatewayWhereItHasANetwork_data() { buildsTheGoldenPlan_data(); }
    void hasAGatewayWhereItHasANetwork()
    {
        QFETCH(const int, tier);
        tiers::BoxSpec spec = specification(static_cast<Tier>(tier), "/home/someone");
        const auto without = tiers::buildPlan(spec);
        spec.hasNetwork = true;
        const auto with = tiers::buildPlan(spec);
        QVERIFY(without.has_value() && with.has_value());
        // A launcher that was started before the network was known can go on.
        const auto& first = tiers::systemView();
        QVERIFY(std::equal(first.begin(), first.end(), with->outer.begin()));
        std::vector<std::string> differences;
        for (const auto& [one, other, sign] :
             {std::tuple(&*with, &*without, "+ "), std::tuple(&*without, &*with, "- ")}) {
            std::istringstream lines(launcher::describe(*one));
            const std::string all = launcher::describe(*other);
            for (std::string line; std::getline(lines, line);) {
                if (all.find(line + '\n') == std::string::npos) {
                    differences.push_back(sign + line);
                }
            }
        }
        QCOMPARE(differences, (std::vector<std::string>{"+ keeper: gateway /old/host/proc"}));
    }

    void closesTheWallsInOrder_data() { buildsTheGoldenPlan_data(); }
    void closesTheWallsInOrder()
    {
        QFETCH(const int, tier);
        const auto plan = tiers::buildPlan(specification(static_cast<Tier>(tier), "/home/someone"));
        QVERIFY(plan.has_value());
        const auto place = [&](const std::vector<launcher::Step>& steps, launcher::StepKind kind) {
            return std::find_if(steps.begin(), steps.end(),
                                [kind](const launcher::Step& step) { return step.kind == kind; })
                - steps.begin();
        };
        using launcher::StepKind;
        // Without no-new-privileges an ordinary user can load no filter; after the filters nothing else of
        // the launcher's may be left to do but closing descriptors; keyrings are refused by the filter.
        const auto& command = plan->command;
        QVERIFY(place(command, StepKind::FreshKeyring) < place(command, StepKind::LoadFilter));
        QVERIFY(place(command, StepKind::DropCapabilities) < place(command, StepKind::LoadFilter));
        QVERIFY(place(command, StepKind::NoNewPrivileges) < place(command, StepKind::LoadFilter));
        QVERIFY(command.back().kind == StepKind::CloseDescriptors);
        // The host's tree is away before anything of the box runs, and its mounts belong to the outer user
        // namespace.
        const auto& init = plan->init;
        QVERIFY(place(init, StepKind::DetachHost) < place(init, StepKind::InnerUser));
        QVERIFY(place(init, StepKind::ReadOnly) < place(init, StepKind::InnerUser));
        QVERIFY(place(init, StepKind::LimitNamespaces) > place(init, StepKind::InnerUser));
        QVERIFY(init.back().kind == StepKind::HideInit);
    }
};

REVET_GOLDEN_MAIN(PlanBuilderTest)
#include "tst_plan_builder.moc"
