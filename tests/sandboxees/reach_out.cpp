// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Tries every way out but an ordinary connection: datagrams without a connect, data in a first packet, raw
// and packet sockets, multicast, options that steer packets, other spellings of an address. What a call
// answers says little (a datagram may be lost later), so the test listens outside.

#include "tests/sandboxees/deed.h"

#include <array>
#include <cstring>
#include <span>
#include <string>

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <net/if.h>

namespace victim = revet::victim;

namespace {

constexpr std::string_view kText = "canary-of-the-box";
constexpr int kPatienceMs = 3000;
victim::Report report;

sockaddr_in four(const char* host, int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port));
    ::inet_pton(AF_INET, host, &address.sin_addr);
    return address;
}

sockaddr_in6 six(const std::string& host, int port)
{
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(static_cast<in_port_t>(port));
    ::inet_pton(AF_INET6, host.c_str(), &address.sin6_addr);
    return address;
}

template<typename Address>
const sockaddr* general(const Address& address)
{
    return reinterpret_cast<const sockaddr*>(&address);
}

/// Opens a socket and does one thing with it.
template<typename Deed>
void attempt(const std::string& what, int family, int type, int protocol, Deed deed)
{
    const int fd = ::socket(family, type | SOCK_CLOEXEC, protocol);
    report.attempt(what, fd < 0 ? errno : deed(fd));
    ::close(fd);
}

template<typename Address>
int sendMessage(int fd, const Address& to, int flags)
{
    iovec piece{const_cast<char*>(kText.data()), kText.size()};
    msghdr message{};
    message.msg_name = const_cast<Address*>(&to);
    message.msg_namelen = sizeof to;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    return victim::outcome(::sendmsg(fd, &message, flags));
}

template<typename Address>
int sendMessages(int fd, const Address& to, int flags)
{
    iovec piece{const_cast<char*>(kText.data()), kText.size()};
    mmsghdr message{};
    message.msg_hdr.msg_name = const_cast<Address*>(&to);
    message.msg_hdr.msg_namelen = sizeof to;
    message.msg_hdr.msg_iov = &piece;
    message.msg_hdr.msg_iovlen = 1;
    return victim::outcome(::sendmmsg(fd, &message, 1, flags));
}

template<typename Address>
int sendText(int fd, const Address& to, int flags)
{
    return victim::outcome(::sendto(fd, kText.data(), kText.size(), flags, general(to), sizeof to));
}

/// Waits for the end of the attempt, and says something if it got through.
template<typename Address>
int connectAndSay(int fd, const Address& to)
{
    timeval patience{kPatienceMs / 1000, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(fd, general(to), sizeof to) != 0) {
        return errno;
    }
    return victim::outcome(::send(fd, kText.data(), kText.size(), MSG_NOSIGNAL));
}

void datagrams(const char* host)
{
    for (const int port : {53, 123, 443, 853, 5353, 9999}) {
        const sockaddr_in to = four(host, port);
        const std::string where = std::string(host) + ":" + std::to_string(port);
        attempt("udp-sendto-" + where, AF_INET, SOCK_DGRAM, 0, [&](int fd) { return sendText(fd, to, 0); });
        attempt("udp-sendmsg-" + where, AF_INET, SOCK_DGRAM, 0,
                [&](int fd) { return sendMessage(fd, to, 0); });
        attempt("udp-sendmmsg-" + where, AF_INET, SOCK_DGRAM, 0,
                [&](int fd) { return sendMessages(fd, to, 0); });
        attempt("udp-connect-" + where, AF_INET, SOCK_DGRAM, 0,
                [&](int fd) { return connectAndSay(fd, to); });
        attempt("udplite-" + where, AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE,
                [&](int fd) { return sendText(fd, to, 0); });
    }
}

void groups()
{
    attempt("mdns", AF_INET, SOCK_DGRAM, 0,
            [](int fd) { return sendText(fd, four("224.0.0.251", 5353), 0); });
    attempt("llmnr", AF_INET, SOCK_DGRAM, 0,
            [](int fd) { return sendText(fd, four("224.0.0.252", 5355), 0); });
    attempt("mdns6", AF_INET6, SOCK_DGRAM, 0, [](int fd) { return sendText(fd, six("ff02::fb", 5353), 0); });
    attempt("broadcast", AF_INET, SOCK_DGRAM, 0, [](int fd) {
        const int on = 1;
        ::setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof on);
        return sendText(fd, four("255.255.255.255", 9999), 0);
    });
}

void firstPackets(const char* host)
{
    const sockaddr_in to = four(host, 80);
    attempt("fastopen-sendto", AF_INET, SOCK_STREAM, 0,
            [&](int fd) { return sendText(fd, to, MSG_FASTOPEN); });
    attempt("fastopen-sendmsg", AF_INET, SOCK_STREAM, 0,
            [&](int fd) { return sendMessage(fd, to, MSG_FASTOPEN); });
    attempt("fastopen-sendmmsg", AF_INET, SOCK_STREAM, 0,
            [&](int fd) { return sendMessages(fd, to, MSG_FASTOPEN); });
    attempt("fastopen-connect", AF_INET, SOCK_STREAM, 0, [&](int fd) {
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on);
        return connectAndSay(fd, to);
    });
    attempt("mptcp", AF_INET, SOCK_STREAM, IPPROTO_MPTCP, [&](int fd) { return connectAndSay(fd, to); });
    attempt("sctp", AF_INET, SOCK_STREAM, IPPROTO_SCTP, [&](int fd) { return connectAndSay(fd, to); });
}

void byHand(const char* host)
{
    attempt("raw", AF_INET, SOCK_RAW, IPPROTO_ICMP, [&](int fd) { return sendText(fd, four(host, 0), 0); });
    attempt("ping", AF_INET, SOCK_DGRAM, IPPROTO_ICMP,
            [&](int fd) { return sendText(fd, four(host, 0), 0); });
    attempt("packet", AF_PACKET, SOCK_DGRAM, 0, [&](int fd) {
        sockaddr_ll to{};
        to.sll_family = AF_PACKET;
        to.sll_protocol = htons(ETH_P_IP);
        to.sll_ifindex = static_cast<int>(::if_nametoindex("eth0"));
        to.sll_halen = 6;
        return sendText(fd, to, 0);
    });
    attempt("vsock", AF_VSOCK, SOCK_STREAM, 0, [](int) { return 0; });
}

/// A socket that has been let through to `allowed`, and is then aimed elsewhere.
void aimedAnew(const char* allowed, const char* host)
{
    attempt("aimed-anew", AF_INET, SOCK_STREAM, 0, [&](int fd) {
        if (const int error = connectAndSay(fd, four(allowed, 80)); error != 0) {
            return error;
        }
        sockaddr_in nowhere{};
        nowhere.sin_family = AF_UNSPEC;
        ::connect(fd, general(nowhere), sizeof nowhere);
        return connectAndSay(fd, four(host, 80));
    });
    // The same source port, and so for a moment the same first four numbers but one.
    attempt("same-source-port", AF_INET, SOCK_STREAM, 0, [&](int fd) {
        const int on = 1;
        sockaddr_in own = four("0.0.0.0", 45454);
        ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (::bind(fd, general(own), sizeof own) != 0 || connectAndSay(fd, four(allowed, 80)) != 0) {
            return errno;
        }
        const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ::setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        const int error
            = ::bind(other, general(own), sizeof own) != 0 ? errno : connectAndSay(other, four(host, 80));
        ::close(other);
        return error;
    });
    attempt("route-record", AF_INET, SOCK_STREAM, 0, [&](int fd) {
        std::array<unsigned char, 8> option
            = {131, 7, 4, 0, 0, 0, 0, 0}; // loose source route by way of `host`
        const sockaddr_in to = four(host, 80);
        std::memcpy(option.data() + 3, &to.sin_addr, sizeof to.sin_addr);
        if (::setsockopt(fd, IPPROTO_IP, IP_OPTIONS, option.data(), option.size()) != 0) {
            return errno;
        }
        return connectAndSay(fd, four(allowed, 80));
    });
    attempt("bound-to-device", AF_INET, SOCK_STREAM, 0, [&](int fd) {
        if (::setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "eth0", 4) != 0) {
            return errno;
        }
        return connectAndSay(fd, four(host, 80));
    });
}

void spellings(const char* host)
{
    in_addr address{};
    ::inet_pton(AF_INET, host, &address);
    std::array<char, 16> hex{};
    std::snprintf(hex.data(), hex.size(), "%04x:%04x", ntohl(address.s_addr) >> 16U,
                  ntohl(address.s_addr) & 0xffffU);
    for (const std::string& spelt :
         {"::ffff:" + std::string(host), "::" + std::string(host), "64:ff9b::" + std::string(host),
          "2002:" + std::string(hex.data()) + "::1", "::ffff:0:" + std::string(host)}) {
        attempt("spelt-" + spelt, AF_INET6, SOCK_STREAM, 0,
                [&](int fd) { return connectAndSay(fd, six(spelt, 80)); });
        attempt("spelt-udp-" + spelt, AF_INET6, SOCK_DGRAM, 0,
                [&](int fd) { return sendText(fd, six(spelt, 9999), 0); });
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        return victim::usage("reach_out ALLOWED-ADDRESS FORBIDDEN-ADDRESS");
    }
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const char* const allowed = arguments[1];
    const char* const forbidden = arguments[2];
    datagrams(allowed); // only its TCP ports are allowed
    datagrams(forbidden);
    groups();
    firstPackets(forbidden);
    byHand(forbidden);
    aimedAnew(allowed, forbidden);
    spellings(forbidden);
    return report.status();
}
