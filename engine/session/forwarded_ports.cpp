// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/forwarded_ports.h"

#include "engine/egress/dialler.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>

namespace revet::session {

namespace {

using launcher::Errand;

constexpr int kBacklog = 128;
constexpr int kPortsToTry = 20; ///< then any that is free

/// errno of bind(2) or listen(2), 0 for none.
int listenAt(int socket, std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1; // connections of a moment ago do not make a published port move
    // The sockets interface asks for this cast.
    return ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0
            && ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
            && ::listen(socket, kBacklog) == 0
        ? 0
        : errno;
}

std::uint16_t portOf(int socket)
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    // The sockets interface asks for this cast.
    return ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 ? ntohs(address.sin_port)
                                                                                    : std::uint16_t{0};
}

std::string addressOf(const ForwardedPorts::Published& published)
{
    return "127.0.0.1:" + std::to_string(published.port);
}

} // namespace

Result<ForwardedPorts> ForwardedPorts::start(KeeperErrands& errands, ConnectionBook& connections,
                                             const Clock& clock, OnFailure onFailure)
{
    REVET_ASSIGN_OR_RETURN(UniqueFd lookup, errands.run({Errand::Kind::Lookup}));
    REVET_ASSIGN_OR_RETURN(
        auto forwards,
        egress::PortForwards::start({connections, clock, std::move(lookup), std::move(onFailure)}));
    return ForwardedPorts(errands, connections, std::move(forwards));
}

Result<std::vector<std::string>> ForwardedPorts::open(const ipc::RunRequest& request,
                                                      std::vector<RelayedSocket> sockets, Recorder& recorder,
                                                      const SessionId& session)
{
    for (RelayedSocket& socket : sockets) {
        relay(std::move(socket));
    }
    for (const std::uint16_t port : request.hostPorts) {
        REVET_RETURN_IF_ERROR(openHostPort(port));
    }
    std::vector<std::string> lines;
    for (const std::uint16_t port : request.publishedPorts) {
        REVET_ASSIGN_OR_RETURN(const Published published, publish(port, recorder));
        lines.push_back("published: http://" + session.text() + ".localhost:" + std::to_string(published.port)
                        + " (" + addressOf(published) + ") leads to the box's port " + std::to_string(port));
    }
    return lines;
}

ForwardedPorts::Door ForwardedPorts::relay(RelayedSocket socket)
{
    const auto dial = [service = socket.service](bool) { return connectLocally(service); };
    return {{m_forwards.add({std::move(socket.listener), dial})}, 0};
}

void ForwardedPorts::close(const Door& door)
{
    for (const auto number : door.forwards) {
        m_forwards.remove(number);
    }
    if (door.hostPort != 0) {
        m_hostPorts.erase(door.hostPort);
        m_connections.removeHostPort(door.hostPort);
    }
    if (const auto published = m_published.find(door.published); published != m_published.end()) {
        m_published.erase(published);
    }
}

Result<ForwardedPorts::Door> ForwardedPorts::openHostPort(std::uint16_t port)
{
    if (m_hostPorts.contains(port)) {
        return fail(ErrorCode::Conflict, "open the host's port " + std::to_string(port) + " to the box",
                    "it is open already");
    }
    if (m_published.contains(port)) { // a connection would go round and round
        return fail(ErrorCode::InvalidArgument,
                    "open the host's port " + std::to_string(port) + " to the box",
                    "the box's own is published already");
    }
    Door door{{}, port};
    const std::string rule = "host port " + std::to_string(port);
    for (const bool isV6 : {false, true}) {
        auto listener = m_errands.run({Errand::Kind::Listener, isV6, port});
        const int error = listener ? 0 : listener.error().errnoValue;
        if (isV6 && (error == EAFNOSUPPORT || error == EADDRNOTAVAIL)) {
            continue; // a machine without IPv6
        }
        if (!listener) {
            close(door);
        }
        if (error == EADDRINUSE) {
            return fail(ErrorCode::Conflict, "open the host's port " + std::to_string(port) + " to the box",
                        "a program in the box listens at that port itself");
        }
        if (!listener) {
            return fail(listener.error());
        }
        m_connections.addHostPort(port);
        m_hostPorts.insert(port);
        const auto dial = [port](bool toV6) { return egress::Dialler().dial(egress::loopback(toV6), port); };
        door.forwards.push_back(m_forwards.add({std::move(*listener), dial, port, rule}));
    }
    return door;
}

Result<ForwardedPorts::Published> ForwardedPorts::publish(std::uint16_t port, Recorder& recorder)
{
    if (m_hostPorts.contains(port)) {
        return fail(ErrorCode::InvalidArgument, "publish the port " + std::to_string(port),
                    "in the box it is this machine's own already, by --host-port");
    }
    int error = EADDRINUSE;
    for (int i = 0; i <= kPortsToTry; ++i) {
        const int wanted = i < kPortsToTry && port + i <= UINT16_MAX ? port + i : 0;
        if (m_hostPorts.contains(static_cast<std::uint16_t>(wanted))) {
            continue; // the box would reach itself in the place of the host
        }
        UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        if (!listener) {
            return failErrno("publish the box's port " + std::to_string(port));
        }
        error = listenAt(listener.get(), static_cast<std::uint16_t>(wanted));
        if (error == 0) {
            Published published{{{}, 0, port}, portOf(listener.get())};
            const auto dial = [errands = &m_errands, port](bool isV6) -> Result<UniqueFd> {
                REVET_ASSIGN_OR_RETURN(UniqueFd socket, errands->run({Errand::Kind::Stream, isV6, 0}));
                return egress::dialLoopback(std::move(socket), isV6, port);
            };
            m_published.insert(port);
            published.door.forwards = {m_forwards.add({std::move(listener), dial, std::nullopt, {}, true})};
            recorder.note({ActionKind::Listen,
                           Verdict::Permitted,
                           Reach::Machine,
                           addressOf(published),
                           {},
                           "publish " + std::to_string(port),
                           0,
                           0});
            return published;
        }
        if (error != EADDRINUSE && error != EACCES) { // below 1024 a port may be root's
            break;
        }
    }
    return fail(Error{ErrorCode::System, "publish the box's port " + std::to_string(port), error, {}});
}

} // namespace revet::session
