// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/launcher/plan.h"
#include "engine/tiers/box_spec.h"

namespace revet::tiers {

/// The plan of a box: the same builder for `revet run`, for the doctor's probes and for tests, which take
/// steps away to see that each wall stands.
[[nodiscard]] Result<launcher::Plan> buildPlan(const BoxSpec& spec);

} // namespace revet::tiers
