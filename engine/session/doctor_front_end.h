// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/ipc/channel.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

namespace revet::session {

/// The other end of a session that nobody watches: a thread that takes what the command prints, holds its
/// terminal, and stops it when it takes too long.
class DoctorFrontEnd
{
public:
    struct Seen
    {
        std::string output; ///< of standard output, at most 1 MiB
        std::string failure; ///< why nothing ran or the session ended early; empty when it went well
        std::optional<std::int32_t> waitStatus;
    };

    DoctorFrontEnd(ipc::Channel channel, std::chrono::seconds patience);
    /// Waits for the session to hang up or to say how it ended; once.
    [[nodiscard]] Seen finish();

private:
    Seen m_seen;
    std::jthread m_thread;
};

} // namespace revet::session
