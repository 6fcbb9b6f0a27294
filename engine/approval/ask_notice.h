// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/ask.h"

#include <cstddef>
#include <string>

namespace revet::approval {

/// The program that asks, quoted and short.
[[nodiscard]] std::string askerOf(const Ask& ask);

/// What a yes would let it do: "connect to example.org:443". The target is quoted, of so many columns.
[[nodiscard]] std::string wishOf(const Ask& ask, std::size_t columns);

/// The line that tells a person of an ask. What the box chose of it is the target, in front, and the
/// program's path, quoted, shortened and at the end, so that it can neither be taken for our words nor push
/// them out of sight.
[[nodiscard]] std::string noticeOf(const Ask& ask);

} // namespace revet::approval
