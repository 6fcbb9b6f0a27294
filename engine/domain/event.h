// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/action.h"
#include "engine/domain/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace revet {

/// In place of a wait status, which is never negative.
inline constexpr std::int64_t kUnknownStatus = -1;

/// In `detail` of a rename: both names were there, and changed places (RENAME_EXCHANGE of renameat2(2)).
inline constexpr std::int64_t kExchange = 2;

/// One row of a session's timeline. Strings are bytes as the kernel gave them, never yet fit for a screen.
struct Event
{
    EventSeq seq; ///< given by the journal writer
    WallTime time{}; ///< of the first occurrence
    ActionKind kind = ActionKind::Session;
    Verdict verdict = Verdict::Permitted;
    Reach reach = Reach::None;
    ProcessNumber process; ///< none for the session itself
    std::string target; ///< path in the box, "host:port", syscall name, …
    std::string other; ///< rename: the new path; link: the new name; else empty
    std::string rule; ///< which rule, table entry or wall decided; empty for the tier's own default
    std::uint32_t count = 1; ///< how many occurrences this row stands for
    std::int32_t errnoValue = 0; ///< what the program got, 0 for success
    /// exit: wait status or kUnknownStatus; chmod: mode; open, rename: flags; else 0
    std::int64_t detail = 0;
};

/// One process of a session, from first sight, as one of the programs that it has run: an exec makes a new
/// record with the same pid and start, whose parent is the record before.
struct ProcessRecord
{
    ProcessNumber number;
    ProcessNumber parent; ///< none where it is not known: never guessed; itself before an exec
    std::int32_t pid = 0; ///< in the host's pid namespace
    std::uint64_t startTicks = 0; ///< field 22 of /proc/PID/stat; with pid it names a process for good
    WallTime started{};
    std::string exe;
    std::vector<std::string> argv; ///< the process's own claim, read after exec
    std::string cwd;
    std::optional<WallTime> ended;
    std::optional<std::int32_t> waitStatus; ///< as wait(2) gives it
};

/// What the supervisor saw or did, before it is attributed, coalesced and numbered.
struct Fact
{
    ActionKind kind = ActionKind::Read;
    Verdict verdict = Verdict::Permitted;
    Reach reach = Reach::None;
    std::string target;
    std::string other;
    std::string rule;
    std::int32_t errnoValue = 0;
    std::int64_t detail = 0;
};

} // namespace revet
