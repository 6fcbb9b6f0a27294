// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/session_info.h"
#include "engine/domain/tier.h"

#include <cstdint>
#include <span>
#include <vector>

namespace revet::policy {

/// One reason for a system call to wait for the supervisor. Several rules for one call are alternatives.
struct TrapRule
{
    /// (argument & mask) == value. Only registers: what a pointer shows is the target's to change.
    struct ArgumentTest
    {
        unsigned index = 0;
        std::uint64_t mask = 0;
        std::uint64_t value = 0;
    };
    int syscallNumber = 0; ///< of the native architecture
    std::vector<ArgumentTest> tests; ///< all must hold, one an argument at most; none: always
};

/// Which calls wait for the supervisor; everything that the supervisor has to perform or to refuse does at
/// every level. A tier that is not built has the sandbox's. Of sendmsg only
/// what is refused (the launcher sends the listener through the new filter); never read, write or close.
/// Thread-safe; the table lives for ever.
[[nodiscard]] std::span<const TrapRule> trapRules(Tier tier, ObserveLevel level);

} // namespace revet::policy
