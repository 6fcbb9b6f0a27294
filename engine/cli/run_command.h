// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/cli/foreground_run.h"
#include "engine/cli/message.h"

#include <optional>

namespace revet::cli {

struct Ran
{
    int status = kRunFailed;
    std::optional<SessionId> session; ///< none when nothing started
};

/// Adds what the caller's process is (environment, terminal) and runs the request on it.
[[nodiscard]] Ran runInForeground(ipc::RunRequest request);

} // namespace revet::cli
