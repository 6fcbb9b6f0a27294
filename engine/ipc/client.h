// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/session_info.h"
#include "engine/ipc/channel.h"
#include "engine/ipc/protocol.h"

#include <chrono>
#include <filesystem>

namespace revet::ipc {

/// A front end's end of a session's control socket. One thread.
class Client
{
public:
    /// Connects and exchanges Hello. NotFound or Closed when no session listens there (any more).
    [[nodiscard]] static Result<Client> connect(const std::filesystem::path& socket);

    [[nodiscard]] Result<SessionInfo> info();
    /// Asks the session to stop; returns once it has answered, before it has ended.
    [[nodiscard]] Result<void> stop(Stop request);
    /// Conflict where another answer was first, or the ask is not what was looked at.
    [[nodiscard]] Result<void> answerAsk(const AnswerAsk& answer);
    [[nodiscard]] Result<void> tellGrantsChanged(std::int64_t grant);
    [[nodiscard]] Result<void> subscribe();
    /// The next Advanced; other messages are skipped. TimedOut, or Closed at the session's end.
    [[nodiscard]] Result<EventSeq> waitForAdvance(std::chrono::milliseconds timeout);
    /// Waits until the session hangs up, which it does when everything of its box is gone.
    [[nodiscard]] Result<void> waitForEnd(std::chrono::milliseconds timeout);

    [[nodiscard]] int fd() const { return m_channel.fd(); }

private:
    explicit Client(Channel channel)
        : m_channel(std::move(channel))
    {
    }
    [[nodiscard]] Result<Message> next(std::chrono::milliseconds timeout);
    [[nodiscard]] Result<Answer> request(const Message& message);

    Channel m_channel;
};

} // namespace revet::ipc
