// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace revet::session {

/// Where a command is looked for.
struct ProgramSearch
{
    std::string path; ///< PATH
    std::string directory; ///< the current one
    std::string home;
    std::string privateHome; ///< what a box has in the place of `home`
    std::vector<std::string> changeable; ///< what boxes write on the host; without links
};
/// Whether the program that a command means, with every link that leads to it, lies where no box could have
/// put it. A name is no proof: "./claude" is whatever a repository makes of it. Not so where nothing is
/// found.
[[nodiscard]] bool isBeyondBoxes(const std::string& command, const ProgramSearch& search);

} // namespace revet::session
