// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"

#include <cstdint>
#include <string>
#include <vector>

namespace revet::workspace {

struct DiffLine
{
    char origin = ' '; ///< ' ', '+', '-'
    std::string text; ///< with its end of line; without one: the file ends here
};

struct Hunk
{
    std::string header; ///< "@@ -1,3 +1,4 @@ int main()", without an end of line
    std::uint32_t oldStart = 0; ///< from 1
    std::uint32_t oldLines = 0;
    std::uint32_t newStart = 0;
    std::uint32_t newLines = 0;
    std::vector<DiffLine> lines;
};

/// What differs between two texts, line by line, as git would say it.
struct TextDiff
{
    bool isBinary = false; ///< a NUL near the beginning; no hunks then
    bool isTooLarge = false; ///< nobody would read it; no hunks then
    std::uint32_t added = 0;
    std::uint32_t removed = 0;
    std::vector<Hunk> hunks;
};

/// The larger side has at most so many bytes where lines are compared.
inline constexpr std::size_t kLargestText = std::size_t{4} << 20U;

[[nodiscard]] Result<TextDiff> diffTexts(std::string_view before, std::string_view after);
/// Of a change's files; a side that is no file counts as empty, and a link as the text that it points to.
[[nodiscard]] Result<TextDiff> diffChange(ChangeSource& source, const Change& change);

} // namespace revet::workspace
