// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/byte_text.h"

#include <utf8proc.h>

#include <sodium/utils.h>

namespace revet {

CodePoint firstCodePoint(std::string_view bytes)
{
    std::int32_t value = -1;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const auto* const start = reinterpret_cast<const utf8proc_uint8_t*>(bytes.data());
    const utf8proc_ssize_t size
        = utf8proc_iterate(start, static_cast<utf8proc_ssize_t>(bytes.size()), &value);
    if (size <= 0) {
        return {};
    }
    return {value, static_cast<std::size_t>(size)};
}

bool isUtf8(std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto first = static_cast<unsigned char>(bytes.front());
        const CodePoint point = first < 0x80 ? CodePoint{first, 1} : firstCodePoint(bytes);
        if (point.value < 0) {
            return false;
        }
        bytes.remove_prefix(point.size);
    }
    return true;
}

std::string toBase64(std::string_view bytes)
{
    constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
    std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
    sodium_bin2base64(text.data(), text.size(), data, bytes.size(), kVariant);
    text.pop_back(); // the terminating NUL
    return text;
}

} // namespace revet
