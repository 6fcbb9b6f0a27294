// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/recovery.h"

#include "engine/session/installation.h"

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

namespace revet::session {

bool isAlive(const SessionInfo& session)
{
    if (session.sessionPid <= 0) {
        return false;
    }
    // A process id may have been given to somebody else meanwhile; the program's name tells.
    const auto name = readText("/proc/" + std::to_string(session.sessionPid) + "/comm");
    return name && *name == "revet-session\n";
}

Result<void> recoverDeadSessions(journal::Catalogue& catalogue, const Places& places)
{
    REVET_ASSIGN_OR_RETURN(const auto sessions, catalogue.openSessions());
    for (SessionInfo session : sessions) {
        if (isAlive(session)) {
            continue;
        }
        session.state = session.tier == Tier::Container ? SessionState::Review : SessionState::Ended;
        session.ended = SystemClock().now();
        session.endReason = "revet-session died";
        session.sessionPid = 0;
        REVET_RETURN_IF_ERROR(catalogue.updateSession(session));
        std::error_code error; // left only when the keeper was killed as well
        std::filesystem::remove(places.controlSocket(session.id), error);
    }
    return {};
}

} // namespace revet::session
