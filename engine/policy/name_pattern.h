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
    [[nodiscard]] bool isLiteral() const { return m_glob == nullptr && !m_isAnyDepth && !m_isOneStar; }
    /// The bytes before the first wildcard; every matching name begins with them.
    [[nodiscard]] const std::string& prefix() const { return m_prefix; }
    /// The bytes after the last wildcard; every matching name ends with them.
    [[nodiscard]] const std::string& suffix() const { return isLiteral() ? m_prefix : m_suffix; }

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

        /// Reads a set whose "[" is at `position`; gives the position after its "]".
        [[nodiscard]] Result<std::size_t> addSet(std::string_view pattern, std::size_t position,
                                                 LetterCase letterCase);
        [[nodiscard]] bool matchesOne(const Token& token, char byte) const;
    };

    void takeLiteralEnds(const Glob& glob);
    [[nodiscard]] bool isSame(std::string_view name, std::string_view literal) const;

    std::string m_prefix;
    std::string m_suffix;
    /// None for a literal, for "**" and where one star is the only wildcard: most patterns are one of these,
    /// and they are compiled at every start.
    std::shared_ptr<const Glob> m_glob;
    LetterCase m_letterCase = LetterCase::Distinct;
    bool m_isAnyDepth = false;
    bool m_isOneStar = false;
};

/// The same of a text that outlives it, for tables of which few patterns are ever tried: nothing is compiled
/// until matches() has to, and the usual forms, "name" and "*.ending", never are. The text has to be one that
/// NamePattern::compile() takes; any other matches everything. Distinct case.
class NameText
{
public:
    explicit NameText(std::string_view pattern);
    [[nodiscard]] bool matches(std::string_view name) const;
    [[nodiscard]] bool isAnyDepth() const { return m_form == Form::AnyDepth; }
    /// Has no wildcard and no backslash.
    [[nodiscard]] bool isLiteral() const { return m_form == Form::Literal; }
    /// Has to be compiled to be tried.
    [[nodiscard]] bool isSpecial() const { return m_form == Form::Special; }
    /// Every matching name begins with these bytes.
    [[nodiscard]] std::string_view prefix() const { return m_text.substr(0, m_prefix); }
    /// Every matching name ends with these.
    [[nodiscard]] std::string_view suffix() const { return m_text.substr(m_suffix); }

private:
    enum class Form : std::uint8_t { Literal, OneStar, AnyDepth, Special };

    std::string_view m_text;
    std::size_t m_prefix; ///< its length
    std::size_t m_suffix; ///< where it begins
    Form m_form = Form::Literal;
};

} // namespace revet::policy
