// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/workspace/record.h"

#include <string>

namespace revet::session {

/// Records of what is done to a root of a session (0: the project) at `path`: on the root's own mount,
/// outside of it wherever that can be, else in its .revet-undo, which git is told to leave alone.
[[nodiscard]] Result<workspace::RecordStore> openRootRecords(const Places& places, const SessionId& id,
                                                             std::size_t root, const std::string& path);
/// Records of what was discarded of a session's layer, with the session's directory as their tree.
[[nodiscard]] Result<workspace::RecordStore> openDiscardRecords(const Places& places, const SessionId& id);

} // namespace revet::session
