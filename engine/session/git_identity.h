// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace revet::session {

/// What a box gets to know of the user's own git configuration.
struct GitIdentity
{
    std::string config; ///< the text of /etc/gitconfig in the box
    bool droppedSigning = false; ///< the user signs commits; the box has no key
    std::vector<std::string> droppedKeys; ///< keys left out since they run programs or name secrets
};

/// Keeps identity, aliases without "!" and harmless preferences; drops signing, credential helpers, includes,
/// and every key that runs a program.
[[nodiscard]] GitIdentity sanitiseGitConfig(std::string_view userConfig);

} // namespace revet::session
