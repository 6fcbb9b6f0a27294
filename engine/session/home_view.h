// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/policy/profile.h"
#include "engine/tiers/box_spec.h"

#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// The profile's caches that exist, each with a private layer below `layers`. A layer that another running
/// session holds is replaced by a fresh one in `sessionDirectory`. The locks are held by the descriptors.
struct CacheLayers
{
    std::vector<tiers::CacheLayer> caches;
    std::vector<UniqueFd> locks;
};
[[nodiscard]] Result<CacheLayers> prepareCaches(const policy::ResolvedProfile& profile,
                                                const std::string& home, const std::filesystem::path& layers,
                                                const std::filesystem::path& sessionDirectory);

/// Copies below `directory` of the profile's settings that exist, without their secrets, each in the place of
/// the original.
[[nodiscard]] Result<std::vector<tiers::VisiblePath>> prepareSettings(const policy::ResolvedProfile& profile,
                                                                      const std::string& home,
                                                                      const std::filesystem::path& directory);

/// What the profile's programs keep for the user, one directory for all of the user's boxes; made below
/// `places` where it is not there yet.
[[nodiscard]] Result<std::vector<tiers::SharedDirectory>> prepareState(const policy::ResolvedProfile& profile,
                                                                       const std::string& home,
                                                                       const std::filesystem::path& places);

} // namespace revet::session
