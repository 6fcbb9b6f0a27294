// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Connects, or sends without connecting, to an address of any of the families that reach outwards.

#include "tests/sandboxees/deed.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

struct Destination
{
    sockaddr_storage storage{};
    socklen_t size = 0;
    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// An internet address in any spelling that inet_aton(3) knows ("127.1", "0"), or IPv6.
bool internet(const char* host, const char* port, Destination* destination)
{
    const auto portNumber = static_cast<in_port_t>(victim::numberOr(port, 0));
    auto* const four = reinterpret_cast<sockaddr_in*>(&destination->storage);
    if (::inet_aton(host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(portNumber);
        destination->size = sizeof(*four);
        return true;
    }
    auto* const six = reinterpret_cast<sockaddr_in6*>(&destination->storage);
    if (::inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(portNumber);
        destination->size = sizeof(*six);
        return true;
    }
    return false;
}

/// A local socket by path, or by abstract name where `isAbstract`.
bool local(std::string_view name, bool isAbstract, Destination* destination)
{
    auto* const address = reinterpret_cast<sockaddr_un*>(&destination->storage);
    const std::size_t offset = isAbstract ? 1 : 0;
    if (name.size() + offset + 1 > sizeof(address->sun_path)) {
        return false;
    }
    address->sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address->sun_path + offset);
    destination->size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + offset + name.size()
                                               + (isAbstract ? 0 : 1));
    return true;
}

int connectTo(const Destination& destination, int type)
{
    const int fd = ::socket(destination.storage.ss_family, type | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    const int result = victim::outcome(::connect(fd, destination.get(), destination.size));
    if (result == 0) {
        // The far end is a test's listener that greets; a box must never get to read it.
        std::string greeting(64, '\0');
        pollfd ready{fd, POLLIN, 0};
        constexpr int kPatienceMs = 300;
        if (::poll(&ready, 1, kPatienceMs) == 1) {
            const ssize_t size = ::recv(fd, greeting.data(), greeting.size(), 0);
            greeting.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
            victim::say({"content ", greeting});
        }
    }
    ::close(fd);
    return result;
}

int sendTo(const Destination& destination, int type, int flags)
{
    const int fd = ::socket(destination.storage.ss_family, type | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    constexpr std::string_view kText = "canary";
    const int result = victim::outcome(
        ::sendto(fd, kText.data(), kText.size(), flags, destination.get(), destination.size));
    ::close(fd);
    return result;
}

} // namespace

int main(int argc, char** argv)
{
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const std::string_view kind = argc > 2 ? arguments[1] : "";
    Destination destination;
    victim::Report report;
    if ((kind == "tcp" || kind == "udp") && argc == 4 && internet(arguments[2], arguments[3], &destination)) {
        if (kind == "tcp") {
            report.attempt("connect", connectTo(destination, SOCK_STREAM));
            report.attempt("fastopen", sendTo(destination, SOCK_STREAM, MSG_FASTOPEN));
        } else {
            report.attempt("sendto", sendTo(destination, SOCK_DGRAM, 0));
        }
        return report.status();
    }
    if ((kind == "unix" || kind == "abstract") && argc == 3
        && local(arguments[2], kind == "abstract", &destination)) {
        report.attempt("stream", connectTo(destination, SOCK_STREAM));
        report.attempt("seqpacket", connectTo(destination, SOCK_SEQPACKET));
        report.attempt("dgram", connectTo(destination, SOCK_DGRAM));
        report.attempt("sendto", sendTo(destination, SOCK_DGRAM, 0));
        return report.status();
    }
    return victim::usage("connect_to {tcp|udp} ADDRESS PORT | {unix|abstract} NAME");
}
