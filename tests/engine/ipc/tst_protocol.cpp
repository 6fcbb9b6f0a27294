// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/channel.h"
#include "engine/ipc/protocol.h"

#include <QTest>

using namespace revet;
using namespace std::string_literals;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class ProtocolTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bringsEveryKindOfMessageAcross();
    void keepsTheMembers();
    void ignoresUnknownMembers();
    void refusesHostileFrames_data();
    void refusesHostileFrames();
    void neverOutgrowsAFrame();
    void survivesDeepNesting();
};

namespace {

SessionInfo sampleSession()
{
    SessionInfo session;
    session.id = *SessionId::parse("k3f9q2");
    session.label = "build";
    session.state = SessionState::Review;
    session.project = "/home/user/\xff";
    session.tier = Tier::Container;
    session.observe = ObserveLevel::Exec;
    session.command = {"make", "-j2", "\xfe"};
    session.started = WallTime(std::chrono::microseconds(1'700'000'000'123'456));
    session.ended = WallTime(std::chrono::microseconds(1'700'000'001'000'000));
    session.waitStatus = 256;
    session.endReason = "command ended";
    session.sessionPid = 4242;
    session.reached = Reach::Project;
    session.events = 77;
    session.asksPending = 1;
    return session;
}

} // namespace

void ProtocolTest::bringsEveryKindOfMessageAcross()
{
    using namespace ipc;
    const std::vector<Message> all = {
        Run{},
        Resize{24, 80},
        Signal{2},
        Continue{},
        Detach{},
        Stop{true},
        Started{*SessionId::parse("k3f9q2"), {"a", "b"}, true, false, true, false},
        Stopped{20},
        Exited{256, "done"},
        Failed{125, "x: y; z"},
        Hello{},
        Subscribe{},
        Advanced{EventSeq(9)},
        InfoRequest{},
        Info{sampleSession()},
        Answer{false, "why", true},
        Notice{"x"},
        AnswerAsk{{*SessionId::parse("k3f9q2"), 7},
                  "abc",
                  true,
                  GrantScope::Project,
                  WallTime(std::chrono::microseconds(1'700'000'000'000'000))},
        GrantsChanged{7},
    };
    QCOMPARE(all.size(), std::variant_size_v<Message>);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string bytes = encode(all[i]);
        const Result<Message> decoded = decode(bytes);
        QVERIFY2(decoded, bytes.c_str());
        QCOMPARE(decoded->index(), i);
        QCOMPARE(encode(*decoded), bytes);
    }
}

void ProtocolTest::keepsTheMembers()
{
    using namespace ipc;
    const auto started = std::get<Started>(
        *decode(encode(Started{*SessionId::parse("k3f9q2"), {"tier: sandbox"}, true, false, true, true})));
    QCOMPARE(started.session.text(), "k3f9q2"s);
    QCOMPARE(started.lines, std::vector{"tier: sandbox"s});
    QCOMPARE(started.fdCount(), std::size_t{3});
    const auto info = std::get<Info>(*decode(encode(Info{sampleSession()}))).session;
    const auto answer = std::get<AnswerAsk>(
        *decode(encode(AnswerAsk{{*SessionId::parse("k3f9q2"), 7}, "abc", true, GrantScope::Session, {}})));
    QCOMPARE(answer.ask.text(), "k3f9q2-7"s);
    QCOMPARE(answer.hash, "abc"s);
    QVERIFY(answer.isApproved && answer.scope == GrantScope::Session && !answer.until);
    QCOMPARE(info.project, "/home/user/\xff"s);
    QCOMPARE(info.command, (std::vector{"make"s, "-j2"s, "\xfe"s}));
    QCOMPARE(info.started.time_since_epoch().count(), 1'700'000'000'123'456);
    QVERIFY(info.ended && info.waitStatus == 256 && info.reached == Reach::Project);
    QVERIFY(info.tier == Tier::Container && info.state == SessionState::Review);
}

void ProtocolTest::ignoresUnknownMembers()
{
    const auto message = ipc::decode(R"({"version":1,"type":"resize","rows":3,"columns":4,"pixels":[1,{}]})");
    QVERIFY(message);
    QCOMPARE(std::get<ipc::Resize>(*message).columns, std::uint16_t{4});
}

void ProtocolTest::refusesHostileFrames_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* tag, const std::string& bytes) {
        QTest::newRow(tag) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size()));
    };
    row("nothing", "");
    row("not JSON", "run");
    row("cut short", R"({"version":1,"type":"ru)");
    row("two objects", R"({"version":1,"type":"run"}{})");
    row("array", R"([{"version":1,"type":"run"}])");
    row("NUL", "\0"s);
    row("invalid UTF-8", "{\"version\":1,\"type\":\"run\",\"x\":\"\xff\"}");
    row("no version", R"({"type":"run"})");
    row("another version", R"({"version":2,"type":"run"})");
    row("version as text", R"({"version":"1","type":"run"})");
    row("no type", R"({"version":1})");
    row("unknown type", R"({"version":1,"type":"approve"})");
    row("type as number", R"({"version":1,"type":0})");
    row("rows below zero", R"({"version":1,"type":"resize","rows":-1,"columns":80})");
    row("rows beyond the field", R"({"version":1,"type":"resize","rows":65536,"columns":80})");
    row("rows as fraction", R"({"version":1,"type":"resize","rows":1.5,"columns":80})");
    row("rows beyond any number", R"({"version":1,"type":"resize","rows":1e400,"columns":80})");
    row("signal zero", R"({"version":1,"type":"signal","number":0})");
    row("no signal", R"({"version":1,"type":"signal"})");
    row("signal beyond the last", R"({"version":1,"type":"signal","number":65})");
    row("force as number", R"({"version":1,"type":"stop","force":1})");
    row("success as failure", R"({"version":1,"type":"failed","exitCode":0,"message":"x"})");
    row("session id with a path", R"({"version":1,"type":"started","session":"../../a"})");
    row("lines as text", R"({"version":1,"type":"started","session":"k3f9q2","lines":"x"})");
    row("tier out of range", R"({"version":1,"type":"info","info":{"session":"k3f9q2","tier":6}})");
    row("info without id", R"({"version":1,"type":"info","info":{}})");
    row("info as list", R"({"version":1,"type":"info","info":[]})");
    row("broken base64", R"({"version":1,"type":"failed","message":{"base64":"%%%"}})");
    row("answer without an ask", R"({"version":1,"type":"answerAsk","approved":true,"scope":"once"})");
    row("answer to no number", R"({"version":1,"type":"answerAsk","ask":"k3f9q2-0","scope":"once"})");
    row("answer to a signed number", R"({"version":1,"type":"answerAsk","ask":"k3f9q2-+1","scope":"once"})");
    row("answer beyond numbers",
        R"({"version":1,"type":"answerAsk","ask":"k3f9q2-4294967296","scope":"once"})");
    row("answer without a scope", R"({"version":1,"type":"answerAsk","ask":"k3f9q2-1","approved":true})");
    row("answer of another scope", R"({"version":1,"type":"answerAsk","ask":"k3f9q2-1","scope":"always"})");
    row("session with an end",
        R"({"version":1,"type":"answerAsk","ask":"k3f9q2-1","scope":"session","until":1700000000000000})");
    row("approved as text",
        R"({"version":1,"type":"answerAsk","ask":"k3f9q2-1","scope":"once","approved":"1"})");
    row("line too long", R"({"version":1,"type":"failed","message":")" + std::string(4000, 'x') + "\"}");
}

void ProtocolTest::refusesHostileFrames()
{
    QFETCH(QByteArray, bytes);
    const auto message = ipc::decode({bytes.data(), static_cast<std::size_t>(bytes.size())});
    QVERIFY(!message);
    QVERIFY(message.error().code == ErrorCode::Malformed
            || message.error().code == ErrorCode::InvalidArgument);
}

void ProtocolTest::neverOutgrowsAFrame()
{
    SessionInfo session = sampleSession();
    session.project = std::string(100'000, '\x01');
    session.label = session.project;
    session.endReason = session.project;
    session.command = std::vector(1000, std::string(1000, '\x01'));
    ipc::Started started{session.id, std::vector(100, std::string(10'000, '"')), true, true, true, true};
    for (const ipc::Message& message : {ipc::Message(ipc::Info{session}), ipc::Message(started),
                                        ipc::Message(ipc::Failed{125, std::string(1'000'000, '\x01')}),
                                        ipc::Message(ipc::Exited{0, std::string(1'000'000, '\xff')})}) {
        const std::string bytes = ipc::encode(message);
        QVERIFY2(bytes.size() <= ipc::kMaximumFrameBytes, std::to_string(bytes.size()).c_str());
        QVERIFY(ipc::decode(bytes));
    }
}

void ProtocolTest::survivesDeepNesting()
{
    QVERIFY(!ipc::decode(std::string(ipc::kMaximumFrameBytes, '[')));
    const std::string nested = std::string(30000, '[') + std::string(30000, ']');
    QVERIFY(ipc::decode(R"({"version":1,"type":"run","x":)" + nested + "}"));
}

QTEST_APPLESS_MAIN(ProtocolTest)
#include "tst_protocol.moc"
