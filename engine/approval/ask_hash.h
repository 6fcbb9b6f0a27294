// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/ask.h"

#include <string>
#include <vector>

namespace revet::approval {

/// SHA-256 in hex over everything that an ask says, but for the deadline. Who answers quotes it, so that an
/// answer is about what was shown and nothing else.
[[nodiscard]] std::string hashOf(const Ask& ask);

/// The programs of a chain in one text, for telling whether two asks are the same: "/usr/bin/make >
/// /usr/bin/curl".
[[nodiscard]] std::string chainOf(const std::vector<AskProcess>& chain);

} // namespace revet::approval
