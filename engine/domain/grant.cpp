// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/grant.h"

#include <charconv>

namespace revet {

Result<std::int64_t> parseGrantName(std::string_view text)
{
    std::int64_t id = 0;
    const std::string_view digits = text.substr(text.starts_with('g') ? 1 : 0);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (problem != std::errc{} || end != digits.data() + digits.size() || id < 1) {
        return fail(ErrorCode::InvalidArgument, "read the name of a grant",
                    "it looks like g7; `revet grants` lists them");
    }
    return id;
}

} // namespace revet
