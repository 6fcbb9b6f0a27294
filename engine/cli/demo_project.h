// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace revet::cli {

struct DemoProject
{
    std::filesystem::path project; ///< a small git repository with the agent's script in it
    std::filesystem::path outside; ///< holds a file that the agent has no business with
};

/// Makes both afresh below `cache` from what is shipped in `source`. Runs no program.
[[nodiscard]] Result<DemoProject> makeDemoProject(const std::filesystem::path& source,
                                                  const std::filesystem::path& cache);

} // namespace revet::cli
