// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/launcher/plan.h"
#include "engine/tiers/box_spec.h"

#include <vector>

namespace revet::tiers {

/// Steps for the part of the box that is the same whatever the project: /usr, the needed part of /etc,
/// devices, temporary places. Looks at the host's tree, since distributions differ.
[[nodiscard]] std::vector<launcher::Step> systemView(const BoxSpec& spec);

/// Directories that the view shows as the host has them; nothing below them is ever withheld.
[[nodiscard]] std::vector<std::string> sharedSystemPrefixes();

} // namespace revet::tiers
