// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

namespace revet::os {

/// This process and its children get half of the machine's memory at most, and no more than 4 GiB; what
/// would take more fails instead. Files that are only mapped do not count. For programs that read what a box
/// prepared.
[[nodiscard]] Result<void> limitOwnMemory();

} // namespace revet::os
