// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/ipc/channel.h"

#include <filesystem>

namespace revet::ipc {

/// A session's listening control socket. Removed from the file system when it is destroyed.
class Server
{
public:
    /// Listens at the path (mode 0600). Its directory must be ours with mode 0700. A socket file that nobody
    /// listens on any more is replaced; a live one is a Conflict.
    [[nodiscard]] static Result<Server> listen(const std::filesystem::path& path);
    Server(Server&& other) noexcept;
    Server& operator=(Server&& other) noexcept;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// Readable when a client waits.
    [[nodiscard]] int fd() const { return m_socket.get(); }
    /// One waiting client, checked by checkPeer() and non-blocking. Refused for a stranger, which is hung up
    /// on; TimedOut when nobody waits.
    [[nodiscard]] Result<Channel> accept() const;

private:
    Server(UniqueFd socket, std::filesystem::path path);
    UniqueFd m_socket;
    std::filesystem::path m_path;
};

/// Succeeds when the peer of a connected local socket runs as our user, in our own user, pid and mount
/// namespaces, and under no seccomp filter that this process is not under itself: no process of a box can
/// claim that. The process is held by a pidfd while it is looked at.
[[nodiscard]] Result<void> checkPeer(int connectedSocket);

} // namespace revet::ipc
