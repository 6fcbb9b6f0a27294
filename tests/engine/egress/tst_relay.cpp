// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/relay.h"
#include "engine/egress/relays.h"

#include <QTest>

#include <array>
#include <cerrno>
#include <vector>

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

using namespace revet;
using namespace revet::egress;

namespace {

/// Wants a whole line, and none with "bad" in it.
class LineCheck final : public Inspector
{
public:
    Opinion look(std::string_view bytes) override
    {
        m_line += bytes;
        if (m_line.find("bad") != std::string::npos) {
            return Opinion::Broken;
        }
        return m_line.find('\n') == std::string::npos ? Opinion::Undecided : Opinion::Fine;
    }
    void answered(std::string_view bytes) override { m_isDone = bytes == "trusted"; }
    bool isDone() const override { return m_isDone; }
    std::string why() const override { return "bad"; }

private:
    std::string m_line;
    bool m_isDone = false;
};

/// A client and a server with a relay in between.
struct Pairs
{
    explicit Pairs(std::unique_ptr<Inspector> inspector = nullptr)
    {
        std::array<int, 2> one{};
        std::array<int, 2> other{};
        const int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
        if (::socketpair(AF_UNIX, type, 0, one.data()) == 0
            && ::socketpair(AF_UNIX, type, 0, other.data()) == 0) {
            client.reset(one[0]);
            server.reset(other[0]);
            relay.emplace(UniqueFd(one[1]), UniqueFd(other[1]), std::move(inspector));
        }
    }
    UniqueFd client;
    UniqueFd server;
    std::optional<Relay> relay;
};

void say(const UniqueFd& to, const std::string& text)
{
    QCOMPARE(::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

std::string heard(const UniqueFd& by)
{
    std::array<char, 4096> buffer{};
    const ssize_t size = ::recv(by.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return size < 0 ? "nothing"
        : size == 0 ? "end"
                    : std::string(buffer.data(), static_cast<std::size_t>(size));
}

} // namespace

class RelayTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sharesTheDescriptorsThatThereAre()
    {
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
        for (const rlim_t limit : {rlim_t{100}, rlim_t{256}, rlim_t{1280}}) {
            const rlimit few{limit, before.rlim_max};
            QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
            const std::size_t all = roomForRelays();
            const std::size_t forwards = roomForForwards();
            QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
            QCOMPARE(all, limit == 1280 ? std::size_t{512} : std::size_t{0});
            QCOMPARE(forwards, all / 4);
        }
    }

    void copiesBothWaysUntilBothHaveEnded()
    {
        Pairs pairs;
        say(pairs.client, "question");
        say(pairs.server, "welcome");
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        QCOMPARE(heard(pairs.server), "question");
        QCOMPARE(heard(pairs.client), "welcome");
        ::shutdown(pairs.client.get(), SHUT_WR);
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        QCOMPARE(heard(pairs.server), "end");
        say(pairs.server, "still an answer");
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        QCOMPARE(heard(pairs.client), "still an answer");
        ::shutdown(pairs.server.get(), SHUT_WR);
        QCOMPARE(pairs.relay->turn(), Relay::State::Ended);
    }

    void readsNoMoreThanIsTaken()
    {
        Pairs pairs;
        const std::string chunk(65536, 'x');
        std::size_t sent = 0;
        for (int i = 0; i < 1000; ++i) {
            const ssize_t size = ::send(pairs.client.get(), chunk.data(), chunk.size(), MSG_NOSIGNAL);
            sent += size > 0 ? static_cast<std::size_t>(size) : 0;
            QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        }
        QVERIFY2(sent < 500 * chunk.size(), "it took more than it could get rid of");
        QCOMPARE(pairs.relay->wanted(Relay::kClient) & EPOLLIN, 0U);
        QVERIFY((pairs.relay->wanted(Relay::kServer) & EPOLLOUT) != 0);
        std::size_t arrived = 0;
        for (std::string got = heard(pairs.server); got != "nothing"; got = heard(pairs.server)) {
            arrived += got.size();
            QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        }
        QCOMPARE(arrived, sent);
        QVERIFY((pairs.relay->wanted(Relay::kClient) & EPOLLIN) != 0);
    }

    void keepsNoMemoryForThoseThatAreSilent()
    {
        constexpr std::size_t kCount = 200;
        constexpr std::size_t kEnoughEach = 2048;
        std::vector<Pairs> many(kCount);
        const auto used = [] { return ::mallinfo2().uordblks; };
        const std::size_t before = used();
        for (Pairs& pairs : many) {
            say(pairs.client, std::string(1000, 'q'));
            say(pairs.server, std::string(1000, 'a'));
            QCOMPARE(pairs.relay->turn(), Relay::State::Open);
            QCOMPARE(heard(pairs.server).size(), std::size_t{1000});
            QCOMPARE(heard(pairs.client).size(), std::size_t{1000});
        }
        QVERIFY(used() < before + kCount * kEnoughEach);
    }

    void holdsBackWhatIsNotJudged()
    {
        Pairs pairs(std::make_unique<LineCheck>());
        say(pairs.server, "welcome");
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        QCOMPARE(heard(pairs.client), "welcome"); // who speaks first is not waited for
        QVERIFY(!pairs.relay->isHolding());
        say(pairs.client, "half");
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        QVERIFY(pairs.relay->isHolding());
        QCOMPARE(heard(pairs.server), "nothing");
        say(pairs.client, " and half\n");
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        QCOMPARE(heard(pairs.server), "half and half\n");
        say(pairs.client, "bad");
        QCOMPARE(pairs.relay->turn(), Relay::State::Refused);
        QCOMPARE(heard(pairs.server), "nothing");
    }

    void looksNoMoreOnceTheAnswerSaysSo()
    {
        Pairs pairs(std::make_unique<LineCheck>());
        say(pairs.client, "question\n");
        say(pairs.server, "trusted");
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        say(pairs.client, "bad");
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        QCOMPARE(heard(pairs.server), "question\nbad");
        QCOMPARE(heard(pairs.client), "trusted");
    }

    void passesNothingOnThatEndedUnjudged()
    {
        Pairs pairs(std::make_unique<LineCheck>());
        say(pairs.client, "half");
        ::shutdown(pairs.client.get(), SHUT_WR);
        QCOMPARE(pairs.relay->turn(), Relay::State::Refused);
        QCOMPARE(heard(pairs.server), "nothing");
    }

    void endsForWhoSaysNothing()
    {
        Pairs pairs(std::make_unique<LineCheck>());
        ::shutdown(pairs.client.get(), SHUT_WR);
        QCOMPARE(pairs.relay->turn(), Relay::State::Open);
        QCOMPARE(heard(pairs.server), "end");
        pairs.server.reset();
        QCOMPARE(pairs.relay->turn(), Relay::State::Ended);
    }
};

QTEST_GUILESS_MAIN(RelayTest)
#include "tst_relay.moc"
