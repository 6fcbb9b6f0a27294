// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/channel.h"
#include "engine/os/socket.h"

#include <QTest>

#include <array>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace revet;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class ChannelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void keepsFramesApart();
    void carriesDescriptorsCloseOnExec();
    void refusesToSendWhatIsTooLarge();
    void refusesAFrameThatWasCutShort();
    void keepsNothingOfAnEmptyFrame();
    void saysWhenThePeerHasGone();
    void doesNotWaitWhenNonBlocking();

private:
    ipc::Channel m_left;
    ipc::Channel m_right;
};

void ChannelTest::init()
{
    auto pair = ipc::Channel::createPair();
    QVERIFY(pair);
    m_left = std::move(pair->first);
    m_right = std::move(pair->second);
}

void ChannelTest::keepsFramesApart()
{
    const std::string large(ipc::kMaximumFrameBytes, 'x');
    QVERIFY(m_left.send("one"));
    QVERIFY(m_left.send(large));
    QCOMPARE(m_right.receive()->bytes, std::string("one"));
    QCOMPARE(m_right.receive()->bytes, large);
}

void ChannelTest::carriesDescriptorsCloseOnExec()
{
    const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const std::array<int, ipc::kMaximumFrameFds> fds
        = {null.get(), null.get(), null.get(), null.get(), null.get(), null.get(), null.get(), null.get()};
    QVERIFY(m_left.send("fds", fds));
    const Result<ipc::Frame> frame = m_right.receive();
    QVERIFY(frame);
    QCOMPARE(frame->fds.size(), fds.size());
    for (const UniqueFd& fd : frame->fds) {
        QVERIFY((::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
    }
}

void ChannelTest::refusesToSendWhatIsTooLarge()
{
    const Result<void> sent = m_left.send(std::string(ipc::kMaximumFrameBytes + 1, 'x'));
    QVERIFY(!sent);
    QVERIFY(sent.error().code == ErrorCode::LimitExceeded);
    const std::array<int, ipc::kMaximumFrameFds + 1> tooMany = {};
    QVERIFY(!m_left.send("fds", tooMany));
    QVERIFY(!m_left.send(""));
}

void ChannelTest::refusesAFrameThatWasCutShort()
{
    const std::string tooLarge(ipc::kMaximumFrameBytes + 1, 'x');
    QCOMPARE(::send(m_left.fd(), tooLarge.data(), tooLarge.size(), 0), static_cast<ssize_t>(tooLarge.size()));
    const Result<ipc::Frame> frame = m_right.receive();
    QVERIFY(!frame);
    QVERIFY(frame.error().code == ErrorCode::Malformed);
}

void ChannelTest::keepsNothingOfAnEmptyFrame()
{
    std::array<int, 2> ends{};
    QCOMPARE(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd readEnd(ends[0]);
    UniqueFd writeEnd(ends[1]);
    QVERIFY(os::sendPacket(m_left.fd(), {}, std::array{writeEnd.get()}));
    writeEnd.reset();
    const Result<ipc::Frame> frame = m_right.receive();
    QVERIFY(!frame);
    QVERIFY(frame.error().code == ErrorCode::Closed);
    // Its descriptor was closed: nobody is left who could write.
    char byte = 0;
    QCOMPARE(::fcntl(readEnd.get(), F_SETFL, O_NONBLOCK), 0);
    QCOMPARE(::read(readEnd.get(), &byte, 1), ssize_t{0});
}

void ChannelTest::saysWhenThePeerHasGone()
{
    m_left = {};
    QVERIFY(m_right.receive().error().code == ErrorCode::Closed);
    QVERIFY(m_right.send("x").error().code == ErrorCode::Closed);
}

void ChannelTest::doesNotWaitWhenNonBlocking()
{
    QVERIFY(m_left.setNonBlocking());
    QVERIFY(m_left.receive().error().code == ErrorCode::TimedOut);
    Result<void> sent;
    for (int i = 0; i < 100000 && sent; ++i) {
        sent = m_left.send("nobody reads this");
    }
    QVERIFY(!sent);
    QVERIFY(sent.error().code == ErrorCode::LimitExceeded);
}

QTEST_APPLESS_MAIN(ChannelTest)
#include "tst_channel.moc"
