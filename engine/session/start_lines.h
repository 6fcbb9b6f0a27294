// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/session/preparation.h"

#include <cstddef>
#include <string>
#include <vector>

namespace revet::session {

/// What was found on the way to a box, for its start lines.
struct StartFacts
{
    const std::vector<std::string>& profiles;
    const std::vector<std::string>& skippedProfiles;
    std::size_t withheldVariables = 0;
    bool isHiddenComplete = true; ///< all of the project was looked at
    bool hasDroppedSigning = false;
};

/// The lines that a person sees before the start: tier, profiles, what can be reached, what is hidden.
[[nodiscard]] std::vector<std::string> startLines(const ipc::RunRequest& request, const FoundProject& project,
                                                  const Surroundings& surroundings,
                                                  const Preparation& preparation, const StartFacts& facts);

} // namespace revet::session
