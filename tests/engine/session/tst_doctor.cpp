// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/doctor_machine.h"
#include "engine/session/doctor_probes.h"
#include "engine/session/tier_health.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <algorithm>
#include <cerrno>
#include <functional>

using namespace revet;
using namespace revet::session;
using launcher::StepKind;

namespace {

using Status = DoctorCheck::Status;

/// A home of its own, for this process too: accounts are found by HOME.
class World
{
public:
    World()
    {
        qputenv("HOME", QByteArray::fromStdString(m_home.home().string()));
        m_places.config = m_home.home() / ".config/revet";
        m_places.data = m_home.dataHome() / "revet";
        m_places.runtime = m_home.runtimeDirectory() / "revet";
        m_places.cache = m_home.home() / ".cache/revet";
        for (const auto& place : {m_places.config, m_places.data, m_places.runtime, m_places.cache}) {
            const auto made = makePrivateDirectory(place);
            Q_ASSERT(made);
        }
    }
    [[nodiscard]] const Places& places() const { return m_places; }

private:
    test::TempHome m_home;
    Places m_places;
};

const DoctorCheck* find(const std::vector<DoctorCheck>& checks, const std::string& name)
{
    const auto found = std::find_if(checks.begin(), checks.end(),
                                    [&name](const DoctorCheck& check) { return check.name == name; });
    return found == checks.end() ? nullptr : &*found;
}

/// What did not pass, a line each; empty when everything did.
QByteArray failures(const std::vector<DoctorCheck>& checks)
{
    QByteArray text;
    for (const DoctorCheck& check : checks) {
        if (check.status == Status::Unavailable) {
            text += QByteArray::fromStdString(check.name + ": " + check.detail + "\n");
        }
    }
    return text;
}

using IsWall = std::function<bool(const launcher::Step&)>;

RunningSession::PlanEdit without(const IsWall& isWall)
{
    return [isWall](launcher::Plan& plan) {
        std::erase_if(plan.outer, isWall);
        std::erase_if(plan.init, isWall);
        std::erase_if(plan.command, isWall);
    };
}

IsWall kind(std::initializer_list<StepKind> kinds)
{
    return [all = std::vector<StepKind>(kinds)](const launcher::Step& step) {
        return std::find(all.begin(), all.end(), step.kind) != all.end();
    };
}

IsWall filter(const std::string& name)
{
    return [name](const launcher::Step& step) {
        return step.kind == StepKind::LoadFilter && step.target == name;
    };
}

bool isReadOnlyProject(const launcher::Step& step)
{
    return step.kind == StepKind::ReadOnly && step.target != "/";
}

struct Wall
{
    const char* name;
    IsWall isWall;
    const char* probe; ///< must fail when it is missing
};

std::vector<Wall> walls()
{
    // Without no_new_privs the kernel takes no filter from an ordinary process: the filters go with it. A
    // box in the host's network must not touch its loopback interface.
    return {
        {"no-new-privileges", kind({StepKind::NoNewPrivileges, StepKind::LoadFilter}), "no new privileges"},
        {"drop-capabilities", kind({StepKind::DropCapabilities}), "capabilities"},
        {"load-filter known", filter("known"), "system call filters"},
        {"load-filter judged", filter("judged"), "io_uring"},
        {"close-descriptors", kind({StepKind::CloseDescriptors}), "inherited descriptors"},
        {"detach-host", kind({StepKind::DetachHost, StepKind::HideHost}), "canary through the host's tree"},
        {"own-namespaces", kind({StepKind::OwnNamespaces, StepKind::HostName, StepKind::Loopback}),
         "host loopback (IPv4)"},
        {"limit-namespaces", kind({StepKind::LimitNamespaces}), "limits of nested namespaces"},
        {"read-only project", isReadOnlyProject, "project is out of direct reach"},
        {"hide-init", kind({StepKind::HideInit}), "memory of pid 1"},
    };
}

void addTiers()
{
    QTest::addColumn<Tier>("tier");
    QTest::newRow("sandbox") << Tier::Sandbox;
    QTest::newRow("container") << Tier::Container;
}

} // namespace

Q_DECLARE_METATYPE(revet::Tier)

/// A tier is called usable only after its walls were tried, and a probe sees when its wall is not there.
class DoctorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        const auto found = Installation::find();
        QVERIFY(found);
        m_installation = *found;
    }

    void findsEveryWallStanding_data() { addTiers(); }
    void findsEveryWallStanding()
    {
        QFETCH(const Tier, tier);
        const World world;
        const auto checks = runTierProbes(tier, world.places(), m_installation);
        QVERIFY2(checks, checks ? "" : toString(checks.error()).c_str());
        QCOMPARE(failures(*checks), QByteArray());
    }

    void seesThatAWallIsMissing_data()
    {
        QTest::addColumn<std::size_t>("index");
        const std::vector<Wall> all = walls();
        for (std::size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].name) << i;
        }
    }
    void seesThatAWallIsMissing()
    {
        QFETCH(const std::size_t, index);
        const Wall wall = walls().at(index);
        const World world;
        const auto checks
            = runTierProbes(Tier::Sandbox, world.places(), m_installation, without(wall.isWall));
        QVERIFY2(checks, checks ? "" : toString(checks.error()).c_str());
        const DoctorCheck* const probe = find(*checks, wall.probe);
        QVERIFY2(probe != nullptr, failures(*checks).constData());
        if (probe->status == Status::Limited) {
            QSKIP(probe->detail.c_str());
        }
        QVERIFY2(probe->status == Status::Unavailable, probe->detail.c_str());
        QVERIFY2(!QByteArray::fromStdString(probe->detail).startsWith("inconclusive"), probe->detail.c_str());
    }

    void findsNothingLeftAfterAKill_data() { addTiers(); }
    void findsNothingLeftAfterAKill()
    {
        QFETCH(const Tier, tier);
        const World world;
        const auto checks = runKillProbe(tier, world.places(), m_installation);
        QVERIFY2(checks, checks ? "" : toString(checks.error()).c_str());
        QCOMPARE(failures(*checks), QByteArray());
    }

    void leavesNothingInTheCache()
    {
        const World world;
        QVERIFY(runTierProbes(Tier::Container, world.places(), m_installation));
        QVERIFY(std::filesystem::is_empty(world.places().cache));
    }

    void takesNoProbeForPassedThatDidNotRun()
    {
        QCOMPARE(failures(parseProbeOutput("a\tok\tfine\ncomplete\tok\t1\n")), QByteArray());
        QVERIFY(!failures(parseProbeOutput("")).isEmpty());
        QVERIFY(!failures(parseProbeOutput("a\tok\tfine\n")).isEmpty());
        QVERIFY(!failures(parseProbeOutput("a\tok\tfine\ncomplete\tok\t2\n")).isEmpty());
        QVERIFY(!failures(parseProbeOutput("a\tperhaps\t\ncomplete\tok\t1\n")).isEmpty());
        QVERIFY(!failures(parseProbeOutput("nonsense\ncomplete\tok\t1\n")).isEmpty());
        QVERIFY(parseProbeOutput("a\tskip\tno keys\ncomplete\tok\t1\n").front().status == Status::Limited);
    }

    void namesTheNarrowestRemedy_data()
    {
        QTest::addColumn<int>("error");
        QTest::addColumn<long>("apparmor");
        QTest::addColumn<long>("clone");
        QTest::addColumn<QByteArray>("remedy");
        constexpr long kNone = -1;
        QTest::newRow("Ubuntu") << EACCES << 1L << 1L << QByteArray("/l/revet-launch an AppArmor profile");
        QTest::newRow("Ubuntu, EPERM") << EPERM << 1L << kNone << QByteArray("apparmor_restrict");
        QTest::newRow("Debian") << EPERM << kNone << 0L << QByteArray("unprivileged_userns_clone=1");
        QTest::newRow("used up") << ENOSPC << 1L << 1L << QByteArray("max_user_namespaces");
        QTest::newRow("a container") << EPERM << 0L << kNone << QByteArray("outer container");
        QTest::newRow("no such kernel part") << EINVAL << 1L << 0L << QByteArray("CONFIG_USER_NS");
    }
    void namesTheNarrowestRemedy()
    {
        QFETCH(const int, error);
        QFETCH(const long, apparmor);
        QFETCH(const long, clone);
        QFETCH(const QByteArray, remedy);
        NamespaceSettings settings;
        if (apparmor >= 0) {
            settings.apparmorRestriction = apparmor;
        }
        if (clone >= 0) {
            settings.unprivilegedClone = clone;
        }
        const std::string text = namespaceRemedy(error, settings, "/l/revet-launch");
        QVERIFY2(QByteArray::fromStdString(text).contains(remedy), text.c_str());
    }

    void knowsTheKernelFloorAndYama()
    {
        QVERIFY(checkKernel("6.1.0-18-amd64").status == Status::Ok);
        QVERIFY(checkKernel("7.0-rc1").status == Status::Ok);
        QVERIFY(checkKernel("6.0.19").status == Status::Unavailable);
        QVERIFY(checkKernel("5.15.0").status == Status::Unavailable);
        QVERIFY(checkKernel("").status == Status::Unavailable);
        QVERIFY(checkTraceScope(std::nullopt).status == Status::Ok);
        QVERIFY(checkTraceScope(2).status == Status::Ok);
        QVERIFY(checkTraceScope(3).status == Status::Unavailable);
    }

    void refusesATierThatFailedItsProbes()
    {
        const World world;
        QVERIFY(usableTier(Tier::Sandbox, world.places())); // never examined
        QVERIFY(storeHealth(currentHealth(Tier::Sandbox, {"io_uring"}), world.places()));
        QVERIFY(storeHealth(currentHealth(Tier::Container, {}), world.places()));
        const auto refused = usableTier(Tier::Sandbox, world.places());
        QVERIFY(!refused);
        QVERIFY(refused.error().code == ErrorCode::Unavailable);
        const QByteArray message = QByteArray::fromStdString(toString(refused.error()));
        QVERIFY2(message.contains("io_uring") && message.contains("revet doctor"), message.constData());
        QVERIFY(usableTier(Tier::Container, world.places()));

        QVERIFY(storeHealth(currentHealth(Tier::Sandbox, {}), world.places()));
        QVERIFY(usableTier(Tier::Sandbox, world.places()));
    }

    void forgetsAFailureOnAnotherKernelOrVersion()
    {
        const World world;
        TierHealth health = currentHealth(Tier::Sandbox, {"io_uring"});
        health.kernel = "1.0";
        QVERIFY(storeHealth(health, world.places()));
        QVERIFY(usableTier(Tier::Sandbox, world.places()));
        health = currentHealth(Tier::Sandbox, {"io_uring"});
        health.version = "0";
        QVERIFY(storeHealth(health, world.places()));
        QVERIFY(usableTier(Tier::Sandbox, world.places()));
    }

    void refusesATierWhoseRecordIsDamaged()
    {
        const World world;
        test::writeFile(world.places().data / "health.json", "{\"tiers\": 7}");
        QVERIFY(!usableTier(Tier::Sandbox, world.places()));
        QVERIFY(storeHealth(currentHealth(Tier::Sandbox, {}), world.places()));
        QVERIFY(usableTier(Tier::Sandbox, world.places()));
    }

private:
    Installation m_installation;
};

QTEST_APPLESS_MAIN(DoctorTest)
#include "tst_doctor.moc"
