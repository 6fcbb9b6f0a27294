// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/ask.h"
#include "engine/domain/ids.h"
#include "engine/domain/session_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace revet::ipc {

/// Raised when a message changes its meaning; both ends must agree, since they are installed together.
inline constexpr std::uint32_t kProtocolVersion = 1;
/// revet-session finds its front end's socket here.
inline constexpr int kFrontEndFd = 3;

// Front end to session, on the inherited socket.

/// The first frame. Brings one descriptor: the sealed memory file with the RunRequest.
struct Run
{
};
struct Resize
{
    std::uint16_t rows = 0;
    std::uint16_t columns = 0;
};
/// For the command's foreground process group.
struct Signal
{
    std::int32_t number = 0;
};
/// After Stopped: the front end runs in the foreground again.
struct Continue
{
};
struct Detach
{
};
/// TERM, 10 s, KILL; with force KILL at once. Also on the control socket.
struct Stop
{
    bool isForced = false;
};

// Session to front end.

/// The command runs. Brings the descriptors that are flagged, in this order.
struct Started
{
    SessionId session;
    std::vector<std::string> lines; ///< for the person; already fit for a screen
    bool hasPty = false; ///< pty master
    bool hasStdin = false; ///< write end of a pipe
    bool hasStdout = false; ///< read end of a pipe
    bool hasStderr = false; ///< read end of a pipe
    [[nodiscard]] std::size_t fdCount() const
    {
        return std::size_t{hasPty} + std::size_t{hasStdin} + std::size_t{hasStdout} + std::size_t{hasStderr};
    }
};
/// A line for the person while the command runs; fit for a screen.
struct Notice
{
    std::string line;
};
/// The command's foreground job was stopped by this signal.
struct Stopped
{
    std::int32_t signal = 0;
};
struct Exited
{
    std::int32_t waitStatus = 0; ///< as wait(2) gives it
    std::string summary; ///< one line; may be empty
    std::vector<std::string> lines = {}; ///< for a person at a terminal, before the summary
};
/// The exit status of `revet run` when Revet itself failed.
inline constexpr std::int32_t kRevetFailed = 125;

/// Nothing runs, or no longer. The front end prints the message and exits with the code.
struct Failed
{
    std::int32_t exitCode = kRevetFailed;
    std::string message; ///< "WHAT: WHY; REMEDY"
};
// Control socket: the client's Hello comes first and is answered by one.

struct Hello ///< every frame carries the version; this one only opens the talk
{
};
struct Subscribe
{
};
/// The journal holds events up to this one.
struct Advanced
{
    EventSeq seq;
};
struct InfoRequest
{
};
struct Info
{
    SessionInfo session;
};
/// Answers an ask.
struct AnswerAsk
{
    AskId ask;
    std::string hash; ///< of what was looked at
    bool isApproved = false;
    GrantScope scope = GrantScope::Once;
    std::optional<WallTime> until; ///< of GrantScope::Project
};
/// The catalogue's grants have changed; they are to be read again. The answer is about this one.
struct GrantsChanged
{
    std::int64_t grant = 0;
};
/// The answer to a request that was done or refused.
struct Answer
{
    bool isDone = true;
    std::string message; ///< why not
    bool isConflict = false; ///< not done, as somebody else was first
};

using Message
    = std::variant<Run, Resize, Signal, Continue, Detach, Stop, Started, Stopped, Exited, Failed, Hello,
                   Subscribe, Advanced, InfoRequest, Info, Answer, Notice, AnswerAsk, GrantsChanged>;

/// One JSON object: {"version":1,"type":"resize",…}. Texts that would make the frame too large are cut.
[[nodiscard]] std::string encode(const Message& message);
/// Total: unknown keys are ignored; an unknown type, another version or a value out of bounds is Malformed.
[[nodiscard]] Result<Message> decode(std::string_view bytes);

} // namespace revet::ipc
