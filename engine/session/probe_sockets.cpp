// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/probe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace revet::probe {

namespace {

/// Where a socket connects to or listens.
struct Address
{
    sockaddr_storage bytes{};
    socklen_t size = 0;
    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
    [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

Address loopback4(int port)
{
    Address address;
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(static_cast<std::uint16_t>(port));
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::memcpy(&address.bytes, &in, sizeof in);
    address.size = sizeof in;
    return address;
}

Address loopback6(int port)
{
    Address address;
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(static_cast<std::uint16_t>(port));
    in.sin6_addr = in6addr_loopback;
    std::memcpy(&address.bytes, &in, sizeof in);
    address.size = sizeof in;
    return address;
}

/// An abstract name begins with NUL.
Address local(const std::string& name)
{
    Address address;
    sockaddr_un un{};
    un.sun_family = AF_UNIX;
    const std::size_t size = std::min(name.size(), sizeof un.sun_path);
    std::memcpy(un.sun_path, name.data(), size);
    std::memcpy(&address.bytes, &un, sizeof un);
    address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
    return address;
}

int connectTo(const Address& address)
{
    const int socket = ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) {
        return errno;
    }
    const int result = outcomeOf(::connect(socket, address.get(), address.size));
    ::close(socket);
    return result;
}

Outcome hostLoopback4(const HostFacts& facts)
{
    return refused(connectTo(loopback4(facts.port4)), {ECONNREFUSED});
}

Outcome hostLoopback6(const HostFacts& facts)
{
    if (facts.port6 == 0) {
        return {Outcome::Kind::Skipped, "this machine has no IPv6 loopback"};
    }
    return refused(connectTo(loopback6(facts.port6)), {ECONNREFUSED});
}

Outcome elsewhere(const HostFacts&)
{
    Address address = loopback4(80);
    sockaddr_in in{};
    std::memcpy(&in, &address.bytes, sizeof in);
    ::inet_pton(AF_INET, "192.0.2.1", &in.sin_addr); // for documentation: nobody's (RFC 5737)
    std::memcpy(&address.bytes, &in, sizeof in);
    return refused(connectTo(address), {ECONNREFUSED, ENETUNREACH, EACCES});
}

Outcome abstractSocket(const HostFacts& facts)
{
    return refused(connectTo(local('\0' + facts.abstractSocket)), {ECONNREFUSED, EPERM, EACCES});
}

Outcome hiddenSocket(const HostFacts& facts)
{
    return refused(connectTo(local(facts.hiddenSocket)), {ENOENT});
}

Outcome projectSocket(const HostFacts& facts)
{
    return refused(connectTo(local(facts.projectSocket)), {ECONNREFUSED, EACCES, EPERM, ENOENT});
}

Outcome ownLoopback(const HostFacts&)
{
    Address address = loopback4(0);
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(server, address.get(), address.size) != 0 || ::listen(server, 1) != 0
        || ::getsockname(server, address.get(), &address.size) != 0) {
        return failed("listen: " + errnoName(errno));
    }
    if (::connect(client, address.get(), address.size) != 0) {
        return failed("connect: " + errnoName(errno));
    }
    const int accepted = ::accept4(server, nullptr, nullptr, SOCK_CLOEXEC);
    char byte = 'x';
    if (::write(client, &byte, 1) != 1 || ::read(accepted, &byte, 1) != 1) {
        return failed("exchange a byte: " + errnoName(errno));
    }
    return ok("a server and its client meet");
}

constexpr std::array kProbes = {
    Probe{"host loopback (IPv4)", hostLoopback4},
    Probe{"host loopback (IPv6)", hostLoopback6},
    Probe{"another machine", elsewhere},
    Probe{"abstract socket of the host", abstractSocket},
    Probe{"path socket of the host", hiddenSocket},
    Probe{"host's socket in the project", projectSocket},
    Probe{"own loopback works", ownLoopback},
};

} // namespace

std::span<const Probe> socketProbes()
{
    return kProbes;
}

} // namespace revet::probe
