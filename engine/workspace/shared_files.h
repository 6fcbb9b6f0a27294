// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/transaction_plan.h"

namespace revet::workspace {

/// Mode, times and extended attributes are the file's, not the name's: a file that gets others, and has names
/// that the plan says nothing of, is made anew for those of the plan, with the same content. What comes back
/// stays the same file where all its names come along, or where only its times were changed by one.
/// Gives the paths at which that cannot be.
[[nodiscard]] Result<std::vector<Conflict>> splitShared(int tree, int store, Plan& plan);

} // namespace revet::workspace
