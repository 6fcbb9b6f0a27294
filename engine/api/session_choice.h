// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/session_info.h"

#include <string>
#include <string_view>
#include <vector>

namespace revet::api {

/// The sessions of the innermost project that holds `directory` (absolute).
[[nodiscard]] std::vector<SessionInfo> sessionsAround(const std::vector<SessionInfo>& sessions,
                                                      std::string_view directory);

/// The sessions that a person can mean by an id, a unique prefix of one (two letters at
/// least), or a label. NotFound when none fits.
[[nodiscard]] Result<std::vector<SessionInfo>> chooseSessions(const std::vector<SessionInfo>& sessions,
                                                              std::string_view wanted);

} // namespace revet::api
