// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/launcher/plan.h"

namespace revet::launcher {

/// The keeper's steps, up to the tree that boxes see. Single-threaded process only.
[[nodiscard]] Result<void> runKeeperStep(const Step& step);
/// pid 1's steps. Single-threaded process only.
[[nodiscard]] Result<void> runInitStep(const Step& step);
/// Maps the calling process's user and group to themselves in the user namespace it has just made.
[[nodiscard]] Result<void> mapOwnIds(unsigned uid, unsigned gid);
/// Drops every capability from all sets and the bounding set.
[[nodiscard]] Result<void> dropCapabilities();

/// The root of the host's tree, kept by the keeper when it was hidden; -1 before.
[[nodiscard]] int hostTree();
/// For pid 1, which must not keep it.
void closeHostTree();

} // namespace revet::launcher
