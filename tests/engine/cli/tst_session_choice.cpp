// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/session_choice.h"

#include <QTest>

using namespace revet;
using namespace std::string_literals;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class SessionChoiceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsByIdPrefixAndLabel();
    void prefersAWholeIdOverALabel();
    void givesAllThatFit();
    void saysWhenThereIsNone();
    void takesTheInnermostProject();
};

namespace {

SessionInfo session(const char* id, const char* label, const char* project)
{
    SessionInfo info;
    info.id = *SessionId::parse(id);
    info.label = label;
    info.project = project;
    info.command = {"make"};
    return info;
}

std::string idsOf(const Result<std::vector<SessionInfo>>& found)
{
    std::string ids;
    for (const SessionInfo& session : found ? *found : std::vector<SessionInfo>()) {
        ids += (ids.empty() ? "" : " ") + session.id.text();
    }
    return ids;
}

} // namespace

void SessionChoiceTest::findsByIdPrefixAndLabel()
{
    const std::vector sessions = {session("k3f9q2", "build", "/p"), session("k4aaaa", "", "/p")};
    QCOMPARE(idsOf(api::chooseSessions(sessions, "k3f9q2")), "k3f9q2"s);
    QCOMPARE(idsOf(api::chooseSessions(sessions, "k4")), "k4aaaa"s);
    QCOMPARE(idsOf(api::chooseSessions(sessions, "build")), "k3f9q2"s);
}

void SessionChoiceTest::prefersAWholeIdOverALabel()
{
    const std::vector sessions = {session("k3f9q2", "", "/p"), session("k4aaaa", "k3f9q2", "/p")};
    QCOMPARE(idsOf(api::chooseSessions(sessions, "k3f9q2")), "k3f9q2"s);
}

void SessionChoiceTest::givesAllThatFit()
{
    const std::vector sessions = {session("k3f9q2", "", "/p"), session("k3aaaa", "", "/p")};
    QCOMPARE(idsOf(api::chooseSessions(sessions, "k3")), "k3f9q2 k3aaaa"s);
}

void SessionChoiceTest::saysWhenThereIsNone()
{
    const std::vector sessions = {session("k3f9q2", "", "/p")};
    QVERIFY(api::chooseSessions(sessions, "k").error().code == ErrorCode::NotFound); // too short
    QVERIFY(api::chooseSessions(sessions, "x").error().code == ErrorCode::NotFound);
    QVERIFY(api::chooseSessions(sessions, "").error().code == ErrorCode::NotFound);
}

void SessionChoiceTest::takesTheInnermostProject()
{
    const std::vector sessions
        = {session("aaaaaa", "", "/w"), session("bbbbbb", "", "/w/p"), session("cccccc", "", "/w/p2")};
    const auto around = [&sessions](const char* directory) {
        std::string ids;
        for (const SessionInfo& found : api::sessionsAround(sessions, directory)) {
            ids += found.id.text();
        }
        return ids;
    };
    QCOMPARE(around("/w/p/src"), "bbbbbb"s);
    QCOMPARE(around("/w/p"), "bbbbbb"s);
    QCOMPARE(around("/w/p3"), "aaaaaa"s);
    QCOMPARE(around("/else"), ""s);
    QCOMPARE(around(""), ""s);
}

QTEST_APPLESS_MAIN(SessionChoiceTest)
#include "tst_session_choice.moc"
