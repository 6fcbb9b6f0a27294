// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/domain/places.h"
#include "engine/domain/session_info.h"

#include <cstdint>
#include <string>
#include <vector>

namespace revet::session {

/// Where a session's layer comes from. The private home is the project's, and needs no carrying.
struct Continuation
{
    std::int64_t began
        = 0; ///< of the first of them, nanoseconds since 1970: what is older is the layer's base
    std::vector<SessionId> earlier; ///< sessions that had the layer before, the first one first
};
[[nodiscard]] Result<Continuation> continuationOf(const Places& places, const SessionInfo& session);

/// Whether a new session in `project` can go on with what `from` left; Refused or Conflict with the reason.
[[nodiscard]] Result<void> checkContinuation(const Places& places, const SessionInfo& from,
                                             const std::string& project);

/// "it goes on as the session X", where another one took its layer; else empty.
[[nodiscard]] std::string whereLayerWent(const Places& places, const SessionId& session);

/// Moves the layer, and what was thrown away of it, to session `to`, whose directory is there, and gives its
/// upper directories, which are closed by name. For a process without threads.
[[nodiscard]] Result<std::vector<UniqueFd>> takeLayer(const Places& places, const SessionInfo& from,
                                                      const SessionId& to);
/// Where `to` does not come to be.
[[nodiscard]] Result<void> giveLayerBack(const Places& places, const SessionInfo& from, const SessionId& to);

} // namespace revet::session
