// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"

#include <cstdint>
#include <string>
#include <vector>

namespace revet::workspace {

/// One walk through a layer: compares its entries with what lies below them. Goes by full paths from the two
/// roots, one directory at a time, so that no depth of a box's making costs descriptors.
class LayerWalk
{
public:
    /// Neither is owned.
    LayerWalk(int upper, int lower, std::uint64_t compareBytes)
        : m_upper(upper)
        , m_lower(lower)
        , m_compareBytes(compareBytes)
    {
    }
    [[nodiscard]] Result<std::vector<Change>> run();

private:
    /// A directory of the upper one that is still to be looked at.
    struct Pending
    {
        std::string path;
        bool hidesLower = false; ///< it, or one above it, has taken the place of what was there
    };
    [[nodiscard]] Result<void> visit(const Pending& directory);
    /// Both sides of one name.
    struct Sides
    {
        std::string path;
        Entry before;
        Entry after;
        bool hasOtherAttributes = false;
    };
    [[nodiscard]] Result<void> compare(Sides sides, bool hidesLower);
    [[nodiscard]] Result<void> compareFiles(Sides&& sides);
    [[nodiscard]] Result<void> deleteTree(const std::string& path, Entry before);
    [[nodiscard]] bool isSameContent(const std::string& path, const Entry& before, const Entry& after);
    [[nodiscard]] Result<void> add(Change change);

    int m_upper;
    int m_lower;
    std::uint64_t m_compareBytes;
    std::vector<Pending> m_pending;
    std::vector<Change> m_changes;
};

} // namespace revet::workspace
