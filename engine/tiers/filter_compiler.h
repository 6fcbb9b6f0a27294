// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/session_info.h"
#include "engine/domain/tier.h"

#include <string>

namespace revet::tiers {

/// BPF for the launcher, which only loads it. Two programs, since libseccomp cannot say "this call, unless":
/// the kernel runs both and takes the stricter answer, so what the first refuses can never be notified of.
struct Filters
{
    std::string known; ///< lets known calls pass and says "no such call" to the rest
    /// lets everything pass but odd sockets and what registers show to be the supervisor's
    std::string judged;
};

/// Compiles the filters of a tier at an observation level. Costs about nine milliseconds: done when Revet is
/// built (compiled_filters.h). Any thread.
[[nodiscard]] Result<Filters> compileFilters(Tier tier, ObserveLevel level);

} // namespace revet::tiers
