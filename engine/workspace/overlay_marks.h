// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/entry.h"

namespace revet::workspace {

/// What overlayfs keeps in an upper directory beside the files themselves (mounted with "userxattr").
inline constexpr std::string_view kOverlayPrefix = "user.overlay.";
/// A box's own attributes of that name are stored as user.overlay.overlay.*.
inline constexpr std::string_view kEscapedOverlayPrefix = "user.overlay.overlay.";

/// Whether overlayfs keeps the attribute for itself: a box sees no such one, and it is not copied up.
[[nodiscard]] constexpr bool isOverlayMark(std::string_view attribute)
{
    return attribute.starts_with(kOverlayPrefix) && !attribute.starts_with(kEscapedOverlayPrefix);
}

/// Whether the entry says that a name has been removed: a character device 0:0, or an empty file with the
/// attribute user.overlay.whiteout. `entry` is what lookAt() found there.
[[nodiscard]] bool isWhiteout(const UniqueFd& directory, const std::string& name, const Entry& entry);
/// Whether an open directory shows nothing of the one below it.
[[nodiscard]] bool isOpaque(const UniqueFd& directory);

} // namespace revet::workspace
