// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/tier.h"

namespace revet {

std::string_view toString(Tier tier)
{
    switch (tier) {
    case Tier::Host:
        return "host";
    case Tier::Sandbox:
        return "sandbox";
    case Tier::Container:
        return "container";
    case Tier::Vm:
        return "vm";
    case Tier::Remote:
        return "remote";
    case Tier::Airgap:
        return "airgap";
    }
    return "unknown";
}

Result<Tier> parseTier(std::string_view text)
{
    for (const Tier tier : kAllTiers) {
        if (toString(tier) == text) {
            return tier;
        }
    }
    return fail(ErrorCode::InvalidArgument, "read the tier '" + std::string(text) + "'",
                "the tiers are host, sandbox, container, vm, remote and airgap");
}

} // namespace revet
