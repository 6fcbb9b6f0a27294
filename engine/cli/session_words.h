// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/cli/session_argument.h"

#include <optional>
#include <string>
#include <vector>

namespace revet::cli {

/// What [ID] [PATH…] mean.
struct SessionWords
{
    SessionInfo session;
    std::vector<std::string> paths; ///< below the project; "" is all of it
};
[[nodiscard]] OrStatus<SessionWords> readWords(api::Engine& engine, std::vector<std::string> words,
                                               api::Engine::Candidates candidates);

/// Takes the session off the front of the words. The first one is it where it is a whole id, or the beginning
/// of one or the label of a session of the project that we are in; else all are paths. What is a path here as
/// well is refused.
[[nodiscard]] OrStatus<SessionInfo> takeSession(api::Engine& engine, std::vector<std::string>& words,
                                                api::Engine::Candidates candidates);
/// A path of the command line as one below the root; none where it is elsewhere.
[[nodiscard]] std::optional<std::string> pathBelow(const std::string& root, const std::string& word);

} // namespace revet::cli
