// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/box_socket.h"

#include "engine/session/relayed_sockets.h"

#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace revet::session {

namespace {

constexpr int kPause = 1000; ///< milliseconds, where there was no room for a client

/// The supervisor connects for the processes of its box, so the kernel names this one as who did.
bool isFromTheBox(int client)
{
    ucred peer = {};
    socklen_t size = sizeof peer;
    return ::getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == ::getpid();
}

bool send(const ipc::Channel& client, const std::string& frame)
{
    return client.send(frame).has_value(); // nobody is waited for
}

} // namespace

Result<std::unique_ptr<BoxSocket>> BoxSocket::listen(const std::filesystem::path& path, Parts parts)
{
    REVET_ASSIGN_OR_RETURN(UniqueFd listener, listenLocally(path, SOCK_SEQPACKET));
    REVET_RETURN_IF_ERROR(os::takeSenders(listener.get()));
    UniqueFd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!stop) {
        return failErrno("listen to the box");
    }
    return std::unique_ptr<BoxSocket>(new BoxSocket(std::move(listener), std::move(stop), std::move(parts)));
}

BoxSocket::BoxSocket(UniqueFd listener, UniqueFd stop, Parts parts)
    : m_listener(std::move(listener))
    , m_stop(std::move(stop))
    , m_parts(std::move(parts))
    , m_pace(kBurst, kEach)
{
}

void BoxSocket::stop() const
{
    ::eventfd_write(m_stop.get(), 1);
}

void BoxSocket::serve()
{
    bool isFull = false; // of descriptors: the listener would stay readable
    for (;;) {
        std::vector<pollfd> sources{{m_stop.get(), POLLIN, 0}, {isFull ? -1 : m_listener.get(), POLLIN, 0}};
        for (const ipc::Channel& client : m_clients) {
            sources.push_back({client.fd(), POLLIN, 0});
        }
        if (::poll(sources.data(), sources.size(), isFull ? kPause : -1) < 0 && errno != EINTR) {
            return;
        }
        if (sources[0].revents != 0) {
            return;
        }
        std::size_t at = 2;
        std::erase_if(m_clients, [&](const ipc::Channel& client) {
            return sources[at++].revents != 0 && !serve(client);
        });
        isFull = sources[1].revents != 0 && !accept();
    }
}

bool BoxSocket::accept()
{
    UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
        return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
    }
    if (!isFromTheBox(socket.get())) {
        return true;
    }
    ipc::Channel client(std::move(socket));
    if (m_clients.size() < kMaximumClients) {
        m_clients.push_back(std::move(client));
    } else {
        static_cast<void>(send(client, ipc::encodeRefusal("too many connections")));
    }
    return true;
}

bool BoxSocket::serve(const ipc::Channel& client)
{
    const auto frame = client.receive();
    if (!frame && frame.error().code != ErrorCode::Malformed) {
        return frame.error().code == ErrorCode::TimedOut;
    }
    if (!m_pace.take(m_parts.clock.steadyNow())) {
        m_parts.refusedForHaste();
        return send(client, ipc::encodeRefusal("too many requests; wait a moment")) && frame.has_value();
    }
    const auto request = frame && frame->fds.empty()
        ? ipc::decodeBoxRequest(frame->bytes)
        : Result<ipc::BoxRequest>(fail(ErrorCode::Malformed, "read a message",
                                       "it is one JSON object of at most 64 KiB, without descriptors"));
    if (!request) {
        static_cast<void>(send(client, ipc::encodeRefusal(toString(request.error()))));
        return false;
    }
    return send(client, m_parts.answer(frame->sender, *request));
}

} // namespace revet::session
