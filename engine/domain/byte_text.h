// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace revet {

struct CodePoint
{
    std::int32_t value = -1; ///< -1 for a byte that is not part of UTF-8
    std::size_t size = 1; ///< in bytes
};
/// The first code point of `bytes`, which may not be empty. RFC 3629: no surrogates, no overlong forms.
[[nodiscard]] CodePoint firstCodePoint(std::string_view bytes);

[[nodiscard]] bool isUtf8(std::string_view bytes);

/// RFC 4648 with padding: how bytes that are no UTF-8 travel in JSON.
[[nodiscard]] std::string toBase64(std::string_view bytes);

} // namespace revet
