// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/ipc/protocol.h"
#include "engine/launcher/wire.h"

#include <cstdint>
#include <optional>
#include <string>

namespace revet::session {

/// How a session came to its end.
struct SessionEnd
{
    std::string reason; ///< "command ended", "stopped", …
    std::optional<std::int32_t> waitStatus;
    std::optional<ipc::Failed> failure; ///< for the front end, when nothing ran
};

/// A step before the program failed.
[[nodiscard]] SessionEnd commandNotStarted(const launcher::Report& failed);

} // namespace revet::session
