// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/similarity.h"

#include <algorithm>
#include <utility>

namespace revet::workspace {

namespace {

constexpr std::uint32_t kHashes = 107'927; // git's HASHBASE
constexpr std::size_t kLongestLine = 64;

bool isText(std::string_view content)
{
    constexpr std::size_t kLookedAt = 8000; // where git looks for a NUL
    return content.substr(0, kLookedAt).find('\0') == std::string_view::npos;
}

} // namespace

Pieces PieceCounter::count(std::string_view content)
{
    m_bytes.resize(kHashes);
    std::vector<std::uint32_t> seen;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t length = 0;
    const auto end = [&] {
        const std::uint32_t hash = (low + high * 0x61U) % kHashes;
        if (m_bytes[hash] == 0) {
            seen.push_back(hash);
        }
        m_bytes[hash] += length;
        low = high = length = 0;
    };
    const bool skipsReturns = isText(content);
    for (std::size_t i = 0; i < content.size(); ++i) {
        const char byte = content[i];
        if (skipsReturns && byte == '\r' && i + 1 < content.size() && content[i + 1] == '\n') {
            continue;
        }
        const std::uint32_t before = low;
        low = (low << 7U) ^ (high >> 25U);
        high = (high << 7U) ^ (before >> 25U);
        low += static_cast<unsigned char>(byte);
        if (++length == kLongestLine || byte == '\n') {
            end();
        }
    }
    if (length != 0) {
        end();
    }
    std::ranges::sort(seen);
    Pieces pieces{content.size(), {}};
    pieces.bytes.reserve(seen.size());
    for (const std::uint32_t hash : seen) {
        pieces.bytes.emplace_back(hash, std::exchange(m_bytes[hash], 0));
    }
    return pieces;
}

bool couldBeSimilar(std::uint64_t oneSize, std::uint64_t otherSize)
{
    const auto [smaller, larger] = std::minmax(oneSize, otherSize);
    return smaller != 0 && smaller >= larger - larger / 2;
}

unsigned similarityOf(const Pieces& one, const Pieces& other)
{
    constexpr std::uint64_t kWhole = 60'000; // git's MAX_SCORE: it rounds twice
    std::uint64_t shared = 0;
    auto left = one.bytes.begin();
    auto right = other.bytes.begin();
    while (left != one.bytes.end() && right != other.bytes.end()) {
        if (left->first == right->first) {
            shared += std::min(left++->second, right++->second);
        } else {
            left->first < right->first ? ++left : ++right;
        }
    }
    const std::uint64_t larger = std::max(one.size, other.size);
    return larger == 0 ? 0 : static_cast<unsigned>(shared * kWhole / larger * 100 / kWhole);
}

} // namespace revet::workspace
