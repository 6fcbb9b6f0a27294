// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/journal/catalogue.h"
#include "engine/policy/settings.h"
#include "engine/policy/settings_merge.h"

#include <string>
#include <string_view>
#include <vector>

namespace revet::session {

/// What settings name as their sources, besides "project".
inline constexpr const char* kUserFile = "config.toml";
inline constexpr const char* kRepositoryFile = ".revet.toml";

/// What a project's sessions start with, and where each value comes from.
struct ProjectSettings
{
    journal::ProjectRecord project;
    policy::Settings own; ///< of projects/<id>.toml
    policy::EffectiveSettings effective;
    enum class Repository : std::uint8_t { None, Trusted, Untrusted };
    Repository repository = Repository::None; ///< .revet.toml
    bool isNew = false; ///< registered just now
    std::vector<std::string> ignored; ///< what an untrusted .revet.toml asked for in vain
};

/// Reads them; registers the project when it is new.
[[nodiscard]] Result<ProjectSettings> loadProjectSettings(const Places& places, journal::Catalogue& catalogue,
                                                          const std::string& project);
/// KEY=VALUE, KEY+=VALUE or KEY-=VALUE, written to the project's own file at once.
[[nodiscard]] Result<void> changeProjectSettings(const Places& places, journal::Catalogue& catalogue,
                                                 const std::string& project,
                                                 const std::vector<std::string>& assignments);
/// What .revet.toml would bring, were it trusted as it is now: the settings that name it as their source.
struct RepositoryOffer
{
    std::string hash; ///< of its content
    policy::EffectiveSettings effective;
};
/// NotFound without one.
[[nodiscard]] Result<RepositoryOffer> repositoryOffer(const Places& places, journal::Catalogue& catalogue,
                                                      const std::string& project);
/// From now on .revet.toml may widen, as long as its content stays exactly what was looked at. Conflict where
/// it is something else already.
[[nodiscard]] Result<void> trustRepositorySettings(journal::Catalogue& catalogue, const std::string& project,
                                                   const std::string& hash);

} // namespace revet::session
