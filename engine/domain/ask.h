// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/domain/action.h"
#include "engine/domain/ids.h"
#include "engine/domain/tier.h"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet {

/// What a box wants to do that its tier does not let it. The numbers are kept in the catalogue: append only.
enum class AskKind : std::uint8_t {
    Destination = 0, ///< a connection to where no rule leads; the target is HOST:PORT
    Brake = 1, ///< a burst that destroys; the target is the project
    RunLater = 2, ///< a write to what the host runs later; the target is its path
    Path = 3, ///< to see a path of the host, read-only
    PathWrite = 4, ///< the same, and to write there
    HostPort = 5, ///< the port of this machine's loopback
    Publish = 6, ///< a port of the box's is to be this machine's too
    Socket = 7, ///< the local socket of this path
};
inline constexpr std::uint8_t kAskKindCount = 8;
[[nodiscard]] std::string_view toString(AskKind kind);

/// In which direction the damage could go.
enum class Lane : std::uint8_t { Files = 0, Network = 1, Credentials = 2 };
inline constexpr std::uint8_t kLaneCount = 3;
[[nodiscard]] std::string_view toString(Lane lane);

/// How much an answer is about, narrowest first. "Until a date" is Project with an end. The numbers are kept
/// in the catalogue: append only.
enum class GrantScope : std::uint8_t { Once = 0, Process = 1, Session = 2, Project = 3 };
inline constexpr std::uint8_t kGrantScopeCount = 4;
inline constexpr std::array kAllGrantScopes
    = {GrantScope::Once, GrantScope::Process, GrantScope::Session, GrantScope::Project};
[[nodiscard]] std::string_view toString(GrantScope scope);
[[nodiscard]] Result<GrantScope> parseGrantScope(std::string_view text);

/// "k3f9q2-1": the session and which of its asks.
struct AskId
{
    SessionId session;
    std::uint32_t number = 0; ///< from 1; 0 for none

    [[nodiscard]] static Result<AskId> parse(std::string_view text);
    [[nodiscard]] std::string text() const { return session.text() + '-' + std::to_string(number); }
    friend auto operator<=>(const AskId&, const AskId&) = default;
};

/// One of those who ask: the session's first process, then each one's child.
struct AskProcess
{
    std::int32_t pid = 0;
    std::uint64_t startTicks = 0; ///< with pid it names a process for good
    std::string exe;
    std::vector<std::string> argv; ///< the process's own claim

    friend bool operator==(const AskProcess&, const AskProcess&) = default;
};

/// A question to the person. Nothing of it ever changes: what is shown is what is decided. Strings are bytes.
struct Ask
{
    AskId id;
    AskKind kind = AskKind::Destination;
    std::string project;
    Tier tier = Tier::Sandbox;
    std::string target;
    std::vector<AskProcess> chain; ///< may be empty: never guessed
    std::string cwd;
    std::string why; ///< which rule is crossed; words of ours
    std::string claim; ///< why the box says that it wants it; empty where it only tried
    Lane lane = Lane::Network;
    Reach from = Reach::None; ///< how far the box could reach before a yes
    Reach to = Reach::Beyond; ///< and after it
    std::vector<GrantScope> scopes; ///< that a yes may have
    WallTime created{};
    std::string hash; ///< of all of the above, see hashOf()
    std::optional<WallTime>
        deadline; ///< after which the answer is no; none: it waits for as long as the session
};

/// The numbers are kept in the catalogue: append only.
enum class AskState : std::uint8_t {
    Waiting = 0,
    Approved = 1,
    Denied = 2,
    Missed = 3, ///< nobody answered in time: denied once
};
inline constexpr std::uint8_t kAskStateCount = 4;
[[nodiscard]] std::string_view toString(AskState state);

/// An ask and what has become of it.
struct AskRecord
{
    Ask ask;
    AskState state = AskState::Waiting;
    std::uint32_t count = 1; ///< how often it was asked
    bool hasGivenUp = false; ///< the program waits no longer: a yes is for its next try
    std::optional<WallTime> settled;
    std::optional<GrantScope> scope; ///< of the answer
};

} // namespace revet
