// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <string>

namespace revet::launcher {

enum class TargetType { Directory, File };

/// Opens (O_PATH) the place in the new tree where something is to be mounted and makes what is missing on the
/// way. No component may be a symbolic link: below a private home the box chose the names (SECURITY E066).
/// There (InTheWay::MoveAside) what is of another type gets another name, so that no box keeps the next from
/// starting.
enum class InTheWay { Fail, MoveAside };
[[nodiscard]] Result<UniqueFd> openMountTarget(const std::string& path, TargetType type,
                                               InTheWay inTheWay = InTheWay::Fail);

/// Opens (O_PATH) a path of the host, links followed inside the host's tree only. `hostRoot` is where that
/// tree is.
[[nodiscard]] Result<UniqueFd> openHostPath(int hostRoot, const std::string& path);
/// The same for reading; regular files only.
[[nodiscard]] Result<UniqueFd> openHostFile(int hostRoot, const std::string& path);

} // namespace revet::launcher
