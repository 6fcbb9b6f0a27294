// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/transaction_plan.h"

namespace revet::workspace {

/// Mode, times and extended attributes are the file's, not the name's: a file that gets others, and has more
/// than one name, is made anew for those of the plan, with the same content. What comes back exactly stays
/// the same file. Gives the paths at which that cannot be.
[[nodiscard]] Result<std::vector<Conflict>> splitShared(int tree, Plan& plan);

} // namespace revet::workspace
