// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/direct_changes.h"
#include "engine/workspace/past.h"

namespace revet::workspace {

/// How what a direct session did to a tree is taken back, path by path: the beginning of its History. The
/// manifest has to be sealed: what it does not list, others have done. Gives the same after an undo.
[[nodiscard]] Result<Pasts> pastsOf(const DirectChanges& session);

} // namespace revet::workspace
