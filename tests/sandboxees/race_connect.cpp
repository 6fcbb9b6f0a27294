// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Two threads: one connects again and again to an address in shared memory, the other keeps swapping it
// between one that is allowed and one that is not, and the descriptor between two sockets. Who judges the
// bytes of the call loses.

#include "tests/sandboxees/deed.h"

#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr int kPort = 80;
constexpr int kPatienceMs = 5000;

sockaddr_in addressOf(const char* host)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(kPort);
    ::inet_pton(AF_INET, host, &address.sin_addr);
    return address;
}

/// Connects by the shared address; whether that got through.
bool connects(int fd, sockaddr_in* shared)
{
    if (::connect(fd, reinterpret_cast<const sockaddr*>(shared), sizeof *shared) != 0
        && errno != EINPROGRESS) {
        return false;
    }
    pollfd ready{fd, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    return ::poll(&ready, 1, kPatienceMs) == 1 && ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0
        && error == 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const long rounds = argc == 4 ? victim::numberOr(arguments[3], 0) : 0;
    if (rounds <= 0) {
        return victim::usage("race_connect ALLOWED-ADDRESS FORBIDDEN-ADDRESS ROUNDS");
    }
    const sockaddr_in allowed = addressOf(arguments[1]);
    const sockaddr_in forbidden = addressOf(arguments[2]);
    sockaddr_in shared = allowed;
    std::atomic<bool> isOver = false;
    std::atomic<int> current = -1;
    std::thread swapper([&] {
        while (!isOver) {
            std::memcpy(&shared, &forbidden, sizeof shared); // the race is the point
            if (const int fd = current.load(); fd >= 0) {
                ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) ^ O_NONBLOCK);
            }
            std::memcpy(&shared, &allowed, sizeof shared);
        }
    });
    long through = 0;
    long refused = 0;
    for (long round = 0; round < rounds; ++round) {
        const int fd
            = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | (round % 2 == 0 ? 0 : SOCK_NONBLOCK), 0);
        current = fd;
        ++(connects(fd, &shared) ? through : refused);
        current = -1;
        const linger reset{1, 0}; // or the ports run out
        ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        ::close(fd);
    }
    isOver = true;
    swapper.join();
    victim::say({"through ", std::to_string(through)});
    victim::say({"refused ", std::to_string(refused)});
    return victim::kDone;
}
