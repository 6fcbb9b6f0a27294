// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/cli/session_argument.h"

#include <string>
#include <vector>

namespace revet::cli {

/// What [ID] [PATH…] mean.
struct SessionWords
{
    SessionInfo session;
    std::vector<std::string> paths; ///< below the project; "" is all of it
};
/// The first word is the session where there is one of that name; else all are paths.
[[nodiscard]] OrStatus<SessionWords> readWords(api::Engine& engine, const std::vector<std::string>& words,
                                               api::Engine::Candidates candidates);

} // namespace revet::cli
