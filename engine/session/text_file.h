// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace revet::session {

/// The text of a file of at most 1 MiB.
[[nodiscard]] Result<std::string> readText(const std::filesystem::path& file);

/// Replaces a file of ours (mode 0600) as a whole: a reader sees the old text or the new one. Its directory
/// must exist.
[[nodiscard]] Result<void> replaceFile(const std::filesystem::path& file, std::string_view text);

} // namespace revet::session
