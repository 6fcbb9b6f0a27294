// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/similar_files.h"

#include "engine/workspace/file_content.h"
#include "engine/workspace/text_diff.h"
#include "engine/workspace/tree_path.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace revet::workspace {

namespace {

/// diff.renameLimit's default, squared.
constexpr std::size_t kMostPairs = 1'000'000;
/// What two files of one name must share, where each side has one of it: the name says something as well.
constexpr unsigned kSimilarOfOneName = 75;

} // namespace

const Pieces* SimilarFiles::pieces(std::size_t number, Side side)
{
    const auto [found, isFirst] = m_pieces.try_emplace({number, side});
    std::optional<Pieces>& pieces = found->second;
    if (isFirst) {
        const Change& change = m_changes[number];
        const std::uint64_t size = (side == Side::Before ? change.before : change.after).size;
        if (size <= std::min<std::uint64_t>(kLargestText, m_bytesLeft)) {
            m_bytesLeft -= size;
            const auto file = side == Side::Before ? m_source.openBefore(change) : m_source.openAfter(change);
            const auto content = file ? readContent(*file, size) : Result<std::string>(fail(file.error()));
            if (content) { // else it has grown meanwhile, or was not kept
                pieces = m_counter.count(*content);
            }
        }
    }
    return pieces ? &*pieces : nullptr;
}

std::optional<unsigned> SimilarFiles::compare(std::size_t deleted, std::size_t added)
{
    const Pieces* const before = pieces(deleted, Side::Before);
    const Pieces* const after = before == nullptr ? nullptr : pieces(added, Side::After);
    if (after == nullptr) {
        return std::nullopt;
    }
    const std::uint64_t steps = before->bytes.size() + after->bytes.size();
    if (steps > m_stepsLeft) {
        m_stepsLeft = 0;
        return std::nullopt;
    }
    m_stepsLeft -= steps;
    return similarityOf(*before, *after);
}

std::optional<unsigned> SimilarFiles::similarityWithin(std::size_t change)
{
    return compare(change, change);
}

/// A file that went to another directory is looked for by its name first.
void SimilarFiles::pairNames(std::vector<std::size_t>& deleted, std::vector<std::size_t>& added)
{
    struct Named
    {
        std::vector<std::size_t> deleted;
        std::vector<std::size_t> added;
    };
    std::unordered_map<std::string_view, Named> names;
    for (const std::size_t number : deleted) {
        names[nameOf(m_changes[number].path)].deleted.push_back(number);
    }
    for (const std::size_t number : added) {
        names[nameOf(m_changes[number].path)].added.push_back(number);
    }
    std::unordered_set<std::size_t> taken;
    for (const std::size_t number : deleted) {
        const Named& named = names[nameOf(m_changes[number].path)];
        if (named.deleted.size() != 1 || named.added.size() != 1) {
            continue;
        }
        const std::size_t other = named.added.front();
        const bool isNear = couldBeSimilar(m_changes[number].before.size, m_changes[other].after.size);
        const unsigned similarity = isNear ? compare(number, other).value_or(0) : 0;
        if (similarity >= kSimilarOfOneName) {
            m_pairs.push_back({number, other, similarity});
            taken.insert({number, other});
        }
    }
    const auto isTaken = [&taken](std::size_t number) { return taken.contains(number); };
    std::erase_if(deleted, isTaken);
    std::erase_if(added, isTaken);
}

void SimilarFiles::pairBest(const std::vector<std::size_t>& deleted, const std::vector<std::size_t>& added)
{
    if (deleted.empty() || added.size() > kMostPairs / deleted.size()) {
        return;
    }
    std::vector<Pair> candidates;
    for (const std::size_t to : added) {
        for (const std::size_t from : deleted) {
            if (!couldBeSimilar(m_changes[from].before.size, m_changes[to].after.size)) {
                continue;
            }
            const unsigned similarity = compare(from, to).value_or(0);
            if (similarity >= kSimilar) {
                candidates.push_back({from, to, similarity});
            }
        }
    }
    const auto rank = [this](const Pair& pair) {
        const bool isOtherName = nameOf(m_changes[pair.deleted].path) != nameOf(m_changes[pair.added].path);
        return std::tuple(100 - pair.similarity, isOtherName, pair.added, pair.deleted);
    };
    std::ranges::sort(candidates, {}, rank);
    std::unordered_set<std::size_t> taken; // numbers are of changes, so of one side only
    for (const Pair& pair : candidates) {
        if (!taken.contains(pair.deleted) && !taken.contains(pair.added)) {
            taken.insert({pair.deleted, pair.added});
            m_pairs.push_back(pair);
        }
    }
}

std::vector<SimilarFiles::Pair> SimilarFiles::pair(std::vector<std::size_t> deleted,
                                                   std::vector<std::size_t> added)
{
    pairNames(deleted, added);
    pairBest(deleted, added);
    return std::move(m_pairs);
}

} // namespace revet::workspace
