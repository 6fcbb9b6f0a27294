// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/supervisor/box_view.h"

#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// The locks by which direct sessions with these roots take turns with all others: files in `directory`,
/// named after the roots and the directories between them and `home`, which is nobody's root.
[[nodiscard]] Result<std::vector<supervisor::TurnLock>> openTurnLocks(const std::filesystem::path& directory,
                                                                      const std::vector<std::string>& roots,
                                                                      const std::string& home);

} // namespace revet::session
