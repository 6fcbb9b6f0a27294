// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/path_pattern.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace revet::policy {

std::vector<std::string_view> pathComponents(std::string_view path)
{
    std::vector<std::string_view> components;
    components.reserve(static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) + 1);
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        const std::string_view component = path.substr(0, end);
        if (!component.empty() && component != ".") {
            components.push_back(component);
        }
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return components;
}

namespace {

template<typename Name>
ComponentMatch matchRow(std::span<const Name> patterns, std::span<const std::string_view> components)
{
    // The patterns are walked as an automaton: bit n of `states` says that the first n patterns are used up.
    // "**" keeps its bit and, unless it is the last one, lets the next pattern begin at once.
    const std::size_t count = std::min(patterns.size(), kMaximumPatternComponents);
    const std::uint64_t end = std::uint64_t{1} << count;
    const auto withSkips = [&](std::uint64_t states) {
        for (std::size_t i = 0; i + 1 < count; ++i) {
            if ((states >> i & 1U) != 0 && patterns[i].isAnyDepth()) {
                states |= std::uint64_t{1} << (i + 1);
            }
        }
        return states;
    };
    ComponentMatch match;
    std::uint64_t states = withSkips(1);
    for (const std::string_view component : components) {
        match.isBelow = match.isBelow || (states & end) != 0;
        std::uint64_t next = 0;
        for (std::uint64_t left = states & (end - 1); left != 0; left &= left - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(left));
            if (patterns[i].isAnyDepth()) {
                next |= std::uint64_t{1} << i;
                next |= i + 1 == count ? end : 0;
            } else if (patterns[i].matches(component)) {
                next |= std::uint64_t{1} << (i + 1);
            }
        }
        states = withSkips(next);
        if (states == 0) {
            break;
        }
    }
    match.isWhole = (states & end) != 0;
    match.canContinue = (states & (end - 1)) != 0;
    return match;
}

} // namespace

ComponentMatch matchComponents(std::span<const NamePattern> patterns,
                               std::span<const std::string_view> components)
{
    return matchRow(patterns, components);
}

ComponentMatch matchComponents(std::span<const NameText> patterns,
                               std::span<const std::string_view> components)
{
    return matchRow(patterns, components);
}

Result<PathPattern> PathPattern::compile(std::string_view pattern, LetterCase letterCase)
{
    if (pattern.empty() || pattern.size() > kMaximumLength) {
        return fail(ErrorCode::Malformed, "read a pattern that is empty or longer than 1024 bytes");
    }
    REVET_ASSIGN_OR_RETURN(const auto expanded, expandBraces(pattern, kMaximumAlternatives));
    PathPattern compiled;
    compiled.m_text = pattern;
    compiled.m_alternatives.reserve(expanded.size());
    for (const std::string& text : expanded) {
        Alternative alternative;
        alternative.isAbsolute = text.starts_with('/');
        const std::vector<std::string_view> components = pathComponents(text);
        alternative.components.reserve(components.size());
        for (const std::string_view component : components) {
            REVET_ASSIGN_OR_RETURN(auto name, NamePattern::compile(component, letterCase));
            alternative.components.push_back(std::move(name));
        }
        if (alternative.components.empty() || alternative.components.size() > kMaximumPatternComponents) {
            return fail(ErrorCode::Malformed, "read a pattern with no component or more than 63");
        }
        compiled.m_alternatives.push_back(std::move(alternative));
    }
    return compiled;
}

bool PathPattern::matches(std::string_view path) const
{
    const std::vector<std::string_view> components = pathComponents(path);
    return std::any_of(m_alternatives.begin(), m_alternatives.end(), [&](const Alternative& alternative) {
        return alternative.isAbsolute == path.starts_with('/')
            && matchComponents(alternative.components, components).isWhole;
    });
}

bool PathPattern::covers(std::string_view path) const
{
    const std::vector<std::string_view> components = pathComponents(path);
    return std::any_of(m_alternatives.begin(), m_alternatives.end(), [&](const Alternative& alternative) {
        if (alternative.isAbsolute != path.starts_with('/')) {
            return false;
        }
        const ComponentMatch match = matchComponents(alternative.components, components);
        return match.isWhole || match.isBelow;
    });
}

namespace {

/// Where the brace group that opens at `open` closes, and its commas; npos when it never does.
struct BraceGroup
{
    std::vector<std::size_t> commas;
    std::size_t close = std::string::npos;
};

BraceGroup findGroup(std::string_view text, std::size_t open)
{
    BraceGroup group;
    std::size_t depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '{') {
            ++depth;
        } else if (text[i] == ',' && depth == 1) {
            group.commas.push_back(i);
        } else if (text[i] == '}' && --depth == 0) {
            group.close = i;
            return group;
        }
    }
    return group;
}

std::size_t findBrace(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '{' || text[i] == '}') {
            return i;
        }
    }
    return std::string_view::npos;
}

} // namespace

Result<std::vector<std::string>> expandBraces(std::string_view pattern, std::size_t maximum)
{
    std::vector<std::string> done;
    std::vector<std::string> open = {std::string(pattern)};
    if (!hasAnyOf(pattern, "{}")) {
        return open;
    }
    while (!open.empty()) {
        std::string text = std::move(open.back());
        open.pop_back();
        const std::size_t brace = findBrace(text);
        if (brace == std::string::npos) {
            done.push_back(std::move(text));
        } else {
            const BraceGroup group = findGroup(text, brace);
            if (text[brace] == '}' || group.close == std::string::npos) {
                return fail(ErrorCode::Malformed, "read a pattern with unbalanced braces");
            }
            // Last choice first: the stack hands them out in the order they were written.
            std::size_t end = group.close;
            for (std::size_t i = group.commas.size() + 1; i-- > 0;) {
                const std::size_t begin = (i == 0 ? brace : group.commas[i - 1]) + 1;
                open.push_back(text.substr(0, brace) + text.substr(begin, end - begin)
                               + text.substr(group.close + 1));
                end = begin - 1;
            }
        }
        if (done.size() + open.size() > maximum) {
            return fail(ErrorCode::LimitExceeded, "expand the braces of a pattern into too many");
        }
    }
    return done;
}

} // namespace revet::policy
