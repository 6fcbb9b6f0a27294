// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace revet::policy {

/// Whether a text may name a profile: small letters, digits, dashes.
[[nodiscard]] bool isProfileName(std::string_view text);
/// Whether a text is "/…" or "~/…", without ".." components and control bytes.
[[nodiscard]] bool isPlainPath(std::string_view text);

/// "512M" in bytes: a number with K, M or G (powers of 1024). A bare number is refused, 0 too.
[[nodiscard]] Result<std::uint64_t> parseSize(std::string_view text);
/// The shortest text that parseSize() and parseDuration() read back as the same; sizes are whole KiB.
[[nodiscard]] std::string formatSize(std::uint64_t bytes);
[[nodiscard]] std::string formatDuration(std::chrono::seconds duration);

} // namespace revet::policy
