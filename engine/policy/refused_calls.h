// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/trapped_calls.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace revet::policy {

/// A system call that no box gets and whose attempt is worth a row: it waits for the supervisor, which
/// refuses it whatever else the arguments say. With nobody to answer, the kernel says that there is no such
/// call.
struct RefusedCall
{
    TrapRule when;
    std::string_view name; ///< for the row: "mount", "unshare CLONE_NEWUSER"
    int errnoValue = 0;
};
/// The same for every tier and level. Thread-safe; lives for ever.
[[nodiscard]] std::span<const RefusedCall> refusedCalls();
/// The refusal that fits a call; none for a call that is trapped for another reason.
[[nodiscard]] const RefusedCall* findRefused(int number, const std::array<std::uint64_t, 6>& arguments);

/// System calls that a box is told do not exist, by the filter alone: programs probe for them all the time
/// and take their older way.
[[nodiscard]] std::span<const int> missingCalls();
/// Every other system call that this version knows, by number; those of refusedCalls() are among them.
[[nodiscard]] std::span<const int> knownCalls();

} // namespace revet::policy
