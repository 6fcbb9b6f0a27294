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
/// `services` is a program that serves in that other network until its input ends, at any port of the
/// addresses of far.test and closed.test; it says "ready" first. At shut.test nothing is ever served.
[[nodiscard]] Finished onInternet(const World& world, const std::vector<std::string>& command,
                                  const std::vector<std::string>& services = {});
/// `revet run OPTIONS -- COMMAND` there, in the tier of the test's row, if it has one.
[[nodiscard]] Finished inInternet(const World& world, const std::vector<std::string>& options,
                                  const std::vector<std::string>& command);
/// A script of sh there, with `start`, `ask` and `finish` for a box of the tier of the test's row, and
/// `$revet`.
[[nodiscard]] Finished scriptOnInternet(const World& world, const std::string& script,
                                        const std::vector<std::string>& arguments = {},
                                        const std::vector<std::string>& services = {});

} // namespace revet::test
