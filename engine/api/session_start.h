// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/ipc/channel.h"
#include "engine/ipc/run_request.h"

#include <sys/types.h>

namespace revet::api {

/// A revet-session that has got its request. Its first answer is Started or Failed.
struct StartedSession
{
    ipc::Channel channel;
    pid_t pid = -1; ///< our child until it is reaped
};

/// Spawns revet-session as the leader of a session of its own, so that the terminal's signals do not reach
/// it, and sends the request. Opens neither catalogue nor journal: this is the way that has to be short.
/// Signals that the caller has blocked are not blocked in it.
[[nodiscard]] Result<StartedSession> startSession(const ipc::RunRequest& request);

} // namespace revet::api
