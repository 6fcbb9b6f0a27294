// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>

namespace revet::journal {

/// Bytes on the disk of everything under `name` in the directory `parentFd`. Links are not followed; what
/// cannot be read counts as nothing.
[[nodiscard]] std::uint64_t treeBytes(int parentFd, const std::string& name);

/// Removes `name` and everything under it, link by link as names, never through them. Boxes leave directories
/// that nobody may read or write: their modes are changed through a descriptor first. Does not cross into
/// another file system. Removes as much as it can and reports the first failure.
[[nodiscard]] Result<void> removeTree(int parentFd, const std::string& name);

} // namespace revet::journal
