// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"
#include "engine/workspace/similarity.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace revet::workspace {

/// Finds which files that were removed are still there, edited, among those that were added: as git does, and
/// with git's limits. Contents are a box's, so all that costs is bounded: what is read, how many pairs are
/// looked at, and how long that takes; beyond the bounds files are not alike.
class SimilarFiles
{
public:
    struct Pair
    {
        std::size_t deleted = 0;
        std::size_t added = 0;
        unsigned similarity = 0; ///< in percent
    };

    /// Numbers of `changes`, which is not owned.
    SimilarFiles(const std::vector<Change>& changes, ChangeSource& source)
        : m_changes(changes)
        , m_source(source)
    {
    }
    /// Each file is in one pair at most.
    [[nodiscard]] std::vector<Pair> pair(std::vector<std::size_t> deleted, std::vector<std::size_t> added);
    /// Of both sides of one change; none where that would cost too much, or cannot be read.
    [[nodiscard]] std::optional<unsigned> similarityWithin(std::size_t change);

private:
    enum class Side : bool { Before, After };
    [[nodiscard]] const Pieces* pieces(std::size_t change, Side side);
    [[nodiscard]] std::optional<unsigned> compare(std::size_t deleted, std::size_t added);
    void pairNames(std::vector<std::size_t>& deleted, std::vector<std::size_t>& added);
    void pairBest(const std::vector<std::size_t>& deleted, const std::vector<std::size_t>& added);

    const std::vector<Change>& m_changes;
    ChangeSource& m_source;
    std::uint64_t m_bytesLeft = std::uint64_t{64} << 20U;
    std::uint64_t m_stepsLeft = 100'000'000; // through pieces: some tenths of a second
    PieceCounter m_counter;
    std::map<std::pair<std::size_t, Side>, std::optional<Pieces>> m_pieces;
    std::vector<Pair> m_pairs;
};

} // namespace revet::workspace
