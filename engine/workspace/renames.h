// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"

#include <vector>

namespace revet::workspace {

/// Makes one Renamed of each file that was deleted here and added there with the same bytes, or link with the
/// same target. Empty files, and more than 256 MiB in all, are left alone. Where several fit, the one with
/// the same name wins.
void pairRenames(std::vector<Change>& changes, ChangeSource& source);

/// Parents before what is below them; of two changes of one path the deletion first.
void sortByPath(std::vector<Change>& changes);

} // namespace revet::workspace
