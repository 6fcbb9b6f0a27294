// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace revet::test {

/// A command, and what happens at one of its system calls. Those are counted that may leave something else on
/// the disk (between two of them it does not matter where a command is killed), or where calls shall fail,
/// those that take room there; from the moment on in which it becomes `program`.
struct TracedCommand
{
    std::vector<std::string> command;
    std::filesystem::path directory;
    std::map<std::string, std::string> environment;
    std::string program; ///< file name
    int at = -1; ///< number of the call that is not done; none: -1
    int error = 0; ///< what it and all later ones get instead; 0: the command is killed
};

struct TracedEnd
{
    bool isKilled = false;
    int status = 0; ///< its exit status, where it was not killed
    int calls = 0; ///< that were counted
};

/// Its output goes to `out` and `err` in the directory above that of the command.
[[nodiscard]] TracedEnd runTraced(const TracedCommand& command);

} // namespace revet::test
