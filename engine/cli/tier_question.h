// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"

#include <optional>

namespace revet::cli {

/// At the first interactive run in a project: asks on the terminal for its tier, keeps the answer and puts it
/// into the request. A status to exit with when there was no answer; that has been said.
[[nodiscard]] std::optional<int> askForTier(ipc::RunRequest& request);

} // namespace revet::cli
