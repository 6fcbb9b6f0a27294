// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/session_info.h"

#include <array>

namespace revet {

namespace {

constexpr std::array<std::string_view, kSessionStateCount> kStateNames
    = {"starting", "running", "paused", "ended", "review", "closed"};
constexpr std::array<std::string_view, 3> kLevelNames = {"full", "writes", "exec"};

} // namespace

std::string_view toString(SessionState state)
{
    return kStateNames.at(static_cast<std::size_t>(state));
}

bool isLive(const SessionInfo& session)
{
    return session.state == SessionState::Starting || session.state == SessionState::Running
        || session.state == SessionState::Paused;
}

std::string_view toString(ObserveLevel level)
{
    return kLevelNames.at(static_cast<std::size_t>(level));
}

Result<ObserveLevel> parseObserveLevel(std::string_view text)
{
    for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
        if (kLevelNames.at(i) == text) {
            return static_cast<ObserveLevel>(i);
        }
    }
    return fail(ErrorCode::InvalidArgument, "read the observation level '" + std::string(text) + "'",
                "the levels are full, writes and exec");
}

} // namespace revet
