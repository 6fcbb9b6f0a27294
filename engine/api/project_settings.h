// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/session/project_settings.h"
#include "engine/session/rule_uses.h"

namespace revet::api {

using session::ProjectSettings;

/// session/project_settings.h with the engine's own places and catalogue.
[[nodiscard]] inline Result<ProjectSettings> loadProjectSettings(Engine& engine, const std::string& project)
{
    return session::loadProjectSettings(engine.places(), engine.catalogue(), project);
}
[[nodiscard]] inline Result<void> changeProjectSettings(Engine& engine, const std::string& project,
                                                        const std::vector<std::string>& assignments)
{
    return session::changeProjectSettings(engine.places(), engine.catalogue(), project, assignments);
}
using session::RepositoryOffer;
[[nodiscard]] inline Result<RepositoryOffer> repositoryOffer(Engine& engine, const std::string& project)
{
    return session::repositoryOffer(engine.places(), engine.catalogue(), project);
}
[[nodiscard]] inline Result<void> trustRepositorySettings(Engine& engine, const std::string& project,
                                                          const std::string& hash)
{
    return session::trustRepositorySettings(engine.catalogue(), project, hash);
}

using session::RuleUse;
/// How often the project's sessions were let through or refused by a rule.
[[nodiscard]] inline Result<std::vector<RuleUse>> ruleUses(const Engine& engine,
                                                           const ProjectSettings& settings)
{
    return session::readRuleUses(engine.places().data / "projects" / std::to_string(settings.project.id));
}

} // namespace revet::api
