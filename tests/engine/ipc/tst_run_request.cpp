// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/run_request.h"

#include <QTest>

#include <sys/mman.h>
#include <unistd.h>

using namespace revet;
using namespace std::string_literals;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class RunRequestTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsEveryByteOfARequest();
    void holdsAnArgumentListOfTwoMebibytes();
    void refusesHostileRequests_data();
    void refusesHostileRequests();
    void readsOnlyWhatIsSealed();
};

namespace {

ipc::RunRequest sample()
{
    ipc::RunRequest request;
    request.command = {"sh", "-c", "echo \xff\x80", ""};
    request.environment = {"PATH=/bin", "BAD=\xfe"};
    request.currentDirectory = "/home/user/\xc3\x28";
    return request;
}

} // namespace

void RunRequestTest::keepsEveryByteOfARequest()
{
    ipc::RunRequest request = sample();
    request.project = "/p";
    request.tier = Tier::Container;
    request.profiles = {"claude"};
    request.environmentAssignments = {"A", "B=c"};
    request.bindReadOnly = {"/a"};
    request.bindReadWrite = {"/b"};
    request.unhide = {"/p/.env"};
    request.observe = ObserveLevel::Writes;
    request.label = "lab";
    request.continues = "k3f9q2";
    request.isDetached = true;
    request.terminal = {true, false, true, 24, 80, "\x01\x00\xff"s, true, 5};
    request.isInteractive = true;
    const Result<ipc::RunRequest> decoded = ipc::decodeRunRequest(ipc::encodeRunRequest(request));
    QVERIFY(decoded);
    QCOMPARE(ipc::encodeRunRequest(*decoded), ipc::encodeRunRequest(request));
    QCOMPARE(decoded->command, request.command);
    QCOMPARE(decoded->environment, request.environment);
    QCOMPARE(decoded->currentDirectory, request.currentDirectory);
    QVERIFY(decoded->project == "/p" && decoded->tier == Tier::Container);
    QVERIFY(decoded->terminal.stdinIsTerminal && !decoded->terminal.stdoutIsTerminal);
    QCOMPARE(decoded->terminal.settings, "\x01\x00\xff"s);
    QVERIFY(decoded->terminal.stderrIsStdout && decoded->terminal.closed == 5);
    QVERIFY(decoded->isDetached && decoded->isInteractive && decoded->observe == ObserveLevel::Writes);
    const Result<ipc::RunRequest> bare = ipc::decodeRunRequest(ipc::encodeRunRequest(sample()));
    QVERIFY(bare && !bare->project && !bare->tier && !bare->observe);
}

void RunRequestTest::holdsAnArgumentListOfTwoMebibytes()
{
    ipc::RunRequest request = sample();
    request.command.resize(20'000, std::string(100, 'x'));
    const Result<UniqueFd> memory = ipc::sealInMemory(ipc::encodeRunRequest(request));
    QVERIFY(memory);
    const Result<std::string> text = ipc::readSealed(memory->get(), ipc::kMaximumRequestBytes);
    QVERIFY(text);
    QCOMPARE(ipc::decodeRunRequest(*text)->command.size(), std::size_t{20'000});
}

void RunRequestTest::refusesHostileRequests_data()
{
    QTest::addColumn<QByteArray>("json");
    const auto row = [](const char* tag, const char* json) { QTest::newRow(tag) << QByteArray(json); };
    row("nothing", "");
    row("no command", R"({"currentDirectory":"/"})");
    row("empty command", R"({"command":[],"currentDirectory":"/"})");
    row("no directory", R"({"command":["a"]})");
    row("relative directory", R"({"command":["a"],"currentDirectory":"a"})");
    row("relative project", R"({"command":["a"],"currentDirectory":"/","project":"a"})");
    row("relative bind", R"({"command":["a"],"currentDirectory":"/","bindReadWrite":["/a","b"]})");
    row("NUL in an argument", R"({"command":["a\u0000b"],"currentDirectory":"/"})");
    row("NUL in the directory", R"({"command":["a"],"currentDirectory":"/\u0000"})");
    row("NUL in base64", R"({"command":[{"base64":"AGE="}],"currentDirectory":"/"})");
    row("number as argument", R"({"command":[1],"currentDirectory":"/"})");
    row("unknown tier", R"({"command":["a"],"currentDirectory":"/","tier":"none"})");
    row("unknown level", R"({"command":["a"],"currentDirectory":"/","observe":"less"})");
    row("rows below zero", R"({"command":["a"],"currentDirectory":"/","terminal":{"rows":-1}})");
    row("terminal rows as text", R"({"command":["a"],"currentDirectory":"/","terminal":{"rows":"1"}})");
    row("detached as number", R"({"command":["a"],"currentDirectory":"/","detached":1})");
}

void RunRequestTest::refusesHostileRequests()
{
    QFETCH(QByteArray, json);
    QVERIFY(!ipc::decodeRunRequest(json.toStdString()));
}

void RunRequestTest::readsOnlyWhatIsSealed()
{
    const UniqueFd open(::memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    QVERIFY(!ipc::readSealed(open.get(), 100));
    const Result<UniqueFd> sealed = ipc::sealInMemory("0123456789");
    QVERIFY(sealed);
    QVERIFY(::write(sealed->get(), "x", 1) < 0);
    QCOMPARE(*ipc::readSealed(sealed->get(), 10), "0123456789"s);
    QVERIFY(ipc::readSealed(sealed->get(), 9).error().code == ErrorCode::LimitExceeded);
}

QTEST_APPLESS_MAIN(RunRequestTest)
#include "tst_run_request.moc"
