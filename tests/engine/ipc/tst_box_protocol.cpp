// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/box_protocol.h"
#include "engine/ipc/channel.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace revet;
using namespace revet::ipc;

/// What is spoken over a box's own socket, where each byte may be a lie. In front of raw strings: moc takes
/// them for ordinary ones.
class BoxProtocolTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsThreeRequests();
    void refusesAllElse_data();
    void refusesAllElse();
    void boundsWhatTheBoxSays();
    void saysTheLastDenialsThatFitAFrame();
    void saysOfAnAskItsNumberOnly();
};

namespace {

std::string access(const std::string& reason)
{
    return R"({"version":1,"type":"request_access","kind":"host","target":"a.test:443","reason":")" + reason
        + "\"}";
}

} // namespace

void BoxProtocolTest::readsThreeRequests()
{
    const auto first = decodeBoxRequest(access("to fetch"));
    const auto* const asked = first ? std::get_if<AccessRequest>(&*first) : nullptr;
    QVERIFY(asked != nullptr);
    QCOMPARE(asked->kind + ' ' + asked->target + ' ' + asked->reason,
             std::string("host a.test:443 to fetch"));
    const auto second = decodeBoxRequest(R"({"version":1,"type":"note","text":{"base64":"/w=="},"more":1})");
    const auto* const note = second ? std::get_if<BoxNote>(&*second) : nullptr;
    QVERIFY(note != nullptr);
    QCOMPARE(note->text, std::string("\xff"));
    const auto third = decodeBoxRequest(R"({"version":1,"type":"recent_denials"})");
    QVERIFY(third && std::holds_alternative<DenialsRequest>(*third));
}

void BoxProtocolTest::refusesAllElse_data()
{
    QTest::addColumn<QByteArray>("bytes");
    for (const char* const bytes :
         {"",
          "{",
          "[]",
          "null",
          "\xff",
          R"({"type":"recent_denials"})",
          R"({"version":2,"type":"recent_denials"})",
          R"({"version":-1,"type":"recent_denials"})",
          R"({"version":1})",
          R"({"version":1,"type":1})",
          R"({"version":1,"type":"approve"})",
          R"({"version":1,"type":"answerAsk","ask":"k3f9q2-1","approved":true,"scope":"session"})",
          R"({"version":1,"type":"note"})",
          R"({"version":1,"type":"note","text":""})",
          R"({"version":1,"type":"note","text":7})",
          R"({"version":1,"type":"note","text":{"base64":"/"}})",
          R"({"version":1,"type":"request_access","target":"a.test"})",
          R"({"version":1,"type":"request_access","kind":"host"})",
          R"({"version":1,"type":"request_access","kind":["host"],"target":"a.test"})",
          R"({"version":1,"type":"request_access","kind":"host","target":"a.test","reason":{}})"}) {
        QTest::newRow(bytes) << QByteArray(bytes);
    }
    QTest::newRow("deep") << QByteArray(60000, '[');
}

void BoxProtocolTest::refusesAllElse()
{
    QFETCH(QByteArray, bytes);
    const auto request = decodeBoxRequest(bytes.toStdString());
    QVERIFY(!request);
    QVERIFY(request.error().code == ErrorCode::Malformed);
}

void BoxProtocolTest::boundsWhatTheBoxSays()
{
    QVERIFY(decodeBoxRequest(access(std::string(kMaximumReasonBytes, 'x'))));
    QVERIFY(!decodeBoxRequest(access(std::string(kMaximumReasonBytes + 1, 'x'))));
    const auto note = [](std::size_t size) {
        return R"({"version":1,"type":"note","text":")" + std::string(size, 'x') + "\"}";
    };
    QVERIFY(decodeBoxRequest(note(kMaximumNoteBytes)));
    QVERIFY(!decodeBoxRequest(note(kMaximumNoteBytes + 1)));
}

void BoxProtocolTest::saysTheLastDenialsThatFitAFrame()
{
    std::vector<Denial> denials;
    for (int i = 0; i < 50; ++i) {
        denials.push_back({WallTime(std::chrono::seconds(i)), std::to_string(i) + std::string(4000, 'x'),
                           "not listed", i % 2 == 0 ? "revet grant" : ""});
    }
    const std::string frame = encodeDenials(denials);
    QVERIFY(frame.size() <= kMaximumFrameBytes && frame.size() > kMaximumFrameBytes / 2);
    const auto said = nlohmann::json::parse(frame);
    QCOMPARE(said.at("version").get<std::uint32_t>(), kBoxProtocolVersion);
    QVERIFY(said.at("denials").size() < denials.size());
    QVERIFY(said.at("denials").back().at("what").get<std::string>().starts_with("49x"));
    QVERIFY(!said.at("denials").back().contains("remedy"));
    QCOMPARE(nlohmann::json::parse(encodeDenials({})).at("denials").size(), std::size_t{0});
}

void BoxProtocolTest::saysOfAnAskItsNumberOnly()
{
    QCOMPARE(encodeAccess(AccessState::Open, "k3f9q2-1"),
             std::string(R"({"ask":"k3f9q2-1","state":"open","type":"access","version":1})"));
    QCOMPARE(encodeAccess(AccessState::Permitted, {}),
             std::string(R"({"state":"permitted already","type":"access","version":1})"));
}

QTEST_APPLESS_MAIN(BoxProtocolTest)
#include "tst_box_protocol.moc"
