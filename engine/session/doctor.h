// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/places.h"
#include "engine/domain/tier.h"
#include "engine/session/installation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::session {

/// One thing that was tried. Texts are plain words without a trailing stop; they may quote bytes of the
/// machine's and need the display escape.
struct DoctorCheck
{
    enum class Status : std::uint8_t {
        Ok,
        Limited, ///< works, less well; the detail says how
        Unavailable, ///< does not work, or could not be shown to work: an inconclusive probe is not ok
    };
    std::string name;
    Status status = Status::Unavailable;
    std::string detail; ///< what was seen
    std::string remedy; ///< the narrowest one; empty when none is needed or known
};
/// "ok", "limited", "unavailable".
[[nodiscard]] std::string_view toString(DoctorCheck::Status status);

/// What was tried in boxes of one tier.
struct TierReport
{
    Tier tier = Tier::Sandbox;
    DoctorCheck::Status status = DoctorCheck::Status::Unavailable; ///< the worst of the checks'
    std::vector<DoctorCheck> checks; ///< never empty; one check with the reason for a tier that is not built
};

struct DoctorReport
{
    std::vector<DoctorCheck> machine;
    std::vector<TierReport> tiers; ///< all six, or the one that was asked for
    Tier defaultTier = Tier::Sandbox; ///< the user's, else the sandbox; with `only`, that one
    bool isDefaultTierUsable = false;
};

/// Tries what Revet needs on this machine, by doing it: first the machine's parts, then boxes of each built
/// tier, made by the same code as `revet run` in a throw-away project below places.cache. Stores each tier's
/// outcome (tier_health.h). Takes a few seconds; call it on the main thread. An error: the doctor itself
/// could not work.
[[nodiscard]] Result<DoctorReport> runDoctor(const Places& places, const Installation& installation,
                                             std::optional<Tier> only);

} // namespace revet::session
