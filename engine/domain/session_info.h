// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/action.h"
#include "engine/domain/ids.h"
#include "engine/domain/tier.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet {

/// The numbers are kept in the catalogue: append only.
enum class SessionState : std::uint8_t {
    Starting = 0,
    Running = 1,
    Paused = 2,
    Ended = 3,
    Review = 4,
    Closed = 5
};
inline constexpr std::uint8_t kSessionStateCount = 6;
[[nodiscard]] std::string_view toString(SessionState state);

/// What is recorded; chosen before the start, since a filter cannot be changed later.
enum class ObserveLevel : std::uint8_t {
    Full = 0, ///< every open but read-only opens of directories
    Writes = 1, ///< only what changes something, and exec
    Exec = 2, ///< only processes and what crosses a wall
};
[[nodiscard]] std::string_view toString(ObserveLevel level);
[[nodiscard]] Result<ObserveLevel> parseObserveLevel(std::string_view text);

/// A session as `revet ps` shows it: what the catalogue knows.
struct SessionInfo
{
    SessionId id;
    std::string label;
    SessionState state = SessionState::Starting;
    std::string project; ///< absolute path, bytes
    Tier tier = Tier::Sandbox;
    ObserveLevel observe = ObserveLevel::Full;
    std::vector<std::string> command;
    WallTime started{};
    std::optional<WallTime> ended;
    std::optional<std::int32_t> waitStatus; ///< of the command, as wait(2) gives it
    std::string endReason; ///< "command ended", "stopped", "revet-session died", …
    std::int32_t sessionPid = 0; ///< of revet-session while it lives
    Reach reached = Reach::None; ///< the farthest effect so far
    std::uint64_t events = 0;
    std::uint32_t asksPending = 0;
};
/// Whether a session's box may still run.
[[nodiscard]] bool isLive(const SessionInfo& session);

} // namespace revet
