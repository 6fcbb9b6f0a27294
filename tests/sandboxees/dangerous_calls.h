// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <string_view>

namespace revet::victim {

/// A system call that a box must not let through, with arguments that do no harm where it is let through.
struct DangerousCall
{
    std::string_view name;
    long number;
    std::array<long, 6> arguments;
};

/// The table of SECURITY.md E089, with the calls that are newer than it.
inline constexpr int kDangerousCallCount = 65;
extern const std::array<DangerousCall, kDangerousCallCount> kDangerousCalls;

} // namespace revet::victim
