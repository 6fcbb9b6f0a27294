// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>

namespace revet::workspace {

/// What comes of one text that was changed twice.
struct TextMerge
{
    std::string bytes; ///< with git's marks where both changed the same lines
    bool isClean = false; ///< no such place
};
/// Three-way, as git merges. Refused where one of the three is no text.
[[nodiscard]] Result<TextMerge> mergeTexts(std::string_view base, std::string_view host,
                                           std::string_view session);

} // namespace revet::workspace
