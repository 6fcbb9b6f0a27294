// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/domain/session_info.h"
#include "engine/journal/catalogue.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace revet::journal {

struct RetentionLimits
{
    std::chrono::seconds age{std::chrono::hours(24) * 180}; ///< since the session's end
    std::chrono::seconds undoAge{std::chrono::hours(24) * 30}; ///< of what undo needs, since its last use
    std::uint64_t bytes = std::uint64_t{20} << 30U; ///< of all sessions together
};

/// A session that may go, and why.
struct PruneItem
{
    enum class Reason { TooOld, OverBudget, UndoTooOld };
    SessionInfo session;
    std::uint64_t bytes = 0;
    Reason reason = Reason::TooOld;
};

/// Says that a session must stay whatever its age: it runs, or its layer waits for a decision.
using MustKeep = std::function<bool(const SessionInfo&)>;

/// What pruning would remove: all that is too old, then the oldest until the rest fits the budget. Nothing is
/// changed. `sessionsDirectory` holds one directory per session, named by its id.
[[nodiscard]] Result<std::vector<PruneItem>> planPrune(Catalogue& catalogue,
                                                       const std::filesystem::path& sessionsDirectory,
                                                       const RetentionLimits& limits, WallTime now,
                                                       const MustKeep& mustKeep);

/// Removes a planned session's directory, then its entry; asks `mustKeep` once more, since time has passed. A
/// directory that cannot be removed keeps its entry, so that the next run tries again.
[[nodiscard]] Result<void> prune(Catalogue& catalogue, const std::filesystem::path& sessionsDirectory,
                                 const PruneItem& item, const MustKeep& mustKeep);

} // namespace revet::journal
