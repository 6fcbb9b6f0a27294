// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace revet::workspace {

/// Where the contents of a tree's pre-images go.
struct PreImagePlace
{
    std::filesystem::path objects; ///< made, mode 0700
    /// Whether it is on the tree's own mount, so that entries can be renamed into it: rename(2) compares
    /// mounts, not file systems, and subvolumes of one mount differ in their device. Else everything is
    /// copied.
    bool canTake = false;
};

/// The first that is on the tree's mount of: `manifest`/objects, .revet-UID/NAME at the top of that mount.
/// Else `manifest`/objects all the same. `manifest` exists; NAME must be a name of this session and tree
/// alone.
[[nodiscard]] Result<PreImagePlace> choosePreImagePlace(const std::filesystem::path& tree,
                                                        const std::filesystem::path& manifest,
                                                        const std::string& name);

/// .revet-UID at the top of the mount of a directory, made where it can be. A box that sees that top must be
/// started after this, so that it can be hidden from it.
[[nodiscard]] std::optional<std::filesystem::path> makeStoreAtTop(const std::filesystem::path& directory);
/// Whether a directory is the top of its mount.
[[nodiscard]] bool isTopOfMount(const std::filesystem::path& directory);
/// Whether both are on one mount.
[[nodiscard]] bool areOnOneMount(const std::filesystem::path& one, const std::filesystem::path& other);

} // namespace revet::workspace
