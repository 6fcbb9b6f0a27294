// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"

#include <optional>

namespace revet::cli {

/// Finds the session that --continue means, and notes its id in the request. Without that option, where
/// changes of the project wait for a decision and a person can be asked: asks whether to go on with them, to
/// apply them first, or to leave them. An exit status: nothing is to be run.
[[nodiscard]] std::optional<int> settleContinuation(ipc::RunRequest& request);

} // namespace revet::cli
