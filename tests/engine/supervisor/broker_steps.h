// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tests/engine/supervisor/broker_bench.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::test {

/// A call, made in each of two directories that were equal before it. Whether the kernel may answer instead
/// (what the read-only view makes no difference to) is part of the row.
enum class By { Broker, Either };
struct Step
{
    const char* name;
    std::function<supervisor::Call()> make;
    By by = By::Broker;
    mode_t mask = 022;
};

/// Calls that build on each other, in order: what programs do to a tree, and what the kernel refuses.
[[nodiscard]] const std::vector<Step>& brokerSteps();

[[nodiscard]] supervisor::Call truncating(std::string path, std::int64_t size);
[[nodiscard]] supervisor::Call attribute(supervisor::PathArgument path, std::string name);

} // namespace revet::test
