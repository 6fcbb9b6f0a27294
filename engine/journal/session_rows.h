// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/session_info.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::journal {

/// The name of the info row that close() writes: a journal without it was cut off.
inline constexpr std::string_view kSealedName = "sealed";

/// A session's own record as the rows of the table info. The newest row of a name counts.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> sessionToInfo(const SessionInfo& session);
/// Fails when a value is missing or is none that sessionToInfo() makes.
[[nodiscard]] Result<SessionInfo> sessionFromInfo(const std::map<std::string, std::string>& info);

} // namespace revet::journal
