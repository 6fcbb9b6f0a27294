// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/path_pattern.h"
#include "engine/policy/run_later.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace revet::policy {

/// The patterns, found by their first component: this is asked on every changing call of a box, and nearly
/// every path has no component that begins a pattern. A start reads all of them and tries few, so they are
/// kept as texts.
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
    /// A part of m_texts.
    struct Text
    {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
    };
    /// One way to spell one pattern of an entry.
    struct Pattern
    {
        std::uint32_t entry = kNone;
        std::uint32_t next = kNone; ///< the next one that begins alike
        Text text; ///< as the table has it
        Text spelled; ///< its components, each behind the last one and a slash
        bool isRooted = false; ///< began with a slash: at the root of a repository only
        bool isEverywhere = false; ///< below directories of dependencies as well
    };

    /// Relative to the project: its directory counts as a root.
    void addRepository(const std::string& directory) { m_repositories.insert(directory); }
    void addDependencyDirectory(const std::string& name);
    [[nodiscard]] std::uint32_t addEntry(Entry entry);
    [[nodiscard]] Text addText(std::string_view text);
    /// Of an entry; its texts have been added.
    void add(Pattern pattern);
    /// Of a repository's own directory; these have no entry.
    void addInGitdir(const Pattern& pattern) { m_inGitdirs.push_back(pattern); }

    /// All but what a project adds; read() takes it, into an index that has nothing yet.
    [[nodiscard]] std::string compiled() const;
    /// Total decoding: any bytes either decode, or fail as Malformed.
    [[nodiscard]] Result<void> read(std::string_view bytes);

    [[nodiscard]] const Entry& entryOf(const Pattern& pattern) const { return m_entries[pattern.entry]; }
    [[nodiscard]] std::string_view bytesOf(const Text& text) const
    {
        return std::string_view(m_texts).substr(text.begin, text.size);
    }
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
    /// By a hash of how they begin: a row may hold others as well.
    using Rows = std::array<Row, 512>;

    static Row& rowOf(Rows& rows, std::string_view text) { return rows[TextHash{}(text) % rows.size()]; }
    static const Row& rowOf(const Rows& rows, std::string_view text)
    {
        return rows[TextHash{}(text) % rows.size()];
    }
    [[nodiscard]] NameText firstNameOf(const Pattern& pattern) const;
    [[nodiscard]] ComponentMatch matched(const Pattern& pattern,
                                         std::span<const std::string_view> components) const;
    template<typename Visit>
    void visitRow(const Row& row, std::string_view component, Visit visit) const;
    template<typename Visit>
    void visitCandidates(std::string_view component, Visit visit) const;
    template<typename Visit>
    void visitBeginnings(std::string_view relative, Visit visit) const;

    std::vector<Entry> m_entries;
    std::string m_texts;
    std::vector<Pattern> m_patterns;
    std::vector<Pattern> m_inGitdirs;
    bool m_hasEverywhere = false;
    Rows m_byName; ///< the first component is a plain name
    Rows m_byEnding; ///< "*.service": by what follows the last dot
    Rows m_byBeginning; ///< "Dockerfile*": by its first two bytes
    Row m_others;
    std::unordered_set<std::string, TextHash, std::equal_to<>> m_dependencyDirectories;
    std::unordered_set<std::string, TextHash, std::equal_to<>> m_repositories;
    Sieve m_names; ///< of m_byName and m_dependencyDirectories
    Sieve m_endings; ///< of m_byEnding
};

[[nodiscard]] bool isCompiledRunLater(std::string_view bytes);

} // namespace revet::policy
