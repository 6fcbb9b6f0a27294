// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/forecast.h"
#include "engine/supervisor/tree_generation.h"

#include <functional>

namespace revet::supervisor {

/// Has the broker perform one changing call, and records what is left to the kernel: never is a call let go
/// that has no row. One thread, which the forecast belongs to as well.
class Mutation
{
public:
    /// Thread-safe.
    using Broker = std::function<Answer(const Call&, Target&)>;

    /// All three outlive this.
    Mutation(const Broker& broker, TreeGeneration& generation, Forecast& forecast);

    /// An error is ours, and a refusal.
    [[nodiscard]] Result<Answer> perform(const Call& call, Target& target);

private:
    const Broker& m_broker;
    TreeGeneration& m_generation;
    Forecast& m_forecast;
};

} // namespace revet::supervisor
