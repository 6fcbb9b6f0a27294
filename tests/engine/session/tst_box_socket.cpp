// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/socket_address.h"
#include "engine/session/box_socket.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace revet;
using session::BoxSocket;

/// Where a box speaks to its session: bounded, whatever it sends. In front of raw strings: moc takes them for
/// ordinary ones.
class BoxSocketTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knowsWhoSends();
    void answersOnlyThoseForWhomTheSessionConnects();
    void hangsUpOnWhatIsNoRequest_data();
    void hangsUpOnWhatIsNoRequest();
    void takesNoDescriptors();
    void refusesTooManyConnections();
    void refusesTooManyRequests();
    void doesNotWaitForWhoDoesNotRead();
};

namespace {

constexpr const char* kNote = R"({"version":1,"type":"note","text":"x"})";

/// Says back who has sent.
class Desk
{
public:
    Desk()
        : m_path(m_home.runtimeDirectory() / "socket")
        , m_socket(BoxSocket::listen(
              m_path,
              {m_clock,
               [](const os::Sender& sender, const ipc::BoxRequest&) { return std::to_string(sender.pid); },
               [this] { ++m_hasty; }}))
        , m_thread([this] { (*m_socket)->serve(); })
    {
    }
    ~Desk() { (*m_socket)->stop(); }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;
    Desk(Desk&&) = delete;
    Desk& operator=(Desk&&) = delete;

    [[nodiscard]] ipc::Channel connect() const
    {
        const auto address = ipc::SocketAddress::of(m_path);
        UniqueFd client(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        return address && ::connect(client.get(), address->get(), address->size()) == 0
            ? ipc::Channel(std::move(client))
            : ipc::Channel();
    }
    [[nodiscard]] int hasty() const { return m_hasty; }

private:
    test::TempHome m_home;
    std::filesystem::path m_path;
    test::FakeClock m_clock; // stands still: nothing is earned
    std::atomic<int> m_hasty = 0;
    Result<std::unique_ptr<BoxSocket>> m_socket;
    std::jthread m_thread;
};

/// The answer; none where it hung up.
std::optional<std::string> answerTo(const ipc::Channel& client, const std::string& frame)
{
    static_cast<void>(client.send(frame).has_value());
    const auto answer = client.receive();
    return answer ? std::optional(answer->bytes) : std::nullopt;
}

bool isRefusal(const std::optional<std::string>& answer)
{
    return answer && answer->find(R"("type":"error")") != std::string::npos;
}

std::string own()
{
    return std::to_string(::getpid());
}

} // namespace

void BoxSocketTest::knowsWhoSends()
{
    const Desk desk;
    const ipc::Channel client = desk.connect();
    QCOMPARE(answerTo(client, kNote), std::optional(own()));
    // The connection is ours, and handed on; who sends is another.
    const pid_t child = ::fork();
    if (child == 0) {
        const auto answer = answerTo(client, kNote);
        ::_exit(answer == std::to_string(::getpid()) ? 0 : 1);
    }
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
}

void BoxSocketTest::answersOnlyThoseForWhomTheSessionConnects()
{
    const Desk desk;
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(answerTo(desk.connect(), kNote) ? 1 : 0);
    }
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
}

void BoxSocketTest::hangsUpOnWhatIsNoRequest_data()
{
    QTest::addColumn<QByteArray>("frame");
    QTest::newRow("no JSON") << QByteArray("hello");
    QTest::newRow("not known") << QByteArray(R"({"version":1,"type":"approve"})");
    QTest::newRow("too large") << QByteArray(70000, ' ');
}

void BoxSocketTest::hangsUpOnWhatIsNoRequest()
{
    QFETCH(QByteArray, frame);
    const Desk desk;
    const ipc::Channel client = desk.connect();
    QVERIFY(::send(client.fd(), frame.constData(), static_cast<std::size_t>(frame.size()), 0)
            == frame.size());
    const auto answer = client.receive();
    QVERIFY(answer && isRefusal(answer->bytes));
    QVERIFY(!client.receive());
    QCOMPARE(answerTo(desk.connect(), kNote), std::optional(own()));
}

void BoxSocketTest::takesNoDescriptors()
{
    const Desk desk;
    const ipc::Channel client = desk.connect();
    const std::array<int, 1> descriptors{STDIN_FILENO};
    const auto sent = client.send(kNote, descriptors); // refused by newer kernels
    const auto answer = sent ? client.receive() : Result<ipc::Frame>(fail(sent.error()));
    QVERIFY(sent ? answer && isRefusal(answer->bytes) : sent.error().errnoValue == EPERM);
    QCOMPARE(answerTo(desk.connect(), kNote), std::optional(own()));
}

void BoxSocketTest::refusesTooManyConnections()
{
    const Desk desk;
    std::vector<ipc::Channel> clients;
    for (std::size_t i = 0; i < BoxSocket::kMaximumClients; ++i) {
        clients.push_back(desk.connect());
        QCOMPARE(answerTo(clients.back(), kNote), std::optional(own()));
    }
    const ipc::Channel more = desk.connect();
    const auto answer = more.receive();
    QVERIFY(answer && isRefusal(answer->bytes));
    QVERIFY(!more.receive());
    clients.pop_back();
    // It is not noticed at once that one has gone.
    QTRY_VERIFY(answerTo(desk.connect(), kNote) == own());
}

void BoxSocketTest::refusesTooManyRequests()
{
    const Desk desk;
    const ipc::Channel client = desk.connect();
    for (std::uint32_t i = 0; i < BoxSocket::kBurst; ++i) {
        QCOMPARE(answerTo(client, kNote), std::optional(own()));
    }
    QVERIFY(isRefusal(answerTo(client, kNote)));
    QVERIFY(isRefusal(answerTo(client, kNote))); // it may stay
    QVERIFY(isRefusal(answerTo(desk.connect(), kNote))); // of all together
    QCOMPARE(desk.hasty(), 3);
}

void BoxSocketTest::doesNotWaitForWhoDoesNotRead()
{
    const Desk desk;
    const ipc::Channel deaf = desk.connect();
    for (;;) { // until it is hung up on
        pollfd source{deaf.fd(), POLLOUT, 0};
        if (::poll(&source, 1, -1) < 0 || !deaf.send(kNote)) {
            break;
        }
    }
    QVERIFY(isRefusal(answerTo(desk.connect(), kNote)));
}

QTEST_APPLESS_MAIN(BoxSocketTest)
#include "tst_box_socket.moc"
