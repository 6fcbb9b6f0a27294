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

/// What a session process does, from its first deeds to its exit status.
using SessionMain = int (*)();
[[nodiscard]] int sessionMain();

/// Forks off the session process that the next startSession() takes, so that it gets ready while the caller
/// reads its command line; without a new program's start, which would take as long as half of the box. For
/// the beginning of a short-lived program without threads, even before its constructors. Returns in both: the
/// session process has done its first deeds by then, isSessionProcess() tells it, and it has to go on with a
/// SessionMain. One that is never asked for ends with the caller.
void forkSession();
[[nodiscard]] bool isSessionProcess();

/// Gives the request to the session that was forked, or spawns revet-session (in which no signals are
/// blocked). Either leads a session of its own, so that the terminal's signals do not reach it. Opens neither
/// catalogue nor journal: this is the way that has to be short.
[[nodiscard]] Result<StartedSession> startSession(const ipc::RunRequest& request);

} // namespace revet::api
