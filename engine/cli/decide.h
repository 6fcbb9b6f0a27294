// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/cli/command.h"

namespace revet::cli {

// `revet apply`, `discard` and `undo`, in a process that may read layers.

[[nodiscard]] int doApply(const Arguments& arguments);
[[nodiscard]] int doDiscard(const Arguments& arguments);
[[nodiscard]] int doUndo(const Arguments& arguments);
/// ID: of revet-session, where boxes left what it may not look into.
[[nodiscard]] int doSeal(const Arguments& arguments);

} // namespace revet::cli
