// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/places.h"
#include "engine/domain/tier.h"

#include <string>
#include <vector>

namespace revet::session {

/// What the doctor last found of a tier, kept in data/health.json.
struct TierHealth
{
    Tier tier = Tier::Sandbox;
    std::vector<std::string> failedProbes; ///< by name; empty: the tier is usable
    std::string kernel; ///< uname's release
    std::string version; ///< Revet's
};

/// The finding for this kernel and this version of Revet, to be stored.
[[nodiscard]] TierHealth currentHealth(Tier tier, std::vector<std::string> failedProbes);
/// Replaces what is stored of the same tier. The directory must exist.
[[nodiscard]] Result<void> storeHealth(const TierHealth& health, const Places& places);
/// Unavailable, naming the probe, for a tier whose last examination on this kernel and version failed. A tier
/// that was never examined is usable; a file that cannot be understood counts as a failure.
[[nodiscard]] Result<void> usableTier(Tier tier, const Places& places);

} // namespace revet::session
