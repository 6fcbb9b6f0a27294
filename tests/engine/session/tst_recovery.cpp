// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/engine.h"
#include "engine/session/recovery.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace revet;

namespace {

/// A process that only its name tells from others.
pid_t startNamed(const char* name)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        ::prctl(PR_SET_NAME, name, 0, 0, 0);
        for (;;) {
            ::pause();
        }
    }
    return child;
}

SessionInfo sessionOf(pid_t pid, Tier tier = Tier::Sandbox)
{
    SessionInfo session;
    session.project = "/project";
    session.command = {"true"};
    session.tier = tier;
    session.state = SessionState::Running;
    session.sessionPid = pid;
    return session;
}

} // namespace

/// Sessions whose revet-session was killed.
class RecoveryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsALivingSessionFromWhateverElseHasItsNumber()
    {
        const pid_t session = startNamed("revet-session");
        const pid_t other = startNamed("revet-sessions");
        QTRY_VERIFY(session::isAlive(sessionOf(session)));
        QVERIFY(!session::isAlive(sessionOf(other)));
        QVERIFY(!session::isAlive(sessionOf(0)));
        for (const pid_t child : {session, other}) {
            ::kill(child, SIGKILL);
            siginfo_t ended = {};
            QCOMPARE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
        }
        QVERIFY(!session::isAlive(sessionOf(session))); // nobody has waited for it yet
        for (const pid_t child : {session, other}) {
            QCOMPARE(::waitpid(child, nullptr, 0), child);
        }
    }

    void listsADeadSessionAsItWillBeRecorded()
    {
        const QTemporaryDir home;
        for (const char* const variable :
             {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"}) {
            qputenv(variable, home.path().toUtf8());
        }
        Result<api::Engine> engine = api::Engine::open();
        QVERIFY(engine);
        // The number is in use: by this test.
        QVERIFY(engine->catalogue().addSession(sessionOf(::getpid())));
        QVERIFY(engine->catalogue().addSession(sessionOf(::getpid(), Tier::Container)));
        const auto listed = engine->sessions();
        QVERIFY(listed);
        QCOMPARE(listed->size(), std::size_t{2});
        for (const SessionInfo& session : *listed) {
            QCOMPARE(session.endReason, std::string("revet-session died"));
            QVERIFY(session.state
                    == (session.tier == Tier::Container ? SessionState::Review : SessionState::Ended));
        }
        QVERIFY(session::recoverDeadSessions(engine->catalogue(), engine->places()));
        const auto recorded = engine->catalogue().sessions();
        QVERIFY(recorded);
        for (std::size_t i = 0; i < recorded->size(); ++i) {
            QVERIFY(recorded->at(i).state == listed->at(i).state);
            QVERIFY(recorded->at(i).ended.has_value());
        }
    }
};

QTEST_GUILESS_MAIN(RecoveryTest)
#include "tst_recovery.moc"
