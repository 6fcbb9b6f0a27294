// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/ipc/protocol.h"
#include "engine/ipc/run_request.h"

#include <cstdint>

namespace revet::session {

/// Why the command could not be executed, and what to do: 127 where there is none, else 126. Says so when it
/// is there outside the box only.
[[nodiscard]] ipc::Failed execFailure(const ipc::RunRequest& request, std::int32_t errnoValue);

} // namespace revet::session
