// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/name_pattern.h"

#include "engine/policy/letter_case.h"

#include <algorithm>

namespace revet::policy {

namespace {

/// Means something else than itself.
constexpr bool isPatternByte(char byte)
{
    return byte == '*' || byte == '?' || byte == '[' || byte == '\\';
}

std::size_t indexOf(char byte)
{
    return static_cast<unsigned char>(byte);
}

} // namespace

Result<NamePattern> NamePattern::compile(std::string_view pattern, LetterCase letterCase)
{
    NamePattern compiled;
    compiled.m_letterCase = letterCase;
    compiled.m_isAnyDepth = pattern == "**";
    if (compiled.m_isAnyDepth) {
        return compiled;
    }
    const auto inCase = [letterCase](std::string_view text) {
        return letterCase == LetterCase::Folded ? lowered(text) : std::string(text);
    };
    if (!hasAnyOf(pattern, "*?[\\")) {
        compiled.m_prefix = inCase(pattern);
        return compiled;
    }
    const std::size_t star = pattern.find('*');
    if (star != std::string_view::npos && !hasAnyOf(pattern.substr(0, star), "?[\\")
        && std::ranges::none_of(pattern.substr(star + 1), isPatternByte)) {
        compiled.m_isOneStar = true;
        compiled.m_prefix = inCase(pattern.substr(0, star));
        compiled.m_suffix = inCase(pattern.substr(star + 1));
        return compiled;
    }
    const auto glob = std::make_shared<Glob>();
    glob->tokens.reserve(pattern.size());
    std::size_t position = 0;
    while (position < pattern.size()) {
        const char byte = pattern[position];
        if (byte == '[') {
            REVET_ASSIGN_OR_RETURN(position, glob->addSet(pattern, position, letterCase));
            continue;
        }
        ++position;
        if (byte == '?') {
            glob->tokens.push_back({Token::Kind::AnyByte});
            continue;
        }
        if (byte == '*') {
            // A row of stars means what one means, and one keeps the matching cheap.
            if (glob->tokens.empty() || glob->tokens.back().kind != Token::Kind::AnyRun) {
                glob->tokens.push_back({Token::Kind::AnyRun});
            }
            continue;
        }
        char literal = byte;
        if (byte == '\\') {
            if (position == pattern.size()) {
                return fail(ErrorCode::Malformed, "read a pattern that ends in a backslash");
            }
            literal = pattern[position++];
        }
        glob->tokens.push_back(
            {Token::Kind::Byte, letterCase == LetterCase::Folded ? lowered(literal) : literal});
    }
    compiled.takeLiteralEnds(*glob);
    const bool isLiteral = compiled.m_prefix.size() == glob->tokens.size();
    if (!isLiteral) {
        compiled.m_glob = glob;
    }
    return compiled;
}

Result<std::size_t> NamePattern::Glob::addSet(std::string_view pattern, std::size_t position,
                                              LetterCase letterCase)
{
    ++position;
    const bool isNegated
        = position < pattern.size() && (pattern[position] == '!' || pattern[position] == '^');
    if (isNegated) {
        ++position;
    }
    ByteSet bytes;
    bool isFirst = true;
    while (position < pattern.size() && (isFirst || pattern[position] != ']')) {
        isFirst = false;
        const std::size_t low = indexOf(pattern[position]);
        std::size_t high = low;
        const bool isRange
            = position + 2 < pattern.size() && pattern[position + 1] == '-' && pattern[position + 2] != ']';
        if (isRange) {
            high = indexOf(pattern[position + 2]);
        }
        if (high < low) {
            return fail(ErrorCode::Malformed, "read a pattern whose range runs backwards");
        }
        for (std::size_t value = low; value <= high; ++value) {
            const auto byte = static_cast<char>(value);
            bytes.set(letterCase == LetterCase::Folded ? indexOf(lowered(byte)) : value);
        }
        position += isRange ? 3 : 1;
    }
    if (position >= pattern.size()) {
        return fail(ErrorCode::Malformed, "read a pattern whose [ is never closed");
    }
    tokens.push_back({Token::Kind::Set, 0, static_cast<std::uint32_t>(sets.size())});
    sets.push_back(isNegated ? ~bytes : bytes);
    return position + 1;
}

bool NamePattern::isSame(std::string_view name, std::string_view literal) const
{
    return m_letterCase == LetterCase::Distinct
        ? name == literal
        : std::ranges::equal(name, literal, {}, [](char byte) { return lowered(byte); });
}

void NamePattern::takeLiteralEnds(const Glob& glob)
{
    const auto isWildcard = [](const Token& token) { return token.kind != Token::Kind::Byte; };
    const auto first = std::find_if(glob.tokens.begin(), glob.tokens.end(), isWildcard);
    for (auto token = glob.tokens.begin(); token != first; ++token) {
        m_prefix.push_back(token->byte);
    }
    const auto last = std::find_if(glob.tokens.rbegin(), glob.tokens.rend(), isWildcard).base();
    for (auto token = last; token != glob.tokens.end(); ++token) {
        m_suffix.push_back(token->byte);
    }
}

bool NamePattern::Glob::matchesOne(const Token& token, char byte) const
{
    switch (token.kind) {
    case Token::Kind::Byte:
        return token.byte == byte;
    case Token::Kind::AnyByte:
        return true;
    case Token::Kind::Set:
        return sets[token.set].test(indexOf(byte));
    case Token::Kind::AnyRun:
        return false;
    }
    return false;
}

bool NamePattern::matches(std::string_view name) const
{
    if (m_isAnyDepth) {
        return true;
    }
    if (m_isOneStar) {
        return name.size() >= m_prefix.size() + m_suffix.size()
            && isSame(name.substr(0, m_prefix.size()), m_prefix)
            && isSame(name.substr(name.size() - m_suffix.size()), m_suffix);
    }
    if (m_glob == nullptr) {
        return isSame(name, m_prefix);
    }
    if (m_letterCase == LetterCase::Distinct && !(name.starts_with(m_prefix) && name.ends_with(suffix()))) {
        return false;
    }
    const std::vector<Token>& tokens = m_glob->tokens;
    // One place to go back to is enough: what an earlier star could still take, the latest one can take too.
    std::size_t token = 0;
    std::size_t position = 0;
    std::size_t starToken = tokens.size();
    std::size_t starPosition = 0;
    while (position < name.size()) {
        const char byte = m_letterCase == LetterCase::Folded ? lowered(name[position]) : name[position];
        if (token < tokens.size() && tokens[token].kind == Token::Kind::AnyRun) {
            starToken = token++;
            starPosition = position;
            continue;
        }
        if (token < tokens.size() && m_glob->matchesOne(tokens[token], byte)) {
            ++token;
            ++position;
            continue;
        }
        if (starToken == tokens.size()) {
            return false;
        }
        token = starToken + 1;
        position = ++starPosition;
    }
    while (token < tokens.size() && tokens[token].kind == Token::Kind::AnyRun) {
        ++token;
    }
    return token == tokens.size();
}

NameText::NameText(std::string_view pattern)
    : m_text(pattern)
    , m_prefix(static_cast<std::size_t>(std::ranges::find_if(pattern, isPatternByte) - pattern.begin()))
    , m_suffix(m_prefix == pattern.size() ? 0 : pattern.size())
{
    if (m_prefix == pattern.size()) {
        return;
    }
    const bool isOneStar
        = pattern[m_prefix] == '*' && std::ranges::none_of(pattern.substr(m_prefix + 1), isPatternByte);
    m_form = isOneStar ? Form::OneStar : pattern == "**" ? Form::AnyDepth : Form::Special;
    if (isOneStar) {
        m_suffix = m_prefix + 1;
    }
}

bool NameText::matches(std::string_view name) const
{
    switch (m_form) {
    case Form::Literal:
        return name == m_text;
    case Form::OneStar:
        return name.size() >= m_text.size() - 1 && name.starts_with(prefix()) && name.ends_with(suffix());
    case Form::AnyDepth:
        return true;
    case Form::Special: {
        const auto compiled = NamePattern::compile(m_text);
        return !compiled || compiled->matches(name);
    }
    }
    return true;
}

} // namespace revet::policy
