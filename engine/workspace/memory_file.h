// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <string_view>

namespace revet::workspace {

/// An open file in memory with these bytes.
[[nodiscard]] Result<UniqueFd> openMemoryFile(std::string_view bytes);

} // namespace revet::workspace
