// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/entry.h"

#include <functional>

namespace revet::workspace {

/// Calls visit(path, entry) for `path` below `root`, then, if that returns true and it is a directory, for
/// what is below it; parents first, names in order. No link is followed; what cannot be listed is left out,
/// and the answer is false then. Fails where there is more than `maximum`.
[[nodiscard]] Result<bool> walkTree(int root, const std::string& path, std::size_t maximum,
                                    const std::function<bool(const std::string&, const Entry&)>& visit);

} // namespace revet::workspace
