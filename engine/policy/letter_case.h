// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace revet::policy {

/// ASCII only, whatever the locale: other bytes stay as they are.
[[nodiscard]] constexpr char lowered(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

[[nodiscard]] inline std::string lowered(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](char byte) { return lowered(byte); });
    return result;
}

} // namespace revet::policy
