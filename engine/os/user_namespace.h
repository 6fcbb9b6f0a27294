// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

namespace revet::os {

/// Moves this process into a user namespace of its own, where the user is the same and has one capability:
/// to read and write the user's own files whatever their modes. Boxes leave files and directories of mode
/// 000, and their layers lie behind one. For programs without threads only; children inherit it.
[[nodiscard]] Result<void> enterUserNamespace();

} // namespace revet::os
