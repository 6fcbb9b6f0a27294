// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/ipc/channel.h"
#include "engine/ipc/protocol.h"

#include <optional>
#include <span>
#include <string>

namespace revet::session {

/// The program that started the session, for as long as it stays. Sending to one that has left is no error:
/// a session goes on, or ends, by its own rules.
class FrontEnd
{
public:
    FrontEnd() = default;
    explicit FrontEnd(ipc::Channel channel);
    [[nodiscard]] bool isThere() const { return m_channel.has_value(); }
    [[nodiscard]] int fd() const { return m_channel ? m_channel->fd() : -1; }
    /// The next message; none when it has left or speaks nonsense, which is the same.
    [[nodiscard]] std::optional<ipc::Message> receive();
    void send(const ipc::Message& message, std::span<const int> descriptors = {});
    void leave() { m_channel.reset(); }

private:
    std::optional<ipc::Channel> m_channel;
};

} // namespace revet::session
