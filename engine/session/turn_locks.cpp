// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/turn_locks.h"

#include "engine/domain/places.h"
#include "engine/session/project_finder.h"

#include <functional>
#include <map>

#include <fcntl.h>

namespace revet::session {

Result<std::vector<supervisor::TurnLock>> openTurnLocks(const std::filesystem::path& directory,
                                                        const std::vector<std::string>& roots,
                                                        const std::string& home)
{
    std::map<std::string, bool> wanted; // by path, and so in the order in which all take them
    for (const std::string& root : roots) {
        for (std::filesystem::path above = std::filesystem::path(root).parent_path();
             above != above.root_path() && !isWithin(home, above.string()); above = above.parent_path()) {
            wanted.try_emplace(above.string(), false);
        }
    }
    for (const std::string& root : roots) {
        wanted[root] = true;
    }
    REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
    std::vector<supervisor::TurnLock> locks;
    for (const auto& [path, isExclusive] : wanted) {
        // Two paths of one hash wait for each other more than they must.
        const std::filesystem::path name = directory / std::to_string(std::hash<std::string>{}(path));
        UniqueFd file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file) {
            return failErrno("open " + name.string());
        }
        locks.push_back({std::move(file), isExclusive});
    }
    return locks;
}

} // namespace revet::session
