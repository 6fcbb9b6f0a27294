// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/client.h"
#include "engine/ipc/server.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

#include <poll.h>
#include <sys/stat.h>

using namespace revet;
using namespace std::chrono_literals;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class ControlSocketTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void answersHelloInfoAndStop();
    void tellsOfProgressAndEnd();
    void refusesAStop();
    void letsOnlyItsOwnerNearTheFile();
    void removesTheFile();
    void replacesWhatAKilledSessionLeft();
    void doesNotStealALiveSocket();
    void refusesADirectoryThatOthersMayEnter();
    void saysWhenThereIsNoSession();
    void talksToAnOrdinaryProcess();
    void hangsUpOnAStranger_data();
    void hangsUpOnAStranger();
    void trustsNoStrangersSocket_data();
    void trustsNoStrangersSocket();

private:
    [[nodiscard]] std::filesystem::path path() const
    {
        return std::filesystem::path(m_directory->path().toStdString()) / "k3f9q2.sock";
    }
    /// Runs `talk` with an accepted client on a thread of its own.
    template<typename Talk>
    [[nodiscard]] std::jthread serve(const ipc::Server& server, Talk talk)
    {
        return std::jthread([&server, talk] {
            pollfd waiting = {server.fd(), POLLIN, 0};
            if (::poll(&waiting, 1, 5000) == 1) {
                Result<ipc::Channel> client = server.accept();
                if (client) {
                    talk(*client);
                }
            }
        });
    }
    int runStranger(const char* state);

    std::unique_ptr<QTemporaryDir> m_directory;
};

namespace {

Result<ipc::Message> waitForMessage(const ipc::Channel& channel)
{
    pollfd waiting = {channel.fd(), POLLIN, 0};
    static_cast<void>(::poll(&waiting, 1, 5000));
    REVET_ASSIGN_OR_RETURN(const ipc::Frame frame, channel.receive());
    return ipc::decode(frame.bytes);
}

/// Receives one message of this kind and answers it.
template<typename Expected>
bool answer(const ipc::Channel& channel, const ipc::Message& reply)
{
    const Result<ipc::Message> message = waitForMessage(channel);
    return message && std::holds_alternative<Expected>(*message) && channel.send(ipc::encode(reply));
}

} // namespace

void ControlSocketTest::init()
{
    m_directory = std::make_unique<QTemporaryDir>();
    QVERIFY(m_directory->isValid());
}

void ControlSocketTest::answersHelloInfoAndStop()
{
    const Result<ipc::Server> server = ipc::Server::listen(path());
    QVERIFY(server);
    SessionInfo session;
    session.id = *SessionId::parse("k3f9q2");
    session.command = {"make", "-j2"};
    const std::jthread thread = serve(*server, [&session](const ipc::Channel& channel) {
        static_cast<void>(answer<ipc::Hello>(channel, ipc::Hello{})
                          && answer<ipc::InfoRequest>(channel, ipc::Info{session})
                          && answer<ipc::Stop>(channel, ipc::Answer{true, {}}));
    });
    Result<ipc::Client> client = ipc::Client::connect(path());
    QVERIFY(client);
    const Result<SessionInfo> info = client->info();
    QVERIFY(info);
    QCOMPARE(info->id.text(), std::string("k3f9q2"));
    QCOMPARE(info->command.size(), std::size_t{2});
    QVERIFY(client->stop(ipc::Stop{true}));
}

void ControlSocketTest::tellsOfProgressAndEnd()
{
    const Result<ipc::Server> server = ipc::Server::listen(path());
    QVERIFY(server);
    const std::jthread thread = serve(*server, [](const ipc::Channel& channel) {
        static_cast<void>(answer<ipc::Hello>(channel, ipc::Hello{})
                          && answer<ipc::Subscribe>(channel, ipc::Answer{})
                          && channel.send(ipc::encode(ipc::Advanced{EventSeq(7)})));
    });
    Result<ipc::Client> client = ipc::Client::connect(path());
    QVERIFY(client);
    QVERIFY(client->subscribe());
    const Result<EventSeq> seq = client->waitForAdvance(5s);
    QVERIFY(seq);
    QCOMPARE(seq->value(), std::uint64_t{7});
    QVERIFY(client->waitForEnd(5s));
}

void ControlSocketTest::refusesAStop()
{
    const Result<ipc::Server> server = ipc::Server::listen(path());
    QVERIFY(server);
    const std::jthread thread = serve(*server, [](const ipc::Channel& channel) {
        static_cast<void>(answer<ipc::Hello>(channel, ipc::Hello{})
                          && answer<ipc::Stop>(channel, ipc::Answer{false, "not now"}));
    });
    Result<ipc::Client> client = ipc::Client::connect(path());
    QVERIFY(client);
    const Result<void> stopped = client->stop({});
    QVERIFY(!stopped);
    QVERIFY(stopped.error().code == ErrorCode::Refused);
    QCOMPARE(stopped.error().context, std::string("not now"));
}

void ControlSocketTest::letsOnlyItsOwnerNearTheFile()
{
    const Result<ipc::Server> server = ipc::Server::listen(path());
    QVERIFY(server);
    struct stat status = {};
    QCOMPARE(::stat(path().c_str(), &status), 0);
    QCOMPARE(status.st_mode & 07777U, 0600U);
}

void ControlSocketTest::removesTheFile()
{
    {
        Result<ipc::Server> first = ipc::Server::listen(path());
        QVERIFY(first);
        const ipc::Server moved = *std::move(first);
        QVERIFY(std::filesystem::exists(path()));
    }
    QVERIFY(!std::filesystem::exists(path()));
}

void ControlSocketTest::replacesWhatAKilledSessionLeft()
{
    const auto leftover = path().parent_path() / "leftover.sock";
    {
        const Result<ipc::Server> killed = ipc::Server::listen(path());
        QVERIFY(killed);
        std::filesystem::create_hard_link(path(), leftover);
    }
    std::filesystem::rename(leftover, path());
    QVERIFY(ipc::Server::listen(path()));
}

void ControlSocketTest::doesNotStealALiveSocket()
{
    const Result<ipc::Server> first = ipc::Server::listen(path());
    QVERIFY(first);
    const Result<ipc::Server> second = ipc::Server::listen(path());
    QVERIFY(!second);
    QVERIFY(second.error().code == ErrorCode::Conflict);
    QVERIFY(std::filesystem::exists(path()));
}

void ControlSocketTest::refusesADirectoryThatOthersMayEnter()
{
    QCOMPARE(::chmod(path().parent_path().c_str(), 0755), 0);
    const Result<ipc::Server> server = ipc::Server::listen(path());
    QVERIFY(!server);
    QVERIFY(server.error().code == ErrorCode::Refused);
}

void ControlSocketTest::saysWhenThereIsNoSession()
{
    const Result<ipc::Client> client = ipc::Client::connect(path());
    QVERIFY(!client);
    QVERIFY(client.error().code == ErrorCode::NotFound);
}

int ControlSocketTest::runStranger(const char* state)
{
    const Result<ipc::Server> server = ipc::Server::listen(path());
    if (!server) {
        return -1;
    }
    const std::jthread thread = serve(*server, [](const ipc::Channel& channel) {
        static_cast<void>(answer<ipc::Hello>(channel, ipc::Hello{}));
    });
    return QProcess::execute(QStringLiteral(REVET_STRANGER),
                             {QString::fromUtf8(state), QString::fromStdString(path().string())});
}

void ControlSocketTest::talksToAnOrdinaryProcess()
{
    QCOMPARE(runStranger("plain"), 0);
}

void ControlSocketTest::hangsUpOnAStranger_data()
{
    QTest::addColumn<QByteArray>("state");
    QTest::newRow("under a filter of its own") << QByteArray("filtered");
    QTest::newRow("in another user namespace") << QByteArray("userns");
    QTest::newRow("in another mount namespace") << QByteArray("mountns");
}

void ControlSocketTest::hangsUpOnAStranger()
{
    QFETCH(QByteArray, state);
    QCOMPARE(runStranger(state.constData()), 1);
}

void ControlSocketTest::trustsNoStrangersSocket_data()
{
    hangsUpOnAStranger_data();
    QTest::newRow("an ordinary process") << QByteArray("plain");
}

void ControlSocketTest::trustsNoStrangersSocket()
{
    QFETCH(QByteArray, state);
    QProcess session;
    session.start(
        QStringLiteral(REVET_STRANGER),
        {QString::fromUtf8(state), QString::fromStdString(path().string()), QStringLiteral("listen")});
    Result<ipc::Client> client = ipc::Client::connect(path());
    while (!client && client.error().code == ErrorCode::NotFound && !session.waitForFinished(10)) {
        client = ipc::Client::connect(path());
    }
    QVERIFY(session.waitForFinished(30'000));
    if (state == "plain") {
        QVERIFY(client.has_value());
        QCOMPARE(session.exitCode(), 0);
    } else {
        QVERIFY(!client && client.error().code == ErrorCode::Refused);
        QCOMPARE(session.exitCode(), 1);
    }
}

QTEST_APPLESS_MAIN(ControlSocketTest)
#include "tst_control_socket.moc"
