// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Loads a network path and prints what it took, for the benchmark:
//
//     net_load serve ADDRESS PORT            answers the others, one thread, for ever
//     net_load relay PORT ADDRESS PORT       passes 127.0.0.1:PORT on, one thread, for ever
//     net_load connect NAME PORT COUNT       "connect NS": the median of connects
//     net_load echo NAME PORT COUNT          "echo NS": of connect, one byte there and back, close
//     net_load up|down NAME PORT BYTES       "up NS" for one MiB of one stream
//     net_load crowd NAME PORT OPEN SECONDS  OPEN idle connections, 200 new ones a second, one bulk stream:
//                                            "failures N p99 NS" of the new ones' connect and echo

#include "tests/sandboxees/deed.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

using Time = std::chrono::steady_clock;
constexpr std::size_t kPiece = 65'536;
constexpr std::size_t kMebibyte = 1U << 20U;

/// What a client says first: 'e' echo, 'd' send me `bytes`, 'u' take `bytes` and answer with one.
struct Request
{
    char kind;
    std::array<char, 7> unused = {};
    std::uint64_t bytes;
};

addrinfo* resolve(const char* name, const char* port)
{
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    return ::getaddrinfo(name, port, &hints, &found) == 0 ? found : nullptr;
}

int listenAt(const char* address, const char* port)
{
    const addrinfo* const to = resolve(address, port);
    const int on = 1;
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool isListening = to != nullptr && ::bind(listener, to->ai_addr, to->ai_addrlen) == 0
        && ::listen(listener, SOMAXCONN) == 0;
    return isListening ? listener : -1;
}

int dial(const addrinfo& to, int flags = 0)
{
    const int on = 1;
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(made, to.ai_addr, to.ai_addrlen) != 0 && errno != EINPROGRESS) {
        ::close(made);
        return -1;
    }
    return made;
}

bool sendAll(int socket, const void* bytes, std::size_t size)
{
    const char* const start = static_cast<const char*>(bytes);
    for (std::size_t sent = 0; sent < size;) {
        const ssize_t now = ::send(socket, start + sent, size - sent, MSG_NOSIGNAL);
        if (now <= 0) {
            return false;
        }
        sent += static_cast<std::size_t>(now);
    }
    return true;
}

bool begin(int socket, char kind, std::uint64_t bytes)
{
    const Request request{kind, {}, bytes};
    return sendAll(socket, &request, sizeof request);
}

/// Waits for sockets and calls what was registered with each; one thread, level triggered.
class Loop
{
public:
    using Ready = std::function<void(std::uint32_t events)>;
    void add(int fd, std::uint32_t events, Ready ready)
    {
        epoll_event event{};
        event.events = events;
        event.data.fd = fd;
        m_ready[fd] = std::make_shared<Ready>(std::move(ready));
        ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, fd, &event);
    }
    void change(int fd, std::uint32_t events) const
    {
        epoll_event event{};
        event.events = events;
        event.data.fd = fd;
        ::epoll_ctl(m_epoll, EPOLL_CTL_MOD, fd, &event);
    }
    void close(int fd)
    {
        m_ready.erase(fd);
        ::close(fd);
    }
    [[noreturn]] void run()
    {
        std::array<epoll_event, 64> events{};
        for (;;) {
            const int count = ::epoll_wait(m_epoll, events.data(), events.size(), -1);
            for (int i = 0; i < count; ++i) {
                const epoll_event& event = events.at(static_cast<std::size_t>(i));
                const auto found = m_ready.find(event.data.fd);
                if (found != m_ready.end()) {
                    const std::shared_ptr<Ready> ready = found->second; // it may close itself
                    (*ready)(event.events);
                }
            }
        }
    }

private:
    int m_epoll = ::epoll_create1(EPOLL_CLOEXEC);
    std::map<int, std::shared_ptr<Ready>> m_ready;
};

/// A client of the server.
class Served
{
public:
    Served(Loop& loop, int socket)
        : m_loop(loop)
        , m_socket(socket)
    {
    }
    void ready(std::uint32_t events)
    {
        static std::array<char, kPiece> piece{};
        if ((events & EPOLLOUT) != 0) {
            sendMore(piece);
            return;
        }
        const ssize_t size = ::recv(m_socket, piece.data(), piece.size(), MSG_DONTWAIT);
        if (size <= 0) {
            m_loop.close(m_socket);
            return;
        }
        std::string_view got(piece.data(), static_cast<std::size_t>(size));
        if (m_request.kind == 0) {
            if (got.size() < sizeof m_request) {
                m_loop.close(m_socket);
                return;
            }
            std::memcpy(&m_request, got.data(), sizeof m_request);
            got.remove_prefix(sizeof m_request);
        }
        if (m_request.kind == 'd') {
            m_loop.change(m_socket, EPOLLOUT);
        } else if (m_request.kind == 'e') {
            sendAll(m_socket, got.data(), got.size());
        } else if ((m_request.bytes -= std::min<std::uint64_t>(m_request.bytes, got.size())) == 0) {
            sendAll(m_socket, "!", 1);
        }
    }

private:
    void sendMore(const std::array<char, kPiece>& piece)
    {
        const std::size_t most = std::min<std::uint64_t>(m_request.bytes, piece.size());
        const ssize_t sent = ::send(m_socket, piece.data(), most, MSG_DONTWAIT | MSG_NOSIGNAL);
        m_request.bytes -= static_cast<std::uint64_t>(std::max<ssize_t>(sent, 0));
        if (m_request.bytes == 0 || (sent < 0 && errno != EAGAIN)) {
            m_loop.close(m_socket);
        }
    }

    Loop& m_loop;
    int m_socket;
    Request m_request{};
};

int serve(const char* address, const char* port)
{
    Loop loop;
    const int listener = listenAt(address, port);
    if (listener < 0) {
        return victim::kRefused;
    }
    loop.add(listener, EPOLLIN, [&](std::uint32_t) {
        const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client >= 0) {
            const auto served = std::make_shared<Served>(loop, client);
            loop.add(client, EPOLLIN, [served](std::uint32_t events) { served->ready(events); });
        }
    });
    loop.run();
}

/// As plain as a relay can be: what came from one side is written to the other before more is read.
void relayBetween(Loop& loop, int from, int to)
{
    loop.add(from, EPOLLIN, [&loop, from, to](std::uint32_t) {
        static std::array<char, kPiece> piece{};
        const ssize_t size = ::recv(from, piece.data(), piece.size(), MSG_DONTWAIT);
        if (size > 0 && sendAll(to, piece.data(), static_cast<std::size_t>(size))) {
            return;
        }
        loop.close(from); // both at once: a number that is free is soon another connection's
        loop.close(to);
    });
}

int relay(const char* port, const char* address, const char* remotePort)
{
    Loop loop;
    const int listener = listenAt("127.0.0.1", port);
    const addrinfo* const to = resolve(address, remotePort);
    if (listener < 0 || to == nullptr) {
        return victim::kRefused;
    }
    loop.add(listener, EPOLLIN, [&](std::uint32_t) {
        const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        const int server = dial(*to);
        if (client >= 0 && server >= 0) {
            relayBetween(loop, client, server);
            relayBetween(loop, server, client);
        }
    });
    loop.run();
}

/// Connect, a byte there and back, and close.
bool echoOnce(const addrinfo& to)
{
    const int socket = dial(to);
    char answer = 0;
    const bool isAnswered = socket >= 0 && begin(socket, 'e', 0) && sendAll(socket, "?", 1)
        && ::recv(socket, &answer, 1, 0) == 1;
    ::close(socket);
    return isAnswered;
}

bool connectOnce(const addrinfo& to)
{
    const int socket = dial(to);
    ::close(socket);
    return socket >= 0;
}

long nanoseconds(Time::duration duration)
{
    return static_cast<long>(std::chrono::nanoseconds(duration).count());
}

long percentile(std::vector<long> values, std::size_t percent)
{
    std::ranges::sort(values);
    return values.empty() ? 0 : values.at(values.size() * percent / 100);
}

int timed(const char* what, const addrinfo& to, long count, const std::function<bool(const addrinfo&)>& once)
{
    std::vector<long> taken;
    for (long i = 0; i < count; ++i) {
        const Time::time_point start = Time::now();
        if (!once(to)) {
            return victim::kRefused;
        }
        taken.push_back(nanoseconds(Time::now() - start));
    }
    victim::say({what, " ", std::to_string(percentile(taken, 50))});
    return victim::kDone;
}

bool transfer(const addrinfo& to, bool isUp, std::uint64_t bytes)
{
    std::vector<char> piece(kPiece);
    const int socket = dial(to);
    bool works = socket >= 0 && begin(socket, isUp ? 'u' : 'd', bytes);
    for (std::uint64_t left = bytes; works && left > 0;) {
        const std::size_t most = std::min<std::uint64_t>(left, piece.size());
        const ssize_t moved
            = isUp ? ::send(socket, piece.data(), most, MSG_NOSIGNAL) : ::recv(socket, piece.data(), most, 0);
        works = moved > 0;
        left -= works ? static_cast<std::uint64_t>(moved) : 0;
    }
    works = works && (!isUp || ::recv(socket, piece.data(), 1, 0) == 1);
    ::close(socket);
    return works;
}

int stream(const char* what, const addrinfo& to, std::uint64_t bytes)
{
    const Time::time_point start = Time::now();
    if (!transfer(to, std::string_view(what) == "up", bytes)) {
        return victim::kRefused;
    }
    const long perMebibyte = nanoseconds(Time::now() - start) / static_cast<long>(bytes / kMebibyte);
    victim::say({what, " ", std::to_string(perMebibyte)});
    return victim::kDone;
}

int crowd(const addrinfo& to, long open, long seconds)
{
    constexpr long kNewEachSecond = 200;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    long failures = 0;
    for (long i = 0; i < open; ++i) {
        failures += dial(to) < 0 ? 1 : 0; // they stay open
    }
    std::atomic<bool> isOver = false;
    std::jthread bulk([&] {
        while (!isOver && transfer(to, false, 64 * kMebibyte)) { }
    });
    std::vector<long> taken;
    const Time::time_point start = Time::now();
    for (long i = 0; i < kNewEachSecond * seconds; ++i) {
        std::this_thread::sleep_until(start + i * std::chrono::seconds(1) / kNewEachSecond);
        const Time::time_point before = Time::now();
        failures += echoOnce(to) ? 0 : 1;
        taken.push_back(nanoseconds(Time::now() - before));
    }
    isOver = true;
    victim::say({"failures ", std::to_string(failures), " p99 ", std::to_string(percentile(taken, 99))});
    return failures == 0 ? victim::kDone : victim::kRefused;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "serve" && argc == 4) {
        return serve(argv[2], argv[3]);
    }
    if (what == "relay" && argc == 5) {
        return relay(argv[2], argv[3], argv[4]);
    }
    const addrinfo* const to = argc >= 5 ? resolve(argv[2], argv[3]) : nullptr;
    if (to == nullptr) {
        return victim::usage("net_load serve|relay|connect|echo|up|down|crowd …, see its source");
    }
    const long amount = victim::numberOr(argv[4], 1);
    if (what == "connect") {
        return timed("connect", *to, amount, connectOnce);
    }
    if (what == "echo") {
        return timed("echo", *to, amount, echoOnce);
    }
    if (what == "crowd" && argc == 6) {
        return crowd(*to, amount, victim::numberOr(argv[5], 1));
    }
    return stream(argv[1], *to, static_cast<std::uint64_t>(amount));
}
