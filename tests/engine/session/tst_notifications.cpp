// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/notifications.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/temp_home.h"

#include <QProcess>
#include <QTest>

using namespace revet;
namespace fs = std::filesystem;

/// Asks on the desktop: a real bus of the test's own, a service that plays the desktop, and revet-notify.
class NotificationsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        REVET_NEEDS_PROGRAM("dbus-daemon");
        m_home = std::make_unique<test::TempHome>();
        m_bus.start(u"dbus-daemon"_qs, {u"--session"_qs, u"--nofork"_qs, u"--print-address"_qs});
        QVERIFY(m_bus.waitForReadyRead());
        const QString address = QString::fromUtf8(m_bus.readLine()).trimmed();
        m_environment = {"DBUS_SESSION_BUS_ADDRESS=" + address.toStdString(), "SECRET=1"};
        QProcessEnvironment surroundings = QProcessEnvironment::systemEnvironment();
        surroundings.insert(u"DBUS_SESSION_BUS_ADDRESS"_qs, address);
        m_desktop.setProcessEnvironment(surroundings);
        m_desktop.start(QStringLiteral(REVET_NOTIFICATION_SERVER), {});
        QVERIFY2(says("ready"), m_said);
        // revet, as it is installed beside revet-notify, notes what it was told.
        const fs::path top = m_home->home();
        m_installation.libexec = top / "libexec/revet";
        fs::create_directories(m_installation.libexec);
        fs::create_symlink(REVET_NOTIFY, m_installation.libexec / "revet-notify");
        test::writeFile(top / "bin/revet",
                        "#!/bin/sh\necho \"$@\" $SECRET >" + (top / "told").string() + "\n");
        fs::permissions(top / "bin/revet", fs::perms::owner_all);
    }
    void cleanup()
    {
        for (QProcess* const process : {&m_desktop, &m_bus}) {
            process->kill();
            process->waitForFinished();
        }
    }

    void showsAnAskUntilItIsAnswered()
    {
        session::Notifications notifications(m_installation, m_environment);
        const AskRecord record = ask(1, "evil.test:443", "/usr/bin/curl");
        notifications.show(record);
        QVERIFY2(says("notify Revet: connect to evil.test:443? | /usr/bin/curl in /p; 'revet asks abcdef-1' "
                      "shows more"),
                 m_said);
        notifications.close(record.ask.id);
        QVERIFY2(says("close"), m_said);
    }

    void saysWhatIsWanted()
    {
        session::Notifications notifications(m_installation, m_environment);
        AskRecord record = ask(1, "/p/.envrc", "/bin/sh");
        record.ask.kind = AskKind::RunLater;
        notifications.show(record);
        QVERIFY2(says("notify Revet: write what this machine runs later, /p/.envrc?"), m_said);
    }

    void deniesByItsButton()
    {
        session::Notifications notifications(m_installation, m_environment);
        notifications.show(ask(1, "evil.test:443", "/usr/bin/curl"));
        QVERIFY2(says("notify "), m_said);
        m_desktop.write("deny\n");
        QTRY_COMPARE(told(), std::string("deny abcdef-1\n"));
    }

    void approvesByNothing()
    {
        session::Notifications notifications(m_installation, m_environment);
        notifications.show(ask(1, "evil.test:443", "/usr/bin/curl"));
        QVERIFY2(says("notify "), m_said);
        m_desktop.write("approve\ndefault\ndeny\n");
        QTRY_COMPARE(told(), std::string("deny abcdef-1\n"));
    }

    void goesWithItsSession()
    {
        {
            session::Notifications notifications(m_installation, m_environment);
            notifications.show(ask(1, "evil.test:443", "/usr/bin/curl"));
            QVERIFY2(says("notify "), m_said);
        }
        QVERIFY2(says("close"), m_said);
    }

    void showsHostileNamesAsTheyAre()
    {
        session::Notifications notifications(m_installation, m_environment);
        notifications.show(ask(1, "evil.test:443", "/tmp/<b>fine</b>\n&" + std::string(400, 'x')));
        QVERIFY2(says("notify Revet: connect to evil.test:443? | $'/tmp/&lt;b&gt;fine&lt;/b&gt;\\n&amp;"),
                 m_said);
        QVERIFY(m_said.size() < 300);
    }

    void showsFewOfAFlood()
    {
        session::Notifications notifications(m_installation, m_environment);
        for (std::uint32_t number = 1; number <= 20; ++number) {
            notifications.show(ask(number, "evil.test:443", "/usr/bin/curl"));
        }
        for (int shown = 0; shown < 4; ++shown) {
            QVERIFY2(says("notify "), m_said);
        }
        QVERIFY(!m_desktop.waitForReadyRead(300));
        notifications.close(ask(1, "", "").ask.id);
        QVERIFY2(says("close"), m_said);
        notifications.show(ask(21, "other.test:443", "/usr/bin/curl"));
        QVERIFY2(says("notify Revet: connect to other.test:443?"), m_said);
    }

    void doesWithoutADesktop()
    {
        session::Notifications notifications(m_installation, {"DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"});
        notifications.show(ask(1, "evil.test:443", "/usr/bin/curl"));
        session::Notifications without({"/nowhere", "/nowhere"}, m_environment);
        without.show(ask(1, "evil.test:443", "/usr/bin/curl"));
        without.close(ask(1, "", "").ask.id);
    }

private:
    /// What revet was told to do so far.
    [[nodiscard]] std::string told() const
    {
        const fs::path file = fs::path(m_home->home()) / "told";
        return fs::exists(file) ? test::readFile(file) : std::string();
    }
    static AskRecord ask(std::uint32_t number, const char* target, const std::string& exe)
    {
        AskRecord record;
        record.ask.id = {*SessionId::parse("abcdef"), number};
        record.ask.project = "/p";
        record.ask.target = target;
        record.ask.chain = {{1, 1, exe, {}}};
        return record;
    }
    bool says(const QByteArray& text)
    {
        constexpr int kPatience = 20'000;
        if (!m_desktop.canReadLine() && !m_desktop.waitForReadyRead(kPatience)) {
            return false;
        }
        m_said = m_desktop.readLine();
        return m_said.startsWith(text);
    }

    std::unique_ptr<test::TempHome> m_home;
    QProcess m_bus;
    QProcess m_desktop;
    QByteArray m_said;
    std::vector<std::string> m_environment;
    session::Installation m_installation;
};

QTEST_GUILESS_MAIN(NotificationsTest)
#include "tst_notifications.moc"
