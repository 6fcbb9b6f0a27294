// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/session_info.h"

#include <nlohmann/json.hpp>

namespace revet::ipc {

/// The wire form of a session's state; what people get is `revet ps --json`.
[[nodiscard]] nlohmann::json toJson(const SessionInfo& session);
[[nodiscard]] Result<SessionInfo> sessionInfoFromJson(const nlohmann::json& object);

} // namespace revet::ipc
