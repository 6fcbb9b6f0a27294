// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/session_info.h"
#include "engine/domain/tier.h"

#include <string_view>

namespace revet::tiers {

/// The filters of a tier at an observation level, compiled when Revet was built (filter_compiler.h says what
/// the two programs are). They live for ever.
struct CompiledFilters
{
    std::string_view known;
    std::string_view judged;
};
[[nodiscard]] CompiledFilters compiledFilters(Tier tier, ObserveLevel level);

} // namespace revet::tiers
