// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/journal/catalogue.h"

#include <vector>

namespace revet::session {

/// Completes the records of sessions whose revet-session has died: they are marked as ended, with the reason.
/// Their boxes have died with them. A passing file that one has left in its project is removed. Cheap when
/// there are none. Gives those that live.
[[nodiscard]] Result<std::vector<SessionInfo>> recoverDeadSessions(journal::Catalogue& catalogue,
                                                                   const Places& places);

/// Whether this session's revet-session is alive: its process exists and runs our program.
[[nodiscard]] bool isAlive(const SessionInfo& session);

/// What a session is from the death of its revet-session on; when that was, nobody knows.
void noteDeath(SessionInfo& session);

} // namespace revet::session
