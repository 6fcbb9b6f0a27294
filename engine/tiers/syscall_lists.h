// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

namespace revet::tiers {

/// System calls that a box gets "operation not permitted" for, whatever the kernel would have said.
[[nodiscard]] std::span<const int> refusedCalls();
/// System calls that a box is told do not exist, so that programs take their older way.
[[nodiscard]] std::span<const int> missingCalls();
/// Every other system call that this version knows, by number: the filter lets the kernel decide them.
[[nodiscard]] std::span<const int> ordinaryCalls();

} // namespace revet::tiers
