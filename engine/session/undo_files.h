// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/places.h"
#include "engine/workspace/left_behind.h"

#include <vector>

namespace revet::session {

/// Completes the pre-images of a session that was killed: from now on its changes can be told from others'.
[[nodiscard]] Result<void> sealUndo(const Places& places, const SessionId& id,
                                    workspace::Unreadable unreadable = workspace::Unreadable::Fails);
/// The same by revet-review, which may look everywhere; waits for it.
[[nodiscard]] Result<void> sealUndoByReview(const SessionId& id);
/// Where a session keeps pre-images and objects of records outside of its own directory.
[[nodiscard]] Result<std::vector<std::filesystem::path>> undoElsewhere(const Places& places,
                                                                       const SessionId& id);
/// Removes such places, all that can be; the first failure.
[[nodiscard]] Result<void> removeUndo(const std::vector<std::filesystem::path>& elsewhere);

/// All that undo needs of a session.
struct KeptUndo
{
    std::vector<std::filesystem::path> directories; ///< those that are there
    std::uint64_t bytes = 0; ///< on the disk
    WallTime lastUse{}; ///< when something was added
};
[[nodiscard]] Result<KeptUndo> keptUndo(const Places& places, const SessionId& id);

} // namespace revet::session
