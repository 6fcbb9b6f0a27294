// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/launcher/errand.h"

#include <map>
#include <string>

namespace revet::launcher {

/// What the keeper mounts for a box that is up, and takes away again. Its tree is shared and the box's
/// receives from it, so the box sees both at once.
class LiveMounts
{
public:
    /// Errand::Kind::Mount; a descriptor of what is mounted. Nothing else may be mounted at the target.
    [[nodiscard]] Result<UniqueFd> mount(const Errand& errand);
    /// Errand::Kind::Cover; it stays.
    [[nodiscard]] static Result<UniqueFd> cover(const Errand& errand);
    /// No name leads there any more; what has been opened stays so.
    [[nodiscard]] Result<void> unmount(const std::string& target);

private:
    struct Mounted
    {
        UniqueFd directory; ///< around it
        std::string name;
        bool isDirectory = false;
        bool isPlaceMade = false; ///< nothing was there before
    };
    std::map<std::string, Mounted> m_mounts; ///< by target
};

} // namespace revet::launcher
