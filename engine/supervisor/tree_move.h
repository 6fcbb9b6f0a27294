// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/supervisor/place.h"

namespace revet::supervisor {

/// Moves a directory that the kernel will not rename (overlayfs answers EXDEV for one of its lower layer):
/// makes it anew beside its target, moves what is in it entry by entry, and puts it in place by one rename.
/// Mode, owner, times and attributes of directories are kept. Bounded, and taken back on an error: then
/// EXDEV, as the kernel would have said, so that programs copy instead. What a crash leaves is called
/// kMovePrefix and a number.
[[nodiscard]] Result<void> moveTree(const Place& from, const Place& to);

inline constexpr std::string_view kMovePrefix = ".revet-mv-";

} // namespace revet::supervisor
