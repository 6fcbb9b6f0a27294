// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/network_rules.h"
#include "engine/policy/profile.h"
#include "engine/session/project_settings.h"
#include "engine/session/tool_configuration.h"

#include <string>
#include <vector>

namespace revet::session {

/// The hosts of settings, each with whose word it is.
[[nodiscard]] std::vector<policy::NetworkRule> rulesOf(const ProjectSettings& settings);

/// Where a box may connect to.
struct SessionRules
{
    policy::NetworkRules network;
    policy::NetworkRules model; ///< those of them that lead to an agent's model
};
/// By the command line, the settings, and the profiles with what the tools are configured for.
[[nodiscard]] Result<SessionRules> sessionRules(const std::vector<std::string>& allowedHosts,
                                                const std::vector<policy::NetworkRule>& settings,
                                                const policy::ResolvedProfile& profile,
                                                const ToolConfiguration& tools);

} // namespace revet::session
