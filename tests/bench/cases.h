// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace revet::bench {

/// One thing that is timed, with and without a box.
struct Case
{
    std::string name;
    /// A shell command that makes what `command` needs in its fresh directory; not timed. $SHARED is a
    /// directory that the cases keep, $VICTIMS that of the test victims.
    std::string prepare;
    std::vector<std::string> command; ///< absolute program first; $SHARED and $VICTIMS are replaced
    int rounds;
    /// What is aimed at, in words; the medians stand beside it.
    std::string goal;
    /// The command prints "WORD number": that number, in ns, is the value instead of the time that it took.
    std::string reportedAs = {};
    /// How many of that number one run stands for, per second: events instead of a time.
    long events = 0;
};

/// What is made once in $SHARED: an archive, a repository, a source tree.
[[nodiscard]] std::string sharedPreparation();
[[nodiscard]] std::vector<Case> allCases();

} // namespace revet::bench
