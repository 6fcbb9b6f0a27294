// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/launcher/plan.h"
#include "engine/tiers/box_spec.h"

namespace revet::tiers {

/// How a tier shows the project to its box. Everything else is the same in all of them.
class TierBackend
{
public:
    TierBackend() = default;
    TierBackend(const TierBackend&) = delete;
    TierBackend& operator=(const TierBackend&) = delete;
    TierBackend(TierBackend&&) = delete;
    TierBackend& operator=(TierBackend&&) = delete;
    virtual ~TierBackend() = default;

    virtual void addProject(const BoxSpec& spec, launcher::Plan& plan) const = 0;
};

/// The backend of a tier that this version builds; Unavailable for the others. Lives for ever.
[[nodiscard]] Result<const TierBackend*> tierBackend(Tier tier);

} // namespace revet::tiers
