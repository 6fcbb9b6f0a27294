// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/shown_change.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace revet::supervisor {

namespace {

constexpr std::size_t kMaximumShown = std::size_t{8} * 1024;

/// With their ends, so that nothing is lost.
std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

void add(std::string& text, char sign, std::string_view line)
{
    const bool isWhole = line.ends_with('\n');
    text += '\n';
    text += sign;
    text += line.substr(0, line.size() - (isWhole ? 1 : 0));
    text += isWhole ? "" : "\n (no end of line)"; // no line of the file begins with a blank here
}

} // namespace

std::optional<std::string> shownChange(std::string_view before, std::string_view after)
{
    const std::vector<std::string_view> old = linesOf(before);
    const std::vector<std::string_view> fresh = linesOf(after);
    const auto [oldFirst, freshFirst] = std::ranges::mismatch(old, fresh);
    auto oldEnd = old.end();
    auto freshEnd = fresh.end();
    while (oldEnd != oldFirst && freshEnd != freshFirst && *std::prev(oldEnd) == *std::prev(freshEnd)) {
        --oldEnd;
        --freshEnd;
    }
    std::string text = before.empty()
        ? "it is to be"
        : "of it is to change, after line " + std::to_string(oldFirst - old.begin());
    std::for_each(oldFirst, oldEnd, [&text](std::string_view line) { add(text, '-', line); });
    std::for_each(freshFirst, freshEnd, [&text](std::string_view line) { add(text, '+', line); });
    return text.size() <= kMaximumShown ? std::optional(std::move(text)) : std::nullopt;
}

} // namespace revet::supervisor
