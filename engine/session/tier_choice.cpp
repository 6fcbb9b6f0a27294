// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/tier_choice.h"

namespace revet::session {

namespace {

Result<TierChoice> checked(Tier tier)
{
    if (!isBuilt(tier)) {
        return fail(ErrorCode::Unavailable, "use the tier " + std::string(toString(tier)),
                    "not built in this version; use --tier sandbox or --tier container");
    }
    return TierChoice{tier, {}};
}

} // namespace

Result<TierChoice> chooseTier(const ipc::RunRequest& request, std::optional<Tier> fromSettings,
                              const TierSituation& situation)
{
    if (request.tier) {
        return checked(*request.tier);
    }
    if (fromSettings) {
        return checked(*fromSettings);
    }
    if (request.isDetached || !request.isInteractive) {
        return TierChoice{Tier::Container, "nobody is there to be asked"};
    }
    if (situation.hasLiveSession) {
        return TierChoice{Tier::Container, "another session works in this project"};
    }
    if (situation.isNewProject && !situation.isOwnWork) {
        return TierChoice{Tier::Container, "these files are not yours"};
    }
    return TierChoice{Tier::Sandbox, {}};
}

std::optional<Tier> tierToPropose(const ipc::RunRequest& request, std::optional<Tier> fromSettings,
                                  const TierSituation& situation)
{
    const bool isDecided = request.tier || fromSettings || request.isDetached || !request.isInteractive
        || situation.hasLiveSession;
    if (isDecided) {
        return std::nullopt;
    }
    return situation.isOwnWork && situation.isSandboxUsable ? Tier::Sandbox : Tier::Container;
}

} // namespace revet::session
