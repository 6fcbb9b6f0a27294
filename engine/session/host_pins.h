// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/policy/run_later.h"
#include "engine/session/git_state.h"

#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// Where git keeps a person's own configuration.
[[nodiscard]] std::vector<std::filesystem::path> userGitFiles(const std::filesystem::path& home,
                                                              const Places& places);

/// What the host runs from within the direct workspaces though no table names it: programs, hooks and
/// includes of git's configuration, and the files behind links of pinned names. `configurations` are the
/// user's own. What is relative to a work tree or a repository is pinned below every
/// directory: a box may make more of both, and move those that there are. Fails for more than can be
/// compared.
[[nodiscard]] Result<policy::ProjectPins>
hostPins(const GitState& state, const policy::RunLaterTable& runLater, const std::vector<std::string>& roots,
         const std::string& home, const std::vector<std::filesystem::path>& configurations);

} // namespace revet::session
