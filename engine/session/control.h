// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/session_info.h"
#include "engine/ipc/channel.h"
#include "engine/ipc/protocol.h"
#include "engine/ipc/server.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace revet::session {

/// The session's control socket with the clients that are connected: `revet stop`, `revet log --follow`, the
/// console. Every peer was checked not to be inside a box. One thread.
class Control
{
public:
    /// What clients can ask for.
    struct Handler
    {
        std::function<SessionInfo()> info;
        std::function<void(bool isForced)> stop;
        std::function<Result<void>(const ipc::AnswerAsk& answer)> answerAsk = {};
        std::function<Result<void>(std::int64_t grant)> grantsChanged = {};
    };

    [[nodiscard]] static Result<Control> open(const std::filesystem::path& socket, Handler handler);

    /// To be polled for reading: the socket first, then the clients. Without the socket, once, after there
    /// was no room for a client: it stays readable, and the loop would turn without a pause.
    [[nodiscard]] std::vector<int> descriptors();
    /// Whether descriptors() has left the socket out: to be called again before long.
    [[nodiscard]] bool isPausing() const { return m_pausesNow; }
    /// Serves those of descriptors() that have become readable.
    void serve(const std::vector<int>& readable);
    /// Tells the subscribers that the journal holds events up to `seq`.
    void tellAdvance(EventSeq seq);

private:
    struct Client
    {
        ipc::Channel channel;
        bool isSubscribed = false;
    };

    Control(ipc::Server server, Handler handler);
    void accept();
    [[nodiscard]] bool answer(Client& client); ///< false: hang up

    ipc::Server m_server;
    Handler m_handler;
    std::vector<Client> m_clients;
    EventSeq m_told;
    bool m_isPausing = false; ///< from the next descriptors()
    bool m_pausesNow = false;
};

} // namespace revet::session
