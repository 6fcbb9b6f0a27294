// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/policy/name_pattern.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// A glob for whole paths, compiled: "src/**/*.cpp", "/etc/ssl/{certs,private}/*". Components are matched one
/// by one, so no wildcard but "**" crosses a slash; "**" stands for any number of components, also none, but
/// at the end for at least one. Braces may nest and are expanded when compiled, at most kMaximumAlternatives.
/// An absolute pattern matches absolute paths only, a relative one relative paths only. Repeated and trailing
/// slashes and "." components do not count; ".." is a name like any other. Time is bounded by
/// (pattern times path) for every input. Immutable, thread-safe.
class PathPattern
{
public:
    static constexpr std::size_t kMaximumLength = 1024;
    static constexpr std::size_t kMaximumAlternatives = 256;

    [[nodiscard]] static Result<PathPattern> compile(std::string_view pattern,
                                                     LetterCase letterCase = LetterCase::Distinct);
    [[nodiscard]] bool matches(std::string_view path) const;
    /// Whether the path itself or one of the directories above it matches.
    [[nodiscard]] bool covers(std::string_view path) const;
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    struct Alternative
    {
        bool isAbsolute = false;
        std::vector<NamePattern> components;
    };
    std::string m_text;
    std::vector<Alternative> m_alternatives;
};

/// Cuts a path at its slashes; empty and "." components are left out.
[[nodiscard]] std::vector<std::string_view> pathComponents(std::string_view path);

/// How a row of components stands to a row of patterns, of which "**" takes any number of components.
struct ComponentMatch
{
    bool isWhole = false; ///< the components match
    bool isBelow = false; ///< fewer of them, from the first on, match already
    bool canContinue = false; ///< more components could make it match
};
[[nodiscard]] ComponentMatch matchComponents(std::span<const NamePattern> patterns,
                                             std::span<const std::string_view> components);
[[nodiscard]] ComponentMatch matchComponents(std::span<const NameText> patterns,
                                             std::span<const std::string_view> components);
inline constexpr std::size_t kMaximumPatternComponents = 63;

/// "a{b,c{d,e}}" -> "ab", "acd", "ace". Fails on unbalanced braces and on more than `maximum` results.
[[nodiscard]] Result<std::vector<std::string>> expandBraces(std::string_view pattern, std::size_t maximum);

} // namespace revet::policy
