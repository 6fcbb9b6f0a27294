// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/renames.h"

#include "engine/policy/git_rules.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/similar_files.h"
#include "engine/workspace/tree_path.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace revet::workspace {

namespace {

constexpr std::uint64_t kHashedBytes = std::uint64_t{256} << 20U;
constexpr std::size_t kMostCandidates = 64;

/// The directory of git's own files that the path is of; "" for none.
std::string gitdirOf(const std::string& path)
{
    policy::GitSplit split;
    return policy::isBelowGitdir(path, &split) ? split.gitdir : std::string();
}

/// What two entries must share to be one that was moved.
struct Key
{
    std::string gitdir;
    std::uint64_t size = 0;
    std::uint64_t hash = 0;
    std::string target;
    // NOLINTNEXTLINE(modernize-use-nullptr): the check stumbles over what the compiler writes here
    friend auto operator<=>(const Key&, const Key&) = default;
};

class Pairing
{
public:
    Pairing(std::vector<Change>& changes, ChangeSource& source)
        : m_changes(changes)
        , m_source(source)
    {
    }
    void run();

private:
    [[nodiscard]] bool isCandidate(const Change& change) const;
    [[nodiscard]] std::optional<Key> keyOf(const Change& change);
    void collect();
    void pair(std::vector<std::size_t>& deleted, std::size_t added);
    [[nodiscard]] bool isSame(const Change& deleted, const Change& added);
    void pairSimilar();
    void rename(std::size_t deleted, std::size_t added);

    std::vector<Change>& m_changes;
    ChangeSource& m_source;
    std::uint64_t m_budget = kHashedBytes;
    std::unordered_set<std::string_view> m_made; ///< paths at which something new is
    std::vector<std::size_t> m_candidates;
    std::map<Key, std::vector<std::size_t>> m_deleted;
    std::vector<std::pair<Key, std::size_t>> m_added;
    std::vector<bool> m_isTaken;
};

const Entry& entryOf(const Change& change)
{
    return change.kind == Change::Kind::Deleted ? change.before : change.after;
}

std::optional<Key> Pairing::keyOf(const Change& change)
{
    const Entry& entry = entryOf(change);
    if (entry.type == EntryType::Link) {
        return Key{gitdirOf(change.path), 0, 0, entry.target};
    }
    if (entry.size > m_budget) {
        return std::nullopt;
    }
    m_budget -= entry.size;
    const auto file
        = change.kind == Change::Kind::Deleted ? m_source.openBefore(change) : m_source.openAfter(change);
    const auto hash = file ? contentHash(*file) : Result<std::uint64_t>(fail(file.error()));
    return hash ? std::optional(Key{gitdirOf(change.path), entry.size, *hash, {}}) : std::nullopt;
}

/// Something that may be one half of a rename.
bool Pairing::isCandidate(const Change& change) const
{
    const Entry& entry = entryOf(change);
    const bool hasContent
        = entry.type == EntryType::Link || (entry.type == EntryType::File && entry.size != 0);
    return hasContent
        && (change.kind == Change::Kind::Added
            // A path that is there again, as something else, has not been moved away.
            || (change.kind == Change::Kind::Deleted && !m_made.contains(change.path)));
}

/// Only what has a size that occurs on both sides is read.
void Pairing::collect()
{
    for (const Change& change : m_changes) {
        if (change.kind == Change::Kind::Added) {
            m_made.insert(change.path);
        }
    }
    std::unordered_map<std::uint64_t, std::pair<bool, bool>> sides; // deleted, added
    for (std::size_t i = 0; i < m_changes.size(); ++i) {
        if (isCandidate(m_changes[i])) {
            auto& [isDeleted, isAdded] = sides[entryOf(m_changes[i]).size];
            (m_changes[i].kind == Change::Kind::Deleted ? isDeleted : isAdded) = true;
            m_candidates.push_back(i);
        }
    }
    for (const std::size_t i : m_candidates) {
        const Change& change = m_changes[i];
        if (sides[entryOf(change).size] != std::pair(true, true)) {
            continue;
        }
        if (auto key = keyOf(change)) {
            if (change.kind == Change::Kind::Deleted) {
                m_deleted[std::move(*key)].push_back(i);
            } else {
                m_added.emplace_back(std::move(*key), i);
            }
        }
    }
}

bool Pairing::isSame(const Change& deleted, const Change& added)
{
    if (deleted.before.type != added.after.type) {
        return false;
    }
    if (added.after.type == EntryType::Link) {
        return deleted.before.target == added.after.target;
    }
    const auto left = m_source.openBefore(deleted);
    const auto right = m_source.openAfter(added);
    return left && right && isEqualContent(*left, *right).value_or(false);
}

void Pairing::pair(std::vector<std::size_t>& deleted, std::size_t added)
{
    if (deleted.empty()) {
        return;
    }
    // The nearest few: a thousand empty modules may be the same file.
    const std::string_view name = nameOf(m_changes[added].path);
    const auto oldest
        = deleted.rbegin() + static_cast<std::ptrdiff_t>(std::min(deleted.size(), kMostCandidates));
    auto chosen = std::find_if(deleted.rbegin(), oldest, [&](std::size_t candidate) {
        return nameOf(m_changes[candidate].path) == name;
    });
    if (chosen == oldest) {
        chosen = deleted.rbegin();
    }
    if (!isSame(m_changes[*chosen], m_changes[added])) {
        return;
    }
    rename(*chosen, added);
    m_changes[added].isContentChanged = false;
    std::swap(*chosen, deleted.back());
    deleted.pop_back();
}

/// Two changes become one.
void Pairing::rename(std::size_t deleted, std::size_t added)
{
    Change& change = m_changes[added];
    change.kind = Change::Kind::Renamed;
    change.from = m_changes[deleted].path;
    change.before = m_changes[deleted].before;
    m_isTaken[deleted] = true;
}

void Pairing::pairSimilar()
{
    std::vector<std::size_t> deleted;
    std::vector<std::size_t> added;
    for (const std::size_t i : m_candidates) {
        const Change& change = m_changes[i];
        const bool isLeft = !m_isTaken[i] && change.kind != Change::Kind::Renamed;
        if (isLeft && entryOf(change).type == EntryType::File && gitdirOf(change.path).empty()) {
            (change.kind == Change::Kind::Deleted ? deleted : added).push_back(i);
        }
    }
    SimilarFiles similar(m_changes, m_source);
    for (std::size_t i = 0; i < m_changes.size(); ++i) {
        Change& change = m_changes[i];
        // That it was moved is known, where the move was seen.
        if (change.kind == Change::Kind::Renamed && change.isContentChanged) {
            change.similarity = similar.similarityWithin(i).value_or(0);
        }
    }
    for (const SimilarFiles::Pair& pair : similar.pair(std::move(deleted), std::move(added))) {
        rename(pair.deleted, pair.added);
        m_changes[pair.added].similarity = pair.similarity;
    }
}

void Pairing::run()
{
    collect();
    m_isTaken.resize(m_changes.size());
    for (const auto& [key, added] : m_added) {
        if (const auto found = m_deleted.find(key); found != m_deleted.end()) {
            pair(found->second, added);
        }
    }
    pairSimilar();
    std::size_t index = 0;
    std::erase_if(m_changes, [&](const Change&) { return m_isTaken[index++]; });
}

} // namespace

void pairRenames(std::vector<Change>& changes, ChangeSource& source)
{
    Pairing(changes, source).run();
}

RenameHalves halvesOf(const Change& renamed)
{
    const bool isOfContent = renamed.before.type != EntryType::Directory;
    return {{Change::Kind::Deleted, renamed.from, {}, renamed.before, {}, isOfContent},
            {Change::Kind::Added, renamed.path, {}, {}, renamed.after, isOfContent}};
}

void sortByPath(std::vector<Change>& changes)
{
    const auto isBefore = [](const Change& left, const Change& right) {
        const auto [one, other] = std::ranges::mismatch(left.path, right.path);
        if (one == left.path.end() || other == right.path.end()) {
            return left.path.size() != right.path.size()
                ? left.path.size() < right.path.size()
                : left.kind == Change::Kind::Deleted && right.kind != Change::Kind::Deleted;
        }
        // The slash comes before every other byte.
        const auto rank = [](char byte) { return byte == '/' ? 0 : 1 + static_cast<unsigned char>(byte); };
        return rank(*one) < rank(*other);
    };
    std::ranges::sort(changes, isBefore);
}

} // namespace revet::workspace
