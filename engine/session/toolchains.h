// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/places.h"
#include "engine/policy/hidden.h"
#include "engine/policy/profile.h"
#include "engine/tiers/box_spec.h"

#include <functional>
#include <string>
#include <vector>

namespace revet::session {

/// What of HOME a box sees, read-only, since programs on PATH or a profile need it.
struct Toolchains
{
    std::vector<tiers::VisiblePath> visible;
    std::vector<std::string> masked; ///< what the hidden table names within
};

/// Where to look for them. All outlive the call.
struct ToolchainSearch
{
    const std::string& path; ///< PATH of the caller
    const std::string& home; ///< canonical
    const Places& places;
    const policy::ResolvedProfile& profile;
    /// Directories that this or another session may change: a link in one of them is no word of the user's.
    const std::vector<std::string>& changeable;
    /// Read when there is something to look up in it.
    std::function<Result<policy::HiddenTable>()> hidden;
};

/// Directories of HOME that are on PATH, with the parts of an installation that lie beside them (PREFIX/bin:
/// PREFIX/lib and its like, never all of PREFIX), the programs that links in them lead to with theirs, and
/// what the profile names. Never what holds data of Revet's own; what the hidden table names is left out or
/// masked.
[[nodiscard]] Result<Toolchains> findToolchains(const ToolchainSearch& search);

} // namespace revet::session
