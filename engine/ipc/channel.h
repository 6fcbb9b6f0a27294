// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/os/socket.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::ipc {

inline constexpr std::size_t kMaximumFrameBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kMaximumFrameFds = 8;

/// One message on the wire: a JSON object and the descriptors that came with it (close-on-exec).
struct Frame
{
    std::string bytes;
    std::vector<UniqueFd> fds;
    os::Sender sender = {}; ///< of a socket that takes them
};

/// One end of a SOCK_SEQPACKET connection. Sending and receiving may happen on two threads, but only one
/// each.
class Channel
{
public:
    Channel() = default;
    explicit Channel(UniqueFd socket)
        : m_socket(std::move(socket))
    {
    }
    /// A connected pair, both ends close-on-exec.
    [[nodiscard]] static Result<std::pair<Channel, Channel>> createPair();

    /// Sends one frame; the descriptors stay the caller's. LimitExceeded for a frame that is too large, and
    /// on a non-blocking socket when the peer does not read; Closed when the peer has gone.
    [[nodiscard]] Result<void> send(std::string_view bytes, std::span<const int> fds = {}) const;
    /// Waits for one frame (TimedOut at once on a non-blocking socket with none). Closed at the end. A frame
    /// or descriptor list that was cut short is Malformed, and its descriptors are closed.
    [[nodiscard]] Result<Frame> receive() const;

    [[nodiscard]] int fd() const { return m_socket.get(); }
    [[nodiscard]] Result<void> setNonBlocking() const;

private:
    UniqueFd m_socket;
};

} // namespace revet::ipc
