// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"

#include <vector>

namespace revet::workspace {

/// Makes one Renamed of each file that was deleted here and added there with the same bytes, or link with the
/// same target; then of those that are alike (see SimilarFiles). Where several fit, the one with the same
/// name wins. Empty files are left alone, and so is what more than 256 MiB would have to be read for. git's
/// own files leave no repository, and edited ones are left alone.
void pairRenames(std::vector<Change>& changes, ChangeSource& source);

/// What a rename is made of: the deletion and the addition.
struct RenameHalves
{
    Change deleted;
    Change added;
};
[[nodiscard]] RenameHalves halvesOf(const Change& renamed);

/// Parents before what is below them; of two changes of one path the deletion first.
void sortByPath(std::vector<Change>& changes);

} // namespace revet::workspace
