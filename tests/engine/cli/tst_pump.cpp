// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"
#include "engine/cli/pump.h"

#include <QTemporaryFile>
#include <QTest>

#include <array>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using revet::UniqueFd;
using revet::cli::Pump;

// NOLINTNEXTLINE(misc-use-internal-linkage)
class PumpTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { std::signal(SIGPIPE, SIG_IGN); }
    void carriesEveryByte_data();
    void carriesEveryByte();
    void appendsToAFile();
    void noticesThatNobodyReads();
    void doesNotWaitForASlowReader();
    void readsNothingWhilePaused();
    void filtersWhatItCarries();

private:
    struct Ends
    {
        UniqueFd read;
        UniqueFd write;
    };
    static Ends makePipe()
    {
        std::array<int, 2> ends{};
        return ::pipe2(ends.data(), O_CLOEXEC) == 0 ? Ends{UniqueFd(ends[0]), UniqueFd(ends[1])} : Ends{};
    }
    static Ends makeSockets()
    {
        std::array<int, 2> ends{};
        return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0
            ? Ends{UniqueFd(ends[0]), UniqueFd(ends[1])}
            : Ends{};
    }
    /// One turn of the owner's loop; how many descriptors were ready.
    static int turn(Pump& pump, int timeout)
    {
        std::vector<pollfd> polled;
        pump.addInterests(polled);
        const int ready = ::poll(polled.data(), polled.size(), timeout);
        pump.handle(polled);
        return ready;
    }
};

void PumpTest::carriesEveryByte_data()
{
    QTest::addColumn<bool>("fromPipe");
    QTest::addColumn<bool>("toPipe");
    QTest::newRow("pipe to pipe") << true << true;
    QTest::newRow("pipe to socket") << true << false;
    QTest::newRow("socket to pipe") << false << true;
}

void PumpTest::carriesEveryByte()
{
    QFETCH(bool, fromPipe);
    QFETCH(bool, toPipe);
    std::string sent;
    for (int i = 0; i < 3'000'000; ++i) {
        sent += static_cast<char>((i * 7 + i / 251) & 0xff);
    }
    Ends source = fromPipe ? makePipe() : makeSockets();
    Ends sink = toPipe ? makePipe() : makeSockets();
    std::jthread writer([&] {
        for (std::size_t done = 0; done < sent.size();) {
            done += static_cast<std::size_t>(
                ::write(source.write.get(), sent.data() + done, sent.size() - done));
        }
        source.write.reset();
    });
    std::string received;
    std::jthread reader([&] {
        std::array<char, 8192> buffer{};
        for (;;) {
            const ssize_t size = ::read(sink.read.get(), buffer.data(), buffer.size());
            if (size <= 0) {
                return;
            }
            received.append(buffer.data(), static_cast<std::size_t>(size));
        }
    });
    Pump pump(source.read.get(), sink.write.get());
    while (!pump.isOver()) {
        turn(pump, 5000);
    }
    sink.write.reset();
    reader.join();
    QVERIFY(!pump.isRefused());
    QVERIFY(received == sent);
}

void PumpTest::appendsToAFile()
{
    QTemporaryFile file;
    QVERIFY(file.open());
    const UniqueFd output(::open(file.fileName().toUtf8().constData(), O_WRONLY | O_APPEND | O_CLOEXEC));
    Ends source = makePipe();
    QCOMPARE(::write(source.write.get(), "line\n", 5), 5);
    source.write.reset();
    Pump pump(source.read.get(), output.get());
    while (!pump.isOver()) {
        turn(pump, 5000);
    }
    QCOMPARE(file.readAll(), QByteArray("line\n"));
}

void PumpTest::noticesThatNobodyReads()
{
    for (const bool isFiltered : {false, true}) {
        Ends source = makePipe();
        Ends sink = makePipe();
        sink.read.reset();
        revet::cli::TerminalFilter filter;
        Pump pump(source.read.get(), sink.write.get(), isFiltered ? &filter : nullptr);
        QCOMPARE(::write(source.write.get(), "x", 1), 1);
        for (int i = 0; i < 10 && !pump.isOver(); ++i) {
            turn(pump, 100);
        }
        QVERIFY(pump.isRefused());
        QCOMPARE(pump.writeProblem(), 0);
    }
}

void PumpTest::doesNotWaitForASlowReader()
{
    for (const bool isFiltered : {false, true}) {
        Ends source = makePipe();
        Ends sink = makePipe();
        revet::cli::TerminalFilter filter;
        Pump pump(source.read.get(), sink.write.get(), isFiltered ? &filter : nullptr);
        const std::string chunk(40'000, 'x');
        int idleTurns = 0;
        for (int i = 0; i < 40 && idleTurns == 0; ++i) {
            pollfd room = {source.write.get(), POLLOUT, 0};
            if (::poll(&room, 1, 0) == 1) {
                ::fcntl(source.write.get(), F_SETFL, O_NONBLOCK);
                static_cast<void>(::write(source.write.get(), chunk.data(), chunk.size()));
            }
            // A busy loop would be ready without an end; a blocking write would never come back.
            for (int k = 0; k < 100; ++k) {
                if (turn(pump, 5) == 0) {
                    ++idleTurns;
                    break;
                }
            }
            idleTurns = ::poll(&room, 1, 0) == 1 ? 0 : idleTurns;
        }
        QVERIFY(idleTurns > 0);
        QVERIFY(!pump.isOver());
    }
}

void PumpTest::readsNothingWhilePaused()
{
    Ends source = makePipe();
    Ends sink = makePipe();
    Pump pump(source.read.get(), sink.write.get());
    pump.setPaused(true);
    QCOMPARE(::write(source.write.get(), "x", 1), 1);
    QCOMPARE(turn(pump, 10), 0);
    pump.setPaused(false);
    QCOMPARE(turn(pump, 1000), 1);
    char byte = 0;
    QCOMPARE(::read(sink.read.get(), &byte, 1), 1);
}

void PumpTest::filtersWhatItCarries()
{
    Ends source = makePipe();
    Ends sink = makeSockets();
    revet::cli::TerminalFilter filter;
    Pump pump(source.read.get(), sink.write.get(), &filter);
    const std::string text = "a\x1b]52;c;eA==\ab";
    QCOMPARE(::write(source.write.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    turn(pump, 1000);
    std::array<char, 16> buffer{};
    QCOMPARE(::read(sink.read.get(), buffer.data(), buffer.size()), 2);
    QCOMPARE(std::string(buffer.data(), 2), std::string("ab"));
}

QTEST_APPLESS_MAIN(PumpTest)
#include "tst_pump.moc"
