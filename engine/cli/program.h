// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/session_start.h"

namespace revet::cli {

/// The whole of `revet`: finds the command that the arguments name and runs it; the exit status. `revet run`
/// makes its session of `sessionMain`.
[[nodiscard]] int runProgram(int argc, char** argv, api::SessionMain sessionMain = api::sessionMain);

} // namespace revet::cli
