// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/bucket.h"

#include <algorithm>

namespace revet::journal {

namespace {

constexpr std::int64_t kMicrosEach = std::chrono::microseconds(kBucketWidth).count();
constexpr std::int64_t kVerdictSlots = 8;
constexpr std::int64_t kKindSlots = 32;
constexpr std::int64_t kSlotsEach = kKindSlots * kVerdictSlots;
static_assert(kVerdictCount <= kVerdictSlots && kActionKindCount <= kKindSlots);

} // namespace

std::int64_t bucketSlot(std::int64_t micros, std::int64_t kind, std::int64_t verdict)
{
    return std::max<std::int64_t>(micros, 0) / kMicrosEach * kSlotsEach + kind * kVerdictSlots + verdict;
}

std::optional<Bucket> bucketOfSlot(std::int64_t slot, WallTime sessionStart)
{
    const std::int64_t second = slot / kSlotsEach;
    const std::int64_t kind = slot % kSlotsEach / kVerdictSlots;
    const std::int64_t verdict = slot % kVerdictSlots;
    constexpr std::int64_t kMostSeconds = std::int64_t{1} << 40U;
    if (slot < 0 || second > kMostSeconds || kind >= kActionKindCount || verdict >= kVerdictCount) {
        return std::nullopt;
    }
    Bucket bucket;
    bucket.start = sessionStart + second * kBucketWidth;
    bucket.kind = static_cast<ActionKind>(kind);
    bucket.verdict = static_cast<Verdict>(verdict);
    return bucket;
}

} // namespace revet::journal
