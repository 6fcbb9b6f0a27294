// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/session/preparation.h"
#include "engine/supervisor/box_view.h"

#include <string>
#include <vector>

namespace revet::session {

/// What the supervisor has to know of a box that is up. `root` is that of the keeper's tree; the layers'
/// upper directories are taken out of the preparation.
[[nodiscard]] Result<supervisor::BoxView> makeBoxView(Preparation& preparation, UniqueFd root,
                                                      const Places& places);

/// What the box changes outside: nothing where it has a layer.
[[nodiscard]] std::vector<std::string> directRoots(const tiers::BoxSpec& spec);

} // namespace revet::session
