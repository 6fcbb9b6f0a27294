// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/session_info.h"
#include "engine/domain/tier.h"
#include "engine/ipc/run_request.h"

#include <optional>
#include <string>

namespace revet::session {

/// What a session's tier depends on when nobody has named one.
struct TierSituation
{
    bool isNewProject = false; ///< Revet has not seen it before
    bool isOwnWork = false; ///< its root directory belongs to the user
    bool hasLiveSession = false; ///< another session of the same project runs
    bool isSandboxUsable = true; ///< as far as the doctor has found; counts for a proposal only
};

struct TierChoice
{
    Tier tier = Tier::Container;
    std::string because; ///< for the start lines, when it is not what was named
};

/// The request's own, else what the settings say. Without any: the sandbox for a person at a
/// terminal who works on their own files, the container where nobody can be asked, for a detached or second
/// session and for a tree that Revet has not seen and the user did not create. Refused for a tier that this
/// version does not build: never a weaker one in its place.
[[nodiscard]] Result<TierChoice> chooseTier(const ipc::RunRequest& request, std::optional<Tier> fromSettings,
                                            const TierSituation& situation);

/// The tier to preselect where a person has to be asked for the project's: at the first interactive run,
/// before anything has named one. None: chooseTier() decides alone.
[[nodiscard]] std::optional<Tier> tierToPropose(const ipc::RunRequest& request,
                                                std::optional<Tier> fromSettings,
                                                const TierSituation& situation);

} // namespace revet::session
