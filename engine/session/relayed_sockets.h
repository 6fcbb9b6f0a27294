// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/domain/places.h"

#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// A local socket of the host that the box may speak to. The box sees a socket of ours in its place, from
/// which bytes are carried: of the host's own neither the file nor a descriptor enters the box, and none
/// passes through it (SCM_RIGHTS).
struct RelayedSocket
{
    std::string path; ///< in the box
    std::string service; ///< the host's, without links
    std::string ours; ///< host path
    UniqueFd listener; ///< non-blocking
};

/// Makes ours in the session's directory, named by numbers behind `prefix`. Refused for a path that lies in
/// one of `changeable`, which name no links, or that a link leads through one: what the box can rename or
/// link must not decide where we connect to; and for a socket of Revet's own, where the box would answer its
/// own questions.
[[nodiscard]] Result<std::vector<RelayedSocket>>
makeRelayedSockets(const std::vector<std::string>& paths, const std::filesystem::path& sessionDirectory,
                   const std::vector<std::string>& changeable, const Places& places,
                   const std::string& prefix = {});

/// A non-blocking listener of ours; SOCK_STREAM or SOCK_SEQPACKET.
[[nodiscard]] Result<UniqueFd> listenLocally(const std::filesystem::path& path, int type);

/// A non-blocking connection to the host's socket; `path` leads through no link.
[[nodiscard]] Result<UniqueFd> connectLocally(const std::string& path);

} // namespace revet::session
