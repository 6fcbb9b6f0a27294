// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/front_end.h"

namespace revet::session {

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
    leave();
    return std::nullopt;
}

void FrontEnd::send(const ipc::Message& message, std::span<const int> descriptors)
{
    if (m_channel && !m_channel->send(ipc::encode(message), descriptors)) {
        leave();
    }
}

} // namespace revet::session
