// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tests/integration/world.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace revet::test {

/// The command line of a shell script, run outside of boxes, that starts one and answers what it asks.
/// `start` runs a box in the background, `ask` waits until something is asked and names it, `yes` approves
/// what it has looked at, `finish` waits for the box and says how it ended and what it printed. Its tier is
/// the column "tier", if the test has data, else the sandbox.
[[nodiscard]] std::vector<std::string> askingScript(const std::string& text,
                                                    const std::vector<std::string>& arguments = {});
/// Runs it in the project.
[[nodiscard]] Finished asking(const World& world, const std::string& text);
/// The same with a box that the person steers while it runs: `box` starts one that does what `go` brings it
/// to do, a line of shell each, whose output it shows; `end` stops it.
[[nodiscard]] Finished steering(const World& world, const std::string& text);
/// Which of these parts its output lacks, each behind the one before; none: empty.
[[nodiscard]] std::string unlessHolds(const Finished& finished, std::initializer_list<const char*> parts);

} // namespace revet::test
