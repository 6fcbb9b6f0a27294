// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/operation.h"

#include <filesystem>
#include <vector>

namespace revet::test {

/// A tree with a bit of everything, and how it is to be.
void makeTree(const std::filesystem::path& top);
void changeTree(const std::filesystem::path& top);

/// The operations that make a tree as another one is.
[[nodiscard]] std::vector<workspace::Operation> operationsBetween(const std::filesystem::path& tree,
                                                                  const std::filesystem::path& wanted);

} // namespace revet::test
