// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/pre_image_record.h"

#include <functional>
#include <span>
#include <string_view>

namespace revet::workspace {

/// Boxes leave directories that nobody may look into without the capability of os::enterUserNamespace().
enum class Unreadable : std::uint8_t { Fails, PassedOver };

/// The records that end a manifest: Left for what is at each path that was touched and below new and moved
/// directories, then Sealed. Of build output, and of what isTooDeep(), only the top is told.
[[nodiscard]] Result<std::string>
describeLeftBehind(const std::string& root, std::span<const PreImageRecord> records,
                   const std::function<bool(std::string_view)>& isBuildOutput, Unreadable unreadable);

/// Ends the manifest of a session that was killed, or that could not look everywhere. Without effect where
/// there is none, or it has its end.
[[nodiscard]] Result<void> sealLeftManifest(const std::filesystem::path& directory, Unreadable unreadable);

} // namespace revet::workspace
