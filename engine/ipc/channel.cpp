// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/channel.h"

#include <cerrno>

#include <fcntl.h>

namespace revet::ipc {

Result<std::pair<Channel, Channel>> Channel::createPair()
{
    REVET_ASSIGN_OR_RETURN(auto ends, os::packetSocketPair());
    return std::pair{Channel(std::move(ends.first)), Channel(std::move(ends.second))};
}

Result<void> Channel::send(std::string_view bytes, std::span<const int> fds) const
{
    if (bytes.size() > kMaximumFrameBytes || bytes.empty() || fds.size() > kMaximumFrameFds) {
        return fail(ErrorCode::LimitExceeded, "send a message", "a frame is 1 to 65536 bytes");
    }
    Result<void> sent = os::sendPacket(m_socket.get(), bytes, fds);
    if (!sent && sent.error().errnoValue == EAGAIN) {
        return fail(ErrorCode::LimitExceeded, "send a message", "the other side does not read");
    }
    return sent;
}

Result<Frame> Channel::receive() const
{
    Result<os::Packet> packet = os::receivePacket(m_socket.get(), kMaximumFrameBytes);
    if (packet) {
        return Frame{std::move(packet->bytes), std::move(packet->descriptors), std::move(packet->sender)};
    }
    if (packet.error().errnoValue == EAGAIN) {
        return fail(ErrorCode::TimedOut, "receive a message");
    }
    return fail(std::move(packet).error());
}

Result<void> Channel::setNonBlocking() const
{
    const int flags = ::fcntl(m_socket.get(), F_GETFL);
    if (flags < 0 || ::fcntl(m_socket.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
        return failErrno("make a socket non-blocking");
    }
    return {};
}

} // namespace revet::ipc
