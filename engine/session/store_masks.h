// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// Makes the directories that undo may use on a mount whose top these roots hold, so that they can be hidden
/// from a box that starts now, whichever session uses them later. Mounts within a root count in a direct
/// workspace only: a layer does not show them. On the mount of Revet's own `data` there is none.
[[nodiscard]] std::vector<std::string> makeStoresWithin(const std::vector<std::string>& roots, bool isDirect,
                                                        const std::filesystem::path& data);

} // namespace revet::session
