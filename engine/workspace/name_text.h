// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace revet::workspace {

struct TextTraits
{
    bool hasControl = false;
    bool hasInvisible = false; ///< what displayEscape() would write as an escape
    bool isUtf8 = true;
};
[[nodiscard]] TextTraits traitsOf(std::string_view text);

/// The same for names that a file system without letter case, or one that ignores what is not seen, takes for
/// one. Bytes that are no UTF-8 stay.
[[nodiscard]] std::string foldedName(std::string_view name);

} // namespace revet::workspace
