// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::workspace {

/// What a content is made of, without its order: the bytes in all lines of one hash, by hash. A line of more
/// than 64 bytes is several.
struct Pieces
{
    std::uint64_t size = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> bytes;
};

class PieceCounter
{
public:
    [[nodiscard]] Pieces count(std::string_view content);

private:
    std::vector<std::uint32_t> m_bytes; ///< by hash; all 0 between two contents
};

/// In percent: how much of the larger content the two share. git's own measure, number by number.
[[nodiscard]] unsigned similarityOf(const Pieces& one, const Pieces& other);
/// Whether the sizes alone leave room for 50 %.
[[nodiscard]] bool couldBeSimilar(std::uint64_t oneSize, std::uint64_t otherSize);

/// git's limit for a rename (-M50%), in percent.
inline constexpr unsigned kSimilar = 50;

} // namespace revet::workspace
