// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/workspace/entry.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace revet::workspace {

/// A path and what is to lie there: a transaction is told states, one for each path, not a sequence of acts.
struct Operation
{
    std::string path;
    Entry expected; ///< what must lie there now; all of it counts, of directories their mode and identity
    /// Absent: nothing. Of others their type, mode, target and `changed` count; `changed` 0 is now.
    Entry wanted;
    /// What is made anew gets setuid, setgid and sticky as well: only for what comes back.
    bool isExact = false;

    // Where it comes from; the first that is set counts. None: a file that is there keeps its content and
    // gets the mode and time, a directory or a link is made.
    std::string from; ///< another path, which has an operation of its own that takes the file away
    std::string stored; ///< moved here from there, below the record store or absolute; exactly as it is
    std::string linkTo; ///< one more name of the file that lies at that path in the end
    std::function<Result<UniqueFd>()> content; ///< a copy of the file that this opens

    /// Extended attributes to set, or to remove.
    std::vector<std::pair<std::string, std::optional<std::string>>> attributes;
    bool isMerge = false; ///< what comes is neither side's: no base for what the session has
    bool isLocked = false; ///< git's lock, "PATH.lock", is held while a file is changed there
    bool isWholeTree = false; ///< `wanted` is Absent: whatever a directory holds goes with it
};

/// Why a path stays as it is, and with it the whole transaction.
struct Conflict
{
    std::string path;
    std::string why; ///< in a few words: "it was changed"
};

} // namespace revet::workspace
