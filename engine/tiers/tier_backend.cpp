// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/tier_backend.h"

#include "engine/tiers/container_tier.h"
#include "engine/tiers/sandbox_tier.h"

namespace revet::tiers {

Result<const TierBackend*> tierBackend(Tier tier)
{
    static const SandboxTier kSandbox;
    static const ContainerTier kContainer;
    switch (tier) {
    case Tier::Sandbox:
        return &kSandbox;
    case Tier::Container:
        return &kContainer;
    case Tier::Host:
    case Tier::Vm:
    case Tier::Remote:
    case Tier::Airgap:
        break;
    }
    return fail(ErrorCode::Unavailable, "build the tier " + std::string(toString(tier)),
                "this version does not have it; use sandbox or container");
}

} // namespace revet::tiers
