// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/workspace/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// Records of what is done to a root of a session (0: the project) at `path`. They are in the session's own
/// directory, and so are their objects where that is on the root's mount; else these are in .revet-UID at the
/// top of that mount, or, for as long as something is done, in the root's own.
[[nodiscard]] Result<workspace::RecordStore> openRootRecords(const Places& places, const SessionId& id,
                                                             std::size_t root, const std::string& path);
/// Records of what was discarded of a session's layer, with the session's directory as their tree.
[[nodiscard]] std::filesystem::path discardsOf(const Places& places, const SessionId& id);
[[nodiscard]] Result<workspace::RecordStore> openDiscardRecords(const Places& places, const SessionId& id);
/// Where a session's records are, each root's; those that there are.
[[nodiscard]] std::vector<std::filesystem::path> recordDirectories(const Places& places, const SessionId& id);
/// Where objects of a session's records lie outside of its directory.
[[nodiscard]] std::vector<std::filesystem::path> recordsElsewhere(const Places& places, const SessionId& id);

} // namespace revet::session
