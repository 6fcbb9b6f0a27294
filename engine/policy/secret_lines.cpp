// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/secret_lines.h"

#include <algorithm>
#include <array>

namespace revet::policy {

namespace {

constexpr std::array<std::string_view, 8> kWords{"token", "passw",  "secret", "credential",
                                                 "auth",  "cookie", "key",    "@"};

bool mayHoldSecret(std::string_view line)
{
    std::string small(line);
    std::ranges::transform(small, small.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    return std::ranges::any_of(
        kWords, [&small](std::string_view word) { return small.find(word) != std::string::npos; });
}

} // namespace

std::string withoutSecretLines(std::string_view text)
{
    std::string kept;
    if (text.find("\"\"\"") != std::string_view::npos || text.find("'''") != std::string_view::npos) {
        return kept;
    }
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (!mayHoldSecret(text.substr(0, end))) {
            kept.append(text.substr(0, end)).append("\n");
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return kept;
}

} // namespace revet::policy
