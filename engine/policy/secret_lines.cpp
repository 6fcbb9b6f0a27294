// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/secret_lines.h"

#include "engine/policy/letter_case.h"
#include "engine/policy/text_lines.h"

#include <algorithm>
#include <array>

namespace revet::policy {

namespace {

constexpr std::array<std::string_view, 8> kWords{"token", "passw",  "secret", "credential",
                                                 "auth",  "cookie", "key",    "@"};

bool mayHoldSecret(std::string_view line)
{
    const std::string small = lowered(line);
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
    forEachLine(text, [&kept](std::string_view line) {
        if (!mayHoldSecret(line)) {
            kept.append(line).append("\n");
        }
    });
    return kept;
}

} // namespace revet::policy
