// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace revet {

/// The kinds of failure that callers tell apart. Closed: a new code needs a text in every front end.
enum class ErrorCode : std::uint8_t {
    System, ///< a system call failed; errnoValue says how
    InvalidArgument, ///< the caller's request makes no sense
    Malformed, ///< bytes that do not decode: a plan, a message, a table, a database
    NotFound, ///< no such session, project, profile, file
    Conflict, ///< somebody else changed it meanwhile
    Refused, ///< not permitted, and not because of the kernel
    Unavailable, ///< this machine cannot do it: a missing kernel feature, a tier that failed its probes
    LimitExceeded, ///< larger than we are willing to handle
    Closed, ///< the other side has gone
    TimedOut,
};

/// A failure with what was being done, for logs and for the one line that a person reads.
struct Error
{
    ErrorCode code = ErrorCode::System;
    std::string operation; ///< what was tried, in a few words: "open /proc/12/mem"
    int errnoValue = 0; ///< 0 where no system call was involved
    std::string context; ///< why it matters or what to do, may be empty

    /// An Error for a system call that has just failed. Reads errno.
    [[nodiscard]] static Error fromErrno(std::string operation);
    [[nodiscard]] static Error fromErrno(std::string operation, int errnoValue);
};

/// "operation: reason; context", one line, for logs and command-line messages.
[[nodiscard]] std::string toString(const Error& error);
[[nodiscard]] std::string_view toString(ErrorCode code);

} // namespace revet
