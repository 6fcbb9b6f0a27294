// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"

#include <cstdint>
#include <string>
#include <string_view>

// Values as people and shells read them.
namespace revet::cli {

/// As a shell says it: the command's status, or 128 + the signal's number.
[[nodiscard]] int shellStatus(std::int32_t waitStatus);
/// "exit 1", "signal 9 (Killed)".
[[nodiscard]] std::string describeStatus(std::int32_t waitStatus);
/// Local time of day with milliseconds.
[[nodiscard]] std::string timeOfDay(WallTime time);
/// "12s", "5m", "3h", "9d".
[[nodiscard]] std::string ageOf(WallTime time);
/// The last part of a path.
[[nodiscard]] std::string_view lastPart(std::string_view path);

} // namespace revet::cli
