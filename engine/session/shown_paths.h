// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/session/preparation.h"

#include <string>
#include <vector>

namespace revet::session {

/// --bind-ro and --bind-rw: the box sees these paths of the host, and the record says so. Refused for what
/// holds Revet's own data.
[[nodiscard]] Result<void> showPaths(const std::vector<std::string>& paths, tiers::VisiblePath::Access access,
                                     const Places& places, Preparation& preparation);

} // namespace revet::session
