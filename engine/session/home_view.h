// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/policy/hidden.h"
#include "engine/policy/profile.h"
#include "engine/tiers/box_spec.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::session {

/// Directories of HOME that are on PATH, following links, with the trees that their programs need
/// (~/.cargo/bin -> also ~/.rustup): visible read-only. What the hidden table names is left out; most often
/// there is nothing to look up in it, so it is read when there is.
[[nodiscard]] Result<std::vector<tiers::VisiblePath>>
visibleToolchains(std::string_view path, const std::string& home,
                  const std::function<Result<policy::HiddenTable>()>& hidden,
                  const policy::ResolvedProfile& profile);

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

/// What the profile's programs keep for the user, one directory for all of the user's boxes; made below
/// `places` where it is not there yet.
[[nodiscard]] Result<std::vector<tiers::SharedDirectory>> prepareState(const policy::ResolvedProfile& profile,
                                                                       const std::string& home,
                                                                       const std::filesystem::path& places);

} // namespace revet::session
