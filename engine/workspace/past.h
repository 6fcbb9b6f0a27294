// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/record.h"
#include "engine/workspace/transaction_plan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace revet::workspace {

/// What became of one path, and how it comes back.
struct Past
{
    enum class Way : std::uint8_t {
        New, ///< nothing was there
        InPlace, ///< it is there still, with another mode, time or attributes
        Moved, ///< it is at another path of the tree, `place`
        Kept, ///< it is in a record, `place` below the store or absolute
        Copied, ///< its content is in the file `place`, absolute
        Linked, ///< it was a further name of the file at the path `place`
        Lost, ///< it was not kept
    };
    Way way = Way::New;
    std::string place;
    std::string note; ///< why its content was not kept; Moved brings back the file as it is
    Entry before;
    Entry after;
    /// To set, or to remove.
    std::vector<std::pair<std::string, std::optional<std::string>>> attributes;
    bool isWholeTree = false;
    bool isTimeOnly = false; ///< a directory that only got another time, from what happened in it
    bool isAside = false; ///< likewise, and not because that was wanted
};
using Pasts = std::map<std::string, Past, WalkOrder>;

/// Of a transaction that is done.
[[nodiscard]] Pasts pastsOf(const Record& record);

} // namespace revet::workspace
