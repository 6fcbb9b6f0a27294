// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/refused_calls.h"
#include "engine/supervisor/argument_reader.h"
#include "engine/supervisor/level_sink.h"
#include "engine/supervisor/notify_loop.h"
#include "tests/engine/supervisor/own_calls.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <set>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

using namespace revet;
using supervisor::Answer;
using supervisor::Call;
using supervisor::Operation;
using supervisor::Target;
using test::arguments;
using Kind = test::FakeNotifyDevice::Answer::Kind;

namespace {

class Sink final : public supervisor::FactSink
{
public:
    void record(int /*tid*/, Fact fact) override { facts.push_back(std::move(fact)); }
    void aboutToExec(int tid) override { execs.push_back(tid); }
    void aboutToExit(int /*tid*/, std::int32_t status) override { exits.push_back(status); }
    [[nodiscard]] bool canRecord() const override { return true; }
    std::vector<Fact> facts;
    std::vector<int> execs;
    std::vector<std::int32_t> exits;
};

} // namespace

/// The box is this machine as it is, seen by the test's own thread; the broker is a function of the test.
class NotifyLoopTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void recordsReadsAndLetsThemGo();
    void recordsNoDirectoriesAndNothingThatIsMissing();
    void givesTheBrokersAnswer_data();
    void givesTheBrokersAnswer();
    void recordsMutationsThatGoOn();
    void recordsASymbolicLinkUnderItsName();
    void takesAFileBackWhereThereIsNoRoom();
    void answersMalformedArgumentsItself();
    void answersNobodyWhoHasGone();
    void refusesACallThatNobodyKnows();
    void keepsTheUmaskAndTheDirectory();
    void tellsOfExecAndExit();
    void leavesEveryConnectionToTheBroker_data();
    void leavesEveryConnectionToTheBroker();
    void bindsLocalSocketsThroughTheBroker();
    void refusesSocketFamilies();
    void refusesAndRecordsWhatNoBoxGets_data();
    void refusesAndRecordsWhatNoBoxGets();
    void knowsEveryCallThatTraps();
    void recordsByLevel();

private:
    std::uint64_t add(int number, std::array<std::uint64_t, 6> registers)
    {
        return m_device->add(test::ownThread(), number, registers);
    }
    void run()
    {
        supervisor::NotifyLoop loop(
            *m_device,
            {m_box, m_host, m_generation, m_sink,
             [this](const Call& call, Target& target) { return m_broker(call, target); },
             [](std::uint64_t) {}, [this] { ++m_settled; }});
        QVERIFY(loop.run().has_value());
        QVERIFY(!m_device->hasSurplusAnswers());
    }
    [[nodiscard]] Kind kindOf(std::uint64_t id) const { return m_device->answerTo(id)->kind; }
    [[nodiscard]] int errnoOf(std::uint64_t id) const
    {
        const auto answer = m_device->answerTo(id);
        return answer && answer->kind == Kind::Error ? static_cast<int>(answer->value) : 0;
    }

    std::unique_ptr<test::FakeNotifyDevice> m_device;
    supervisor::BoxView m_box;
    supervisor::HostView m_host;
    supervisor::TreeGeneration m_generation;
    Sink m_sink;
    std::function<Answer(const Call&, Target&)> m_broker;
    int m_settled = 0;
};

void NotifyLoopTest::init()
{
    m_device = std::make_unique<test::FakeNotifyDevice>();
    m_box.outerRoot.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    m_sink.facts.clear();
    m_sink.execs.clear();
    m_sink.exits.clear();
    m_settled = 0;
    m_broker = [](const Call&, Target&) { return Answer::failure(EIO); };
}

void NotifyLoopTest::recordsReadsAndLetsThemGo()
{
    const std::uint64_t open = add(SYS_openat, arguments(AT_FDCWD, "/usr/../etc/passwd", O_RDONLY, 0));
    run();
    QCOMPARE(kindOf(open), Kind::Continue);
    QCOMPARE(m_sink.facts.size(), std::size_t{1});
    QCOMPARE(m_sink.facts[0].kind, ActionKind::Read);
    QCOMPARE(m_sink.facts[0].verdict, Verdict::Permitted);
    QCOMPARE(m_sink.facts[0].target, std::string("/etc/passwd"));
}

void NotifyLoopTest::recordsNoDirectoriesAndNothingThatIsMissing()
{
    const std::uint64_t directory = add(SYS_open, arguments("/etc", O_RDONLY, 0));
    const std::uint64_t missing = add(SYS_open, arguments("/no such place/x", O_RDONLY, 0));
    run();
    QCOMPARE(kindOf(directory), Kind::Continue);
    QCOMPARE(kindOf(missing), Kind::Continue);
    QVERIFY(m_sink.facts.empty());
}

void NotifyLoopTest::givesTheBrokersAnswer_data()
{
    QTest::addColumn<int>("number");
    QTest::newRow("unlink") << int{SYS_unlink};
    QTest::newRow("mkdir") << int{SYS_mkdir};
    QTest::newRow("chmod") << int{SYS_chmod};
    QTest::newRow("truncate") << int{SYS_truncate};
}

void NotifyLoopTest::givesTheBrokersAnswer()
{
    QFETCH(const int, number);
    std::string seen;
    m_broker = [&](const Call& call, Target&) {
        seen = call.path.path;
        return call.path.path == "/denied" ? Answer::failure(EACCES) : Answer::success(0);
    };
    const std::uint64_t denied = add(number, arguments("/denied", 0));
    const std::uint64_t done = add(number, arguments("/done", 0));
    run();
    QCOMPARE(errnoOf(denied), EACCES);
    QCOMPARE(kindOf(done), Kind::Value);
    QCOMPARE(seen, std::string("/done"));
    QVERIFY(m_sink.facts.empty());
}

void NotifyLoopTest::recordsMutationsThatGoOn()
{
    const test::TempHome home;
    const std::string made = home.project() / "made";
    const std::string old = home.project() / "old";
    test::writeFile(old, "");
    m_broker = [](const Call&, Target&) { return Answer::proceed(); };
    const std::uint64_t create = add(SYS_open, arguments(made.c_str(), O_WRONLY | O_CREAT, 0644));
    add(SYS_open, arguments(old.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
    add(SYS_open, arguments(old.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644)); // EEXIST
    add(SYS_rename, arguments(old.c_str(), made.c_str()));
    add(SYS_unlink, arguments(old.c_str()));
    add(SYS_unlink, arguments(made.c_str())); // ENOENT
    run();
    QCOMPARE(kindOf(create), Kind::Continue);
    QCOMPARE(m_sink.facts.size(), std::size_t{4});
    const std::array kinds{ActionKind::Create, ActionKind::Write, ActionKind::Rename, ActionKind::Delete};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const Fact& fact = m_sink.facts[i];
        QCOMPARE(fact.kind, kinds[i]);
        QCOMPARE(fact.verdict, Verdict::Contained);
        QCOMPARE(fact.reach, Reach::Copy);
        QCOMPARE(fact.target, i == 0 ? made : old);
    }
    QCOMPARE(m_sink.facts[2].other, made);
}

void NotifyLoopTest::recordsASymbolicLinkUnderItsName()
{
    const test::TempHome home;
    const std::string name = home.project() / "name";
    m_broker = [](const Call&, Target&) { return Answer::proceed(); };
    add(SYS_symlink, arguments("anywhere", name.c_str()));
    run();
    QCOMPARE(m_sink.facts.size(), std::size_t{1});
    QCOMPARE(m_sink.facts[0].kind, ActionKind::Create); // as where the broker makes it
    QCOMPARE(m_sink.facts[0].target, name);
    QCOMPARE(m_sink.facts[0].other, std::string("anywhere"));
}

void NotifyLoopTest::takesAFileBackWhereThereIsNoRoom()
{
    bool isTakenBack = false;
    m_broker = [&](const Call&, Target&) {
        Answer answer;
        answer.kind = Answer::Kind::Descriptor;
        answer.descriptor.reset(::open("/etc/passwd", O_RDONLY | O_CLOEXEC));
        answer.retract = [&] { isTakenBack = true; };
        return answer;
    };
    const std::uint64_t fits = add(SYS_creat, arguments("/x", 0644));
    run();
    QCOMPARE(kindOf(fits), Kind::Descriptor);
    struct stat status
    {
    };
    QCOMPARE(::stat("/etc/passwd", &status), 0);
    QCOMPARE(m_device->answerTo(fits)->inode, status.st_ino);
    QVERIFY(!isTakenBack);

    m_device->setRoomForDescriptors(false);
    const std::uint64_t full = add(SYS_creat, arguments("/x", 0644));
    run();
    QCOMPARE(errnoOf(full), EMFILE);
    QVERIFY(isTakenBack);
}

void NotifyLoopTest::answersMalformedArgumentsItself()
{
    const std::uint64_t fault = add(SYS_unlink, arguments(8));
    const std::uint64_t empty = add(SYS_mkdir, arguments("", 0755));
    const std::uint64_t flags = add(SYS_unlinkat, arguments(AT_FDCWD, "x", 1));
    run();
    QCOMPARE(errnoOf(fault), EFAULT);
    QCOMPARE(errnoOf(empty), ENOENT);
    QCOMPARE(errnoOf(flags), EINVAL);
    QVERIFY(m_sink.facts.empty());
}

void NotifyLoopTest::answersNobodyWhoHasGone()
{
    bool isPerformed = false;
    m_broker = [&](const Call&, Target&) {
        isPerformed = true;
        return Answer::success(0);
    };
    const std::uint64_t mutation = add(SYS_unlink, arguments("/x"));
    const std::uint64_t read = add(SYS_open, arguments("/etc/passwd", O_RDONLY, 0));
    m_device->abandon(mutation);
    m_device->abandon(read);
    run();
    QVERIFY(!m_device->answerTo(mutation));
    QVERIFY(!m_device->answerTo(read));
    QVERIFY(!isPerformed);
    QVERIFY(m_sink.facts.empty());
}

void NotifyLoopTest::refusesACallThatNobodyKnows()
{
    const std::uint64_t unknown = add(SYS_reboot, arguments(0));
    run();
    QCOMPARE(errnoOf(unknown), EPERM);
    QCOMPARE(m_sink.facts.size(), std::size_t{1});
}

void NotifyLoopTest::keepsTheUmaskAndTheDirectory()
{
    mode_t mask = 0;
    std::string directory;
    m_broker = [&](const Call&, Target& target) {
        mask = target.fileModeMask();
        directory = target.workingDirectory().value_or("?");
        return Answer::success(0);
    };
    add(SYS_mkdir, arguments("/x", 0777));
    add(SYS_umask, arguments(01027)); // only told: the loop has to believe it
    const std::uint64_t change = add(SYS_chdir, arguments("/usr"));
    add(SYS_mkdir, arguments("/x", 0777));
    run();
    QCOMPARE(kindOf(change), Kind::Continue);
    QCOMPARE(mask, mode_t{027});
    QCOMPARE(directory, std::string(std::filesystem::current_path()));
}

void NotifyLoopTest::tellsOfExecAndExit()
{
    const std::uint64_t exec = add(SYS_execve, arguments("/usr/bin/../bin/env", 0, 0));
    const std::uint64_t missing = add(SYS_execve, arguments("/usr/bin/no such program", 0, 0));
    const std::uint64_t notAProgram = add(SYS_execve, arguments("/etc/passwd", 0, 0));
    const std::uint64_t exit = add(SYS_exit_group, arguments(0x107));
    run();
    QCOMPARE(kindOf(exec), Kind::Continue);
    QCOMPARE(kindOf(missing), Kind::Continue);
    QCOMPARE(kindOf(notAProgram), Kind::Continue);
    QCOMPARE(kindOf(exit), Kind::Continue);
    QCOMPARE(m_sink.facts.size(), std::size_t{1});
    QCOMPARE(m_sink.facts[0].kind, ActionKind::Exec);
    QCOMPARE(m_sink.facts[0].target, std::string("/usr/bin/env"));
    QCOMPARE(m_sink.execs.size(), std::size_t{1});
    QCOMPARE(m_sink.exits, std::vector<std::int32_t>{7 << 8});
    QCOMPARE(m_settled, 4);
}

void NotifyLoopTest::leavesEveryConnectionToTheBroker_data()
{
    QTest::addColumn<QByteArray>("address");
    QTest::addColumn<QByteArray>("text");
    const auto bytes = [](const auto& address, std::size_t size) {
        return QByteArray(reinterpret_cast<const char*>(&address), static_cast<qsizetype>(size));
    };
    sockaddr_in inet{};
    inet.sin_family = AF_INET;
    inet.sin_port = htons(80);
    inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    QTest::newRow("loopback") << bytes(inet, sizeof inet) << QByteArray("127.0.0.1:80");
    inet.sin_addr.s_addr = htonl(0x0a000001);
    QTest::newRow("elsewhere") << bytes(inet, sizeof inet) << QByteArray("10.0.0.1:80");
    QTest::newRow("cut short") << bytes(inet, 7) << QByteArray();
    sockaddr_in6 inet6{};
    inet6.sin6_family = AF_INET6;
    inet6.sin6_port = htons(443);
    inet6.sin6_addr = in6addr_loopback;
    QTest::newRow("loopback, v6") << bytes(inet6, sizeof inet6) << QByteArray("[::1]:443");
    inet6.sin6_addr.s6_addr[0] = 0x20;
    QTest::newRow("elsewhere, v6") << bytes(inet6, sizeof inet6) << QByteArray("[2000::1]:443");
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::copy_n("\0name", 5, local.sun_path);
    QTest::newRow("abstract") << bytes(local, offsetof(sockaddr_un, sun_path) + 5) << QByteArray("@name");
    QTest::newRow("one byte") << QByteArray("\1") << QByteArray();
}

void NotifyLoopTest::leavesEveryConnectionToTheBroker()
{
    QFETCH(const QByteArray, address);
    QFETCH(const QByteArray, text);
    std::vector<Call> seen;
    m_broker = [&](const Call& call, Target&) {
        seen.push_back(call);
        return Answer::success(0);
    };
    const std::uint64_t connect = add(SYS_connect, arguments(3, address.constData(), address.size()));
    const std::uint64_t nowhere = add(SYS_connect, arguments(3, 8, 16));
    const std::uint64_t negative = add(SYS_connect, arguments(3, 8, -1));
    run();
    QCOMPARE(kindOf(connect), Kind::Value);
    QCOMPARE(errnoOf(nowhere), EFAULT);
    QCOMPARE(kindOf(negative), Kind::Continue);
    QCOMPARE(seen.size(), std::size_t{1});
    QCOMPARE(seen[0].operation, Operation::Connect);
    QCOMPARE(seen[0].text, text.toStdString());
    QCOMPARE(seen[0].value, address.toStdString());
    QCOMPARE(seen[0].socket, 3);
    QVERIFY(m_sink.facts.empty());
}

void NotifyLoopTest::bindsLocalSocketsThroughTheBroker()
{
    Call seen;
    m_broker = [&](const Call& call, Target&) {
        seen = call;
        return Answer::success(0);
    };
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::fill(std::begin(local.sun_path), std::end(local.sun_path), 'x'); // no NUL at all, as unix(7) allows
    const std::uint64_t bind = add(SYS_bind, arguments(5, &local, sizeof local));
    run();
    QCOMPARE(kindOf(bind), Kind::Value);
    QCOMPARE(seen.operation, Operation::BindLocalSocket);
    QCOMPARE(seen.path.path, std::string(sizeof local.sun_path, 'x'));
    QCOMPARE(seen.socket, 5);
}

void NotifyLoopTest::refusesSocketFamilies()
{
    const std::uint64_t packet = add(SYS_socket, arguments(AF_PACKET, SOCK_RAW, 0));
    const std::uint64_t raw = add(SYS_socket, arguments(AF_INET, SOCK_RAW, IPPROTO_ICMP));
    run();
    QCOMPARE(errnoOf(packet), EAFNOSUPPORT);
    QCOMPARE(errnoOf(raw), EPERM);
    QCOMPARE(m_sink.facts.size(), std::size_t{2});
    QCOMPARE(m_sink.facts[0].target, std::string("AF_PACKET"));
    QCOMPARE(m_sink.facts[1].target, std::string("AF_INET raw"));
    QCOMPARE(m_sink.facts[0].verdict, Verdict::Denied);
}

void NotifyLoopTest::refusesAndRecordsWhatNoBoxGets_data()
{
    QTest::addColumn<std::size_t>("index");
    QTest::addColumn<bool>("isOtherwiseSet");
    for (std::size_t i = 0; i < policy::refusedCalls().size(); ++i) {
        const std::string_view name = policy::refusedCalls()[i].name;
        QTest::addRow("%zu %s", i, name.data()) << i << false; // names are literals
        QTest::addRow("%zu %s, other bits set", i, name.data()) << i << true;
    }
}

void NotifyLoopTest::refusesAndRecordsWhatNoBoxGets()
{
    QFETCH(const std::size_t, index);
    QFETCH(const bool, isOtherwiseSet);
    const policy::RefusedCall& refused = policy::refusedCalls()[index];
    std::array<std::uint64_t, 6> registers{};
    registers.fill(isOtherwiseSet ? ~std::uint64_t{0} : 0);
    for (const policy::TrapRule::ArgumentTest& test : refused.when.tests) {
        registers.at(test.index) = (registers.at(test.index) & ~test.mask) | test.value;
    }
    const std::uint64_t call = add(refused.when.syscallNumber, registers);
    run();
    QCOMPARE(errnoOf(call), refused.errnoValue);
    QCOMPARE(m_sink.facts.size(), std::size_t{1});
    QCOMPARE(m_sink.facts[0].kind, ActionKind::Syscall);
    QCOMPARE(m_sink.facts[0].verdict, Verdict::Denied);
    QCOMPARE(m_sink.facts[0].errnoValue, refused.errnoValue);
    const std::string called = m_sink.facts[0].target; // several namespaces at once: the first that fits
    QCOMPARE(called.substr(0, called.find(' ')), std::string(refused.name.substr(0, refused.name.find(' '))));
}

void NotifyLoopTest::knowsEveryCallThatTraps()
{
    const std::set<int> others{SYS_execve, SYS_execveat, SYS_exit_group, SYS_umask,  SYS_chdir,
                               SYS_fchdir, SYS_connect,  SYS_bind,       SYS_listen, SYS_socket};
    std::set<int> refused;
    for (const policy::RefusedCall& call : policy::refusedCalls()) {
        refused.insert(call.when.syscallNumber);
    }
    const std::set<int> never{SYS_read, SYS_write, SYS_close, SYS_seccomp};
    const auto isPathCall = [](int number) {
        return supervisor::findOpenDecoder(number) != nullptr
            || supervisor::findNameDecoder(number) != nullptr
            || supervisor::findAttributeDecoder(number) != nullptr;
    };
    for (const Tier tier : {Tier::Sandbox, Tier::Container}) {
        for (const ObserveLevel level : {ObserveLevel::Full, ObserveLevel::Writes, ObserveLevel::Exec}) {
            const auto rules = policy::trapRules(tier, level);
            QVERIFY(!rules.empty());
            for (const policy::TrapRule& rule : rules) {
                QVERIFY(isPathCall(rule.syscallNumber) || others.contains(rule.syscallNumber)
                        || refused.contains(rule.syscallNumber));
                QVERIFY(!never.contains(rule.syscallNumber));
                // The launcher sends the listener through the new filter.
                QVERIFY(rule.syscallNumber != SYS_sendmsg || !rule.tests.empty());
                std::set<unsigned> indices;
                for (const policy::TrapRule::ArgumentTest& test : rule.tests) {
                    QVERIFY(indices.insert(test.index).second); // libseccomp takes one test an argument
                    QCOMPARE(test.value & ~test.mask, std::uint64_t{0});
                }
            }
        }
    }
}

void NotifyLoopTest::recordsByLevel()
{
    Fact read;
    Fact withheld;
    withheld.verdict = Verdict::Withheld;
    Fact write;
    write.kind = ActionKind::Write;
    Fact exec;
    exec.kind = ActionKind::Exec;
    const auto countAt = [&](ObserveLevel level) {
        m_sink.facts.clear();
        supervisor::LevelSink sink(level, m_sink);
        for (const Fact& fact : {read, withheld, write, exec}) {
            sink.record(1, fact);
        }
        return m_sink.facts.size();
    };
    QCOMPARE(countAt(ObserveLevel::Full), std::size_t{4});
    QCOMPARE(countAt(ObserveLevel::Writes), std::size_t{3});
    QCOMPARE(countAt(ObserveLevel::Exec), std::size_t{2});
}

QTEST_APPLESS_MAIN(NotifyLoopTest)
#include "tst_notify_loop.moc"
