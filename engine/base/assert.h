// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace revet {

/// Writes where the broken promise stands and aborts, in every build: a supervisor that has lost its
/// footing must stop its box rather than guess.
[[noreturn]] void assertionFailed(const char* condition, const char* file, int line) noexcept;

} // namespace revet

#define REVET_ASSERT(condition)                                                                              \
    ((condition) ? static_cast<void>(0) : ::revet::assertionFailed(#condition, __FILE__, __LINE__))
