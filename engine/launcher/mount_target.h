// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <string>

namespace revet::launcher {

enum class TargetType { Directory, File };

/// Opens (O_PATH) the place in the new tree where something is to be mounted and makes what is missing on the
/// way. No component may be a symbolic link: below a private home the box chose the names (SECURITY.md,
/// E066). There (InTheWay::MoveAside) what is of another type gets another name, so that no box keeps the
/// next from starting.
enum class InTheWay { Fail, MoveAside };
[[nodiscard]] Result<UniqueFd> openMountTarget(const std::string& path, TargetType type,
                                               InTheWay inTheWay = InTheWay::Fail);

/// One component of such a place, in a directory that is open; made where it is missing.
struct MountPlace
{
    UniqueFd object;
    bool isMade = false;
};
[[nodiscard]] Result<MountPlace> openMountPlace(int directory, const std::string& name, TargetType type);

/// Makes a directory a mount of itself: rename(2) and rmdir(2) of it fail with EBUSY in every namespace that
/// has the mount, whatever lies below.
[[nodiscard]] Result<void> pinDirectory(int directory);

/// Opens (O_PATH) a path of the host, links followed inside the host's tree only. `hostRoot` is where that
/// tree is.
[[nodiscard]] Result<UniqueFd> openHostPath(int hostRoot, const std::string& path);
/// The same, of an absolute path through no link at all.
[[nodiscard]] Result<UniqueFd> openPlainHostPath(int hostRoot, const std::string& path);
/// Like openHostPath(), for reading; regular files only.
[[nodiscard]] Result<UniqueFd> openHostFile(int hostRoot, const std::string& path);

} // namespace revet::launcher
