// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/name_text.h"

#include "engine/domain/byte_text.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace revet::workspace {

namespace {

struct FreeDeleter
{
    // utf8proc_map() hands over memory of malloc().
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc)
    void operator()(void* memory) const { std::free(memory); }
};

bool isAscii(std::string_view text)
{
    return std::ranges::all_of(text, [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

char lowered(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

} // namespace

TextTraits traitsOf(std::string_view text)
{
    TextTraits traits;
    const auto isControl = [](char character) {
        const auto byte = static_cast<unsigned char>(character);
        return byte < 0x20 || byte == 0x7f;
    };
    traits.hasControl = std::ranges::any_of(text, isControl);
    if (isAscii(text)) {
        return traits;
    }
    const std::string escaped = displayEscape(text);
    traits.hasInvisible = escaped.find("\\u{") != std::string::npos;
    while (!text.empty()) {
        const CodePoint point = firstCodePoint(text);
        if (point.value < 0) {
            traits.isUtf8 = false;
            break;
        }
        traits.hasControl = traits.hasControl || (point.value >= 0x80 && point.value < 0xa0);
        text.remove_prefix(point.size);
    }
    return traits;
}

std::string foldedName(std::string_view name)
{
    std::string folded(name);
    if (!isAscii(name)) {
        utf8proc_uint8_t* mapped = nullptr;
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(name.data());
        const auto options = static_cast<utf8proc_option_t>(
            UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
        const utf8proc_ssize_t size
            = utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(name.size()), &mapped, options);
        const std::unique_ptr<utf8proc_uint8_t, FreeDeleter> owned(mapped);
        if (size >= 0) {
            folded.assign(mapped, mapped + size);
        }
    }
    std::ranges::transform(folded, folded.begin(), lowered);
    return folded;
}

} // namespace revet::workspace
