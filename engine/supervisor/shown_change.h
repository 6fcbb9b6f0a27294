// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace revet::supervisor {

/// How a file becomes another one, in lines for a person: what stays at both ends is left out, and nothing
/// else is. None where that is more than somebody would read. Two changes of the same file with the same text
/// are the same. `before` is empty for a new file.
[[nodiscard]] std::optional<std::string> shownChange(std::string_view before, std::string_view after);

} // namespace revet::supervisor
