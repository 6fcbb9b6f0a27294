// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/run_later.h"

#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// What that runs code differs between two contents of a checked file: keys ("scripts.test"), names of
/// variables, lines. Empty: nothing that runs code changed. A content that cannot be read as its format says
/// counts as a whole, as every change does for the format "any". Bytes of the box, shortened.
[[nodiscard]] std::vector<std::string> changedKeys(const RunLaterTable::Check& check, std::string_view before,
                                                   std::string_view after);

} // namespace revet::policy
