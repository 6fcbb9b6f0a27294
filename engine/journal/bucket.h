// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/action.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace revet::journal {

inline constexpr std::chrono::seconds kBucketWidth{1};

/// What happened of one kind with one verdict in one second: the timeline is drawn from these.
struct Bucket
{
    WallTime start{};
    ActionKind kind = ActionKind::Session;
    Verdict verdict = Verdict::Permitted;
    Reach reach = Reach::None; ///< the farthest
    std::uint64_t events = 0; ///< rows of the journal
    std::uint64_t occurrences = 0; ///< what they stand for, coalesced repeats included
};

/// The key of the bucket that an event falls in; `micros` since the session's start, earlier ones count as 0.
[[nodiscard]] std::int64_t bucketSlot(std::int64_t micros, std::int64_t kind, std::int64_t verdict);
/// Nothing for a slot that no event can have. Counts and reach stay empty.
[[nodiscard]] std::optional<Bucket> bucketOfSlot(std::int64_t slot, WallTime sessionStart);

} // namespace revet::journal
