// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/server.h"

#include "engine/domain/places.h"
#include "engine/ipc/socket_address.h"

#include <cerrno>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace revet::ipc {

namespace {

constexpr int kBacklog = 16;

bool somebodyListens(const SocketAddress& address)
{
    const UniqueFd probe(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return !probe || ::connect(probe.get(), address.get(), address.size()) == 0 || errno != ECONNREFUSED;
}

} // namespace

Result<Server> Server::listen(const std::filesystem::path& path)
{
    REVET_RETURN_IF_ERROR(makePrivateDirectory(path.parent_path()));
    REVET_ASSIGN_OR_RETURN(const SocketAddress address, SocketAddress::of(path));
    UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // The mode of the unbound socket becomes the file's, so it is never wider, not even for a moment.
    if (!socket || ::fchmod(socket.get(), S_IRUSR | S_IWUSR) != 0) {
        return failErrno("make a control socket");
    }
    int bound = ::bind(socket.get(), address.get(), address.size());
    if (bound != 0 && errno == EADDRINUSE) {
        if (somebodyListens(address)) {
            return fail(ErrorCode::Conflict, "listen at " + path.string(), "another process listens there");
        }
        // Left by a session that was killed.
        if (::unlink(path.c_str()) == 0) {
            bound = ::bind(socket.get(), address.get(), address.size());
        }
    }
    if (bound != 0 || ::listen(socket.get(), kBacklog) != 0) {
        return failErrno("listen at " + path.string());
    }
    return Server(std::move(socket), path);
}

Server::Server(UniqueFd socket, std::filesystem::path path)
    : m_socket(std::move(socket))
    , m_path(std::move(path))
{
}

Server::Server(Server&& other) noexcept
    : m_socket(std::move(other.m_socket))
    , m_path(std::exchange(other.m_path, {}))
{
}

Server& Server::operator=(Server&& other) noexcept
{
    std::swap(m_socket, other.m_socket);
    std::swap(m_path, other.m_path);
    return *this;
}

Server::~Server()
{
    if (!m_path.empty()) {
        ::unlink(m_path.c_str());
    }
}

Result<Channel> Server::accept() const
{
    UniqueFd connected(::accept4(m_socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connected) {
        if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) {
            return fail(ErrorCode::TimedOut, "accept a control connection");
        }
        return failErrno("accept a control connection");
    }
    REVET_RETURN_IF_ERROR(checkPeer(connected.get()));
    return Channel(std::move(connected));
}

} // namespace revet::ipc
