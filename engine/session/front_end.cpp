// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/front_end.h"

#include <utility>

#include <sys/socket.h>

namespace revet::session {

FrontEnd::FrontEnd(ipc::Channel channel)
{
    // A front end that has stopped itself reads nothing; the session must not stop with it.
    if (channel.setNonBlocking()) {
        m_channel = std::move(channel);
    }
}

std::optional<ipc::Message> FrontEnd::receive()
{
    if (!m_channel) {
        return std::nullopt;
    }
    const auto frame = m_channel->receive();
    if (frame) {
        if (auto message = ipc::decode(frame->bytes)) {
            return std::move(*message);
        }
    }
    if (!frame && frame.error().code == ErrorCode::TimedOut) {
        return ipc::Message(ipc::Hello{}); // nothing there after all
    }
    leave();
    return std::nullopt;
}

void FrontEnd::send(const ipc::Message& message, std::span<const int> descriptors)
{
    if (m_channel && !m_channel->send(ipc::encode(message), descriptors)) {
        ::shutdown(m_channel->fd(), SHUT_RDWR); // so that it is received that it has left, as always
    }
}

} // namespace revet::session
