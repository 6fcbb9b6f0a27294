// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tests/integration/world.h"

#include <string>
#include <vector>

namespace revet::test {

/// Runs a command of the host in a small internet: a network of the test's own, of which all else lies behind
/// a gateway, in another one, with servers there and names for them. None of its capabilities is left. What
/// it printed, and then "asked outside:" with the names that the machine's own resolver was asked for.
[[nodiscard]] Finished onInternet(const World& world, const std::vector<std::string>& command);
/// `revet run OPTIONS -- COMMAND` there, in the tier of the test's row, if it has one.
[[nodiscard]] Finished inInternet(const World& world, const std::vector<std::string>& options,
                                  const std::vector<std::string>& command);

} // namespace revet::test
