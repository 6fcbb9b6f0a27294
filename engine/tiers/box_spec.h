// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/session_info.h"
#include "engine/domain/tier.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::tiers {

/// A path of the host that the box sees, at the same place unless `inBox` says otherwise.
struct VisiblePath
{
    std::string host;
    std::string inBox; ///< empty: as on the host
    enum class Access { ReadOnly, ReadWrite } access = Access::ReadOnly;
};

/// A cache of the user's: the host's content below, what the box adds in a private layer on top.
struct CacheLayer
{
    std::string host; ///< read-only below
    std::string layer; ///< host directory with "closed/upper" and "work" in it
};

/// A directory that several boxes write, such as an agent's login and settings.
struct SharedDirectory
{
    std::string host; ///< only the launcher can enter
    std::string inBox;
};

/// Everything that decides how a box looks; what is not named here is not there.
struct BoxSpec
{
    Tier tier = Tier::Sandbox;
    ObserveLevel observe = ObserveLevel::Full;
    std::string project; ///< absolute, canonical
    std::string layer; ///< container: host directory with "closed/upper" and "work" in it
    std::vector<std::string> sideRoots; ///< more with the project's rules: a worktree's common gitdir
    std::vector<std::string> masked; ///< paths in the project that appear empty
    std::string emptyFile; ///< host paths of an empty read-only file and directory, to mask with
    std::string emptyDirectory;
    std::string home; ///< HOME, the same path in the box
    std::string privateHome; ///< host directory that the box has as its HOME; only the launcher can enter
    std::vector<VisiblePath> sockets; ///< Revet's own, each in the place of one of the host's
    std::vector<VisiblePath> visible; ///< toolchains, --bind-ro, --bind-rw; not below the project
    std::vector<CacheLayer> caches;
    std::vector<SharedDirectory> shared; ///< below the home
    std::map<std::string, std::string> files; ///< content by path below /etc: settings that hold in the box
    uid_t uid = 0;
    gid_t gid = 0;
    std::string userName;
    std::string gitConfig; ///< for /etc/gitconfig
    mode_t fileModeMask = 022;
    bool hasNetwork = false; ///< a gateway, through which revet-session lets connections; else loopback only
    bool isNetworkOptional = false; ///< where the kernel cannot give it, there is none
    std::vector<std::string> removeAtEnd; ///< host files that must not outlive the box (the control socket)
};

/// Where the layer of the n-th root of a session lies (0: the project, whose layer holds the others').
[[nodiscard]] inline std::string layerPart(const std::string& layer, std::size_t root)
{
    return root == 0 ? layer : layer + "/side" + std::to_string(root - 1);
}

} // namespace revet::tiers
