// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string_view>

namespace revet {

/// What a box did or tried. The numbers are kept in journals: append only.
enum class ActionKind : std::uint8_t {
    Session = 0, ///< the session itself: started, ended, a wall reported, a tier named
    Exec = 1,
    Exit = 2,
    Read = 3,
    Write = 4,
    Create = 5,
    Delete = 6,
    Rename = 7,
    Link = 8,
    Chmod = 9, ///< mode, owner, times, extended attributes
    Connect = 10,
    Dns = 11,
    Listen = 12, ///< bind or listen
    Socket = 13, ///< a socket family that was refused, or a local socket
    Credential = 14,
    Apply = 15,
    Tier = 16,
    Syscall = 17, ///< a system call that the filter refused
    Limit = 18, ///< a limit or a flood: what was dropped or aggregated, and how often
    Note = 19, ///< what a process of the box wants the person to know; its claim, and nothing but words
};
inline constexpr std::uint8_t kActionKindCount = 20;

/// What became of an action. The numbers are kept in journals: append only.
enum class Verdict : std::uint8_t {
    Permitted = 0,
    Contained = 1, ///< happened, but only in the layer
    Withheld = 2, ///< exists on the host, not visible in the box
    Asked = 3,
    Approved = 4,
    Denied = 5,
    Failed = 6, ///< the kernel said no for a reason of its own
};
inline constexpr std::uint8_t kVerdictCount = 7;

/// How far an effect goes; ordered.
enum class Reach : std::uint8_t { None = 0, Copy = 1, Project = 2, Machine = 3, Beyond = 4 };
inline constexpr std::uint8_t kReachCount = 5;

[[nodiscard]] std::string_view toString(ActionKind kind);
[[nodiscard]] std::string_view toString(Verdict verdict);
[[nodiscard]] std::string_view toString(Reach reach);
[[nodiscard]] Result<ActionKind> parseActionKind(std::string_view text);
[[nodiscard]] Result<Verdict> parseVerdict(std::string_view text);

/// Rows that a flood may never push out: what was refused, asked, withheld or answered.
[[nodiscard]] constexpr bool isSecurityRelevant(Verdict verdict)
{
    return verdict == Verdict::Withheld || verdict == Verdict::Asked || verdict == Verdict::Approved
        || verdict == Verdict::Denied;
}

} // namespace revet
