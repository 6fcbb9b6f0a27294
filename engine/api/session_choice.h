// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/session_info.h"

#include <string>
#include <string_view>
#include <vector>

namespace revet::api {

/// Whether a session's box may still run.
[[nodiscard]] bool isLive(const SessionInfo& session);

/// The sessions of the innermost project that holds `directory` (absolute).
[[nodiscard]] std::vector<SessionInfo> sessionsAround(const std::vector<SessionInfo>& sessions,
                                                      std::string_view directory);

/// The session that a person means by an id, a unique prefix of one, or a label. NotFound, or InvalidArgument
/// with the list when several fit.
[[nodiscard]] Result<SessionInfo> chooseSession(const std::vector<SessionInfo>& sessions,
                                                std::string_view wanted);
/// The only one of `candidates`, with the same errors.
[[nodiscard]] Result<SessionInfo> onlySession(const std::vector<SessionInfo>& candidates);

} // namespace revet::api
