// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"

#include <optional>
#include <string>

namespace revet::api {

/// What a person is asked once, at the first interactive run in a project.
struct TierQuestion
{
    std::string project;
    Tier preselected = Tier::Container;
};

/// The question that has to be asked before this run; none where its tier is decided already. Registers a new
/// project.
[[nodiscard]] Result<std::optional<TierQuestion>> tierQuestion(Engine& engine,
                                                               const ipc::RunRequest& request);
/// Keeps the answer as the project's own setting.
[[nodiscard]] Result<void> answer(Engine& engine, const TierQuestion& question, Tier tier);

} // namespace revet::api
