// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// What a command line of somebody's configuration may run or read.
struct CommandPath
{
    enum class Kind : std::uint8_t {
        File, ///< a path: "tools/x", "./x", "/x", "~/x"; behind an expansion ("$PWD/tools/x") what follows
        Word, ///< may be a file's name: counts where there is such a file
        Folder, ///< something in it is run whose name only the shell knows: "tools/$X"
        From, ///< where words count as well, by `cd`
    };
    Kind kind = Kind::File;
    std::string path;

    friend bool operator==(const CommandPath&, const CommandPath&) = default;
};

/// Reads a command as a shell would cut it: quotes, backslashes, expansions, commands in commands. A shell
/// may do more than any reader knows; what is not sure is taken for a path. Each once, in the order of the
/// text.
[[nodiscard]] std::vector<CommandPath> commandPaths(std::string_view command);

} // namespace revet::policy
