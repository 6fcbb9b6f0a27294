// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/session/preparation.h"

#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// --socket: ours in the place of the host's.
[[nodiscard]] Result<void> relaySockets(const ipc::RunRequest& request,
                                        const std::filesystem::path& sessionDirectory,
                                        const std::vector<std::string>& changeable, const Places& places,
                                        Preparation& result);

/// Whether the box has a way to the network, by `result`'s rules, its project's grants and whether somebody
/// can be asked; where it has, also what tells it of refusals.
[[nodiscard]] Result<void> openNetwork(const ipc::RunRequest& request,
                                       const std::filesystem::path& sessionDirectory, bool hasGrants,
                                       Preparation& result);

} // namespace revet::session
