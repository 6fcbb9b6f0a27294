// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/ipc/run_request.h"
#include "engine/policy/settings.h"

#include <string>

namespace revet::session {

/// Completes a request by what config.toml, the project's settings and .revet.toml say; what the request says
/// itself wins, lists add up. The tier is chooseTier()'s, and hosts are for rulesOf().
void applySettings(const policy::Settings& settings, const std::string& project, const std::string& home,
                   ipc::RunRequest& request);

} // namespace revet::session
