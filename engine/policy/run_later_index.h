// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/path_pattern.h"
#include "engine/policy/run_later.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace revet::policy {

/// The patterns, found by their first component: this is asked on every changing call of a box, and nearly
/// every path has no component that begins a pattern.
class RunLaterTable::Index
{
public:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    struct Entry
    {
        RunLaterClass cls = RunLaterClass::Shown;
        std::string group;
        Check check;
        std::vector<PathPattern> exceptions;
    };
    /// One way to spell one pattern of an entry.
    struct Pattern
    {
        std::uint32_t entry = 0; ///< as add() was told
        std::uint32_t next = kNone; ///< the next one that begins alike
        bool isRooted = false; ///< began with a slash: at the root of a repository only
        bool isEverywhere = false; ///< below directories of dependencies as well
        std::string text; ///< as the table has it
        std::vector<NamePattern> names;
    };

    /// Relative to the project: its directory counts as a root.
    void addRepository(const std::string& directory) { m_repositories.insert(directory); }
    void addDependencyDirectory(const std::string& name);
    void add(Entry entry, std::vector<Pattern> patterns);
    /// Of a repository's own directory; they have no entry.
    void addInGitdirs(std::vector<Pattern> patterns) { m_inGitdirs = std::move(patterns); }

    [[nodiscard]] const Entry& entryOf(const Pattern& pattern) const { return m_entries[pattern.entry]; }
    /// The pattern that a path falls under, of the strictest class; nullptr for none.
    [[nodiscard]] const Pattern* strictest(std::string_view relative) const;
    [[nodiscard]] const Pattern* inGitdir(std::string_view inside) const;
    [[nodiscard]] bool couldHoldPinned(std::string_view relativeDirectory) const;
    [[nodiscard]] bool isDependencyDirectory(std::string_view name) const;

private:
    struct TextHash
    {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    /// Says of most texts that are not in a set that they are not, by first byte and length, without hashing.
    class Sieve
    {
    public:
        void add(std::string_view text) { m_lengths[firstOf(text)] |= bitOf(text); }
        [[nodiscard]] bool mayHold(std::string_view text) const
        {
            return (m_lengths[firstOf(text)] & bitOf(text)) != 0;
        }

    private:
        static std::size_t firstOf(std::string_view text)
        {
            return text.empty() ? 0 : static_cast<unsigned char>(text.front());
        }
        static std::uint64_t bitOf(std::string_view text) { return std::uint64_t{1} << (text.size() & 63U); }

        std::array<std::uint64_t, 256> m_lengths{};
    };
    /// Of patterns that begin alike, in the order in which they came.
    struct Row
    {
        std::uint32_t first = kNone;
        std::uint32_t last = kNone;
    };
    using Rows = std::unordered_map<std::string, Row, TextHash, std::equal_to<>>;

    void add(Pattern pattern);
    template<typename Visit>
    void visitRow(const Row& row, Visit visit) const;
    template<typename Visit>
    void visitCandidates(std::string_view component, Visit visit) const;
    template<typename Visit>
    void visitBeginnings(std::string_view relative, Visit visit) const;

    std::vector<Entry> m_entries;
    std::vector<Pattern> m_patterns;
    std::vector<Pattern> m_inGitdirs;
    bool m_hasEverywhere = false;
    Rows m_byName; ///< the first component is a plain name
    Rows m_byEnding; ///< "*.service": by what follows the last dot
    std::array<Row, 256> m_byBeginning; ///< "Dockerfile*": by its first two bytes
    Row m_others;
    std::unordered_set<std::string, TextHash, std::equal_to<>> m_dependencyDirectories;
    std::unordered_set<std::string, TextHash, std::equal_to<>> m_repositories;
    Sieve m_names; ///< of m_byName and m_dependencyDirectories
    Sieve m_endings; ///< of m_byEnding
};

} // namespace revet::policy
