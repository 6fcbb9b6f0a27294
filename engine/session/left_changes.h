// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/policy/run_later.h"

#include <string>
#include <vector>

namespace revet::session {

/// A layer that a session leaves, and the project below it; both are open (O_PATH).
struct LeftLayer
{
    UniqueFd upper;
    UniqueFd lower;
};

/// What the session's last line says of its layers.
struct LeftChanges
{
    bool isNothing = false;
    std::string text; ///< "3 files changed, 1 of them pinned", fit for a screen
};
/// Looks at all layers. Quick: large copies are judged by their times, and what a box made unreadable counts
/// by itself; an error: it could not be found out.
[[nodiscard]] Result<LeftChanges> findLeftChanges(const std::vector<LeftLayer>& layers,
                                                  const policy::RunLaterTable& table);

} // namespace revet::session
