// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/launcher/plan.h"
#include "engine/tiers/box_spec.h"

#include <vector>

namespace revet::tiers {

/// The first steps of every plan, the same whatever the project and the person: /usr, the needed part of
/// /etc, devices, temporary places. Looks at the host's tree, since distributions differ, once a process.
[[nodiscard]] const std::vector<launcher::Step>& systemView();
/// The person in /etc: enough for "who am I" and the owners of files, nobody else of the machine.
[[nodiscard]] std::vector<launcher::Step> accountView(const BoxSpec& spec);

/// Directories that the view shows as the host has them; nothing below them is ever withheld.
[[nodiscard]] std::vector<std::string> sharedSystemPrefixes();

} // namespace revet::tiers
