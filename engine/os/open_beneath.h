// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"

#include <cstdint>
#include <string>

namespace revet::os {

/// Opens `path` below the directory `root` ("" is the root itself), through no symbolic link and not out of
/// it, whatever a box has put there (openat2(2), Linux 5.6), also where the path is longer than the kernel
/// takes at once. `flags` as for open(2); closed on exec. Not open on failure: errno says why, EXDEV or ELOOP
/// where the path leads through a link or out.
[[nodiscard]] UniqueFd openBeneath(int root, const std::string& path, std::uint64_t flags);

} // namespace revet::os
