// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

enum class LetterCase : std::uint8_t {
    Distinct, ///< bytes as they are
    Folded, ///< ASCII letters alike, as on vfat and other folding file systems
};

/// text.find_first_of(bytes) != npos; that calls a function for every byte, and patterns are compiled at
/// every start.
[[nodiscard]] constexpr bool hasAnyOf(std::string_view text, std::string_view bytes)
{
    for (const char byte : text) {
        for (const char wanted : bytes) {
            if (byte == wanted) {
                return true;
            }
        }
    }
    return false;
}

/// A glob for one name: "*", "?", "[a-z]", "[!a-z]", "\x" for x itself. Works on bytes, so "?" is one byte.
/// Also used for variable names and hosts. Matching takes at most (pattern × name) steps. Immutable.
class NamePattern
{
public:
    [[nodiscard]] static Result<NamePattern> compile(std::string_view pattern,
                                                     LetterCase letterCase = LetterCase::Distinct);
    [[nodiscard]] bool matches(std::string_view name) const;
    /// Whether it is "**", which only a path gives a meaning to.
    [[nodiscard]] bool isAnyDepth() const { return m_isAnyDepth; }
    /// Whether it has no wildcard: then prefix() is the whole name.
    [[nodiscard]] bool isLiteral() const { return m_glob == nullptr && !m_isAnyDepth; }
    /// The bytes before the first wildcard; every matching name begins with them.
    [[nodiscard]] const std::string& prefix() const { return m_prefix; }
    /// The bytes after the last wildcard; every matching name ends with them.
    [[nodiscard]] const std::string& suffix() const { return m_glob == nullptr ? m_prefix : m_glob->suffix; }

private:
    struct Token
    {
        enum class Kind : std::uint8_t { Byte, AnyByte, AnyRun, Set };
        Kind kind = Kind::Byte;
        char byte = 0;
        std::uint32_t set = 0; ///< index into Glob::sets
    };
    using ByteSet = std::bitset<256>;
    struct Glob
    {
        std::vector<Token> tokens;
        std::vector<ByteSet> sets;
        std::string suffix;

        /// Reads a set whose "[" is at `position`; gives the position after its "]".
        [[nodiscard]] Result<std::size_t> addSet(std::string_view pattern, std::size_t position,
                                                 LetterCase letterCase);
        [[nodiscard]] bool matchesOne(const Token& token, char byte) const;
    };

    void takeLiteralEnds(Glob& glob);

    std::string m_prefix;
    /// Neither for a literal nor for "**": most patterns are one of these, and they are compiled at every
    /// start.
    std::shared_ptr<const Glob> m_glob;
    LetterCase m_letterCase = LetterCase::Distinct;
    bool m_isAnyDepth = false;
};

} // namespace revet::policy
