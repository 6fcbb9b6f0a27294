// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/oddities.h"
#include "engine/workspace/run_later_finding.h"

#include <string>
#include <vector>

namespace revet::workspace {

/// A change with all that a person should know before it is taken over.
struct ReviewItem
{
    Change change;
    RunLaterFinding runLater;
    std::vector<Oddity> oddities;
    bool isInRepository = false; ///< of git's own files
    std::string repository; ///< where isInRepository: its directory, "sub/.git"; "" is the root
};

enum class Renames : bool { Apart, Paired };

/// By path. `base`: the directory that the changes are about; not owned. Renames::Apart leaves files that
/// went and came as the source tells them.
[[nodiscard]] Result<std::vector<ReviewItem>>
review(ChangeSource& source, int base, const policy::RunLaterTable& table, Renames renames = Renames::Paired);

/// What a session's last line says of its changes.
struct ChangeCount
{
    std::size_t files = 0; ///< without git's own
    std::size_t directories = 0; ///< without git's own
    std::size_t held = 0; ///< files that are pinned; what is checked by its content does not count
    bool hasRepositoryChanges = false;
};
[[nodiscard]] ChangeCount countChanges(const std::vector<Change>& changes,
                                       const policy::RunLaterTable& table);

} // namespace revet::workspace
